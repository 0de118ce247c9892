/* The queries that maps are compared by, floe's and those of other libraries (bench/rivals.cc): find, put and
   delete of 64-bit keys and values in one stream, of which every query follows from its place and the seed alone. And
   what the answers must be. C11 and C++; nothing else of floe is needed. doc/bench.md has the definitions. */
#ifndef FLOE_BENCH_QUERIES_H
#define FLOE_BENCH_QUERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The data set has the pairs of the numbers [0, pairs). A query's number is drawn evenly, or by a normal distribution
   in the middle of them, cut off at both ends. */
struct queries {
  uint64_t pairs;
  double hot;       /* part of the keys that is asked for more often than by even draws; 1: all alike */
  double deviation; /* of the normal distribution, as a part of `pairs`; 0: even draws */
  unsigned changes; /* deletes in QUERY_BLOCK queries, and as many puts; the rest are finds */
  uint64_t seed;
};

enum {
  QUERY_BLOCK = 100, /* queries that have all kinds in their proportion, in any order */
  QUERY_LAG =
      200 /* blocks: a put brings back the key of a delete so long before, so that the data set stays as it is */
};
#define QUERY_HOTTEST 0.57 /* a normal distribution that is cut off makes no more keys hot */

enum query_kind { QUERY_FIND, QUERY_PUT, QUERY_DELETE, QUERY_KINDS };
enum query_answer {
  QUERY_FOUND, /* find: it is there, with its value; put: it was, and has the new value; delete: it was */
  QUERY_NEW,   /* put: it was not there */
  QUERY_NONE   /* find, delete: it was not there */
};

/* `hot`: 1, or above 0 up to QUERY_HOTTEST. `updates`: part of the queries that are puts and deletes, 0 to 1, in
   fiftieths. False: there are no such queries. */
bool queries_init(uint64_t pairs, double hot, double updates, uint64_t seed, struct queries *out);

uint64_t query_key(uint64_t number);                     /* a bijection: no key is 0 or has all bits set */
uint64_t query_value(uint64_t number, unsigned version); /* version 0 to 15; 0 is that of the data set */
double queries_share(const struct queries *q,
                     double part); /* of the queries, of that part of the keys that is hottest */

/* Queries in the arrays of whom it may concern, all of the same length. */
struct query_list {
  uint64_t *numbers, *keys, *values; /* values: of puts, else 0 */
  uint8_t *kinds;
};
/* The n queries from `first` on, both multiples of QUERY_BLOCK, to the begin of `out`. */
void queries_make(const struct queries *q, uint64_t first, size_t n, const struct query_list *out);

/* Puts of what deletes before `end` took away and none brought back yet: queries_unpaired(q) of them. Afterwards all
   pairs are there, of any version. */
size_t queries_unpaired(const struct queries *q);
void queries_make_unpaired(const struct queries *q, uint64_t end, const struct query_list *out);

/* ---- what is right --------------------------------------------------------------------------- */

struct query_counts {
  uint64_t found, absent;    /* of finds */
  uint64_t fresh, replaced;  /* of puts */
  uint64_t deleted, nothing; /* of deletes */
  uint64_t wrong;            /* of all */
};

/* Goes through n queries and their answers in their order, as a map would that has all pairs in the beginning:
   present[number] is 0 then, and is that number's version afterwards, or QUERY_ABSENT. `values` of finds are looked at
   where they were found. Looks at the part-th of `parts` parts of the numbers, which may be done at once; adds to
   `out`. */
enum { QUERY_ABSENT = 255 };
void queries_verify(const struct query_list *list, const uint8_t *answers, const uint64_t *values, size_t n,
                    uint8_t *present, unsigned part, unsigned parts, struct query_counts *out);

#ifdef __cplusplus
}
#endif

#endif
