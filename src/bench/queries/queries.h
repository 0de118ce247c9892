/* Queries to compare maps, of floe and of other libraries (bench/tables/rivals.cc): find, put and delete of 64-bit keys
   and values in one stream. Every query follows from its position and the seed alone. Also the check of the answers.
   C11 and C++; needs no other part of floe. doc/bench.md has the definitions. */
#ifndef FLOE_BENCH_QUERIES_H
#define FLOE_BENCH_QUERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The data set has the pairs of the numbers [0, pairs). A query's number is drawn uniformly, or from a normal
   distribution around their middle, truncated at both ends. */
struct queries {
  uint64_t pairs;
  double hot;       /* part of the keys requested more often than in a uniform distribution; 1: uniform */
  double deviation; /* of the normal distribution, as a part of `pairs`; 0: uniform */
  unsigned changes; /* deletes in QUERY_BLOCK queries, and as many puts; the rest are finds */
  uint64_t seed;
};

enum {
  QUERY_BLOCK = 100, /* queries that have all kinds in their proportion, in any order */
  QUERY_LAG = 200 /* blocks: a put restores the key of a delete so long before, so that the data set keeps its size */
};
#define QUERY_HOTTEST 0.57 /* a truncated normal distribution cannot make more keys hot */

enum query_kind { QUERY_FIND, QUERY_PUT, QUERY_DELETE, QUERY_KINDS };
enum query_answer {
  QUERY_FOUND, /* find: present, with its value; put: was present, and has the new value; delete: was present */
  QUERY_NEW,   /* put: was absent */
  QUERY_NONE   /* find, delete: absent */
};

/* `hot`: 1, or above 0 up to QUERY_HOTTEST. `updates`: part of the queries that are puts and deletes, 0 to 1, in
   fiftieths. False: invalid arguments. */
bool queries_init(uint64_t pairs, double hot, double updates, uint64_t seed, struct queries *out);

uint64_t query_key(uint64_t number);                        /* a bijection: no key is 0 or has all bits set */
uint64_t query_value(uint64_t number, unsigned version);    /* version 0 to 15; 0 is that of the data set */
double queries_share(const struct queries *q, double part); /* part of the queries for that hottest part of the keys */

/* Queries as arrays of the caller, all of the same length. */
struct query_list {
  uint64_t *numbers, *keys, *values; /* values: of puts, else 0 */
  uint8_t *kinds;
};
/* Writes the n queries from `first` on, both multiples of QUERY_BLOCK, to `out`. */
void queries_make(const struct queries *q, uint64_t first, size_t n, const struct query_list *out);

/* Puts that restore the keys deleted before `end` and not yet restored: queries_unpaired(q) of them. Afterwards all
   pairs are present, of any version. */
size_t queries_unpaired(const struct queries *q);
void queries_make_unpaired(const struct queries *q, uint64_t end, const struct query_list *out);

/* ---- verification ---------------------------------------------------------------------------- */

struct query_counts {
  uint64_t found, absent;    /* of finds */
  uint64_t fresh, replaced;  /* of puts */
  uint64_t deleted, nothing; /* of deletes */
  uint64_t wrong;            /* of all */
};

/* The answers of a map to the n queries of a list; values: of finds, read if the answer is QUERY_FOUND. */
struct query_answers {
  const uint8_t *answers;
  const uint64_t *values;
  size_t n;
};

/* Verifies the answers in order against a map that has all pairs in the beginning: present[number] is 0 then;
   afterwards it is the version of that number, or QUERY_ABSENT. Covers part `part` of `parts` of the numbers; parts may
   run concurrently. Adds to `out`. */
enum { QUERY_ABSENT = 255 };
void queries_verify(const struct query_list *list, const struct query_answers *answers, uint8_t *present, unsigned part,
                    unsigned parts, struct query_counts *out);

#ifdef __cplusplus
}
#endif

#endif
