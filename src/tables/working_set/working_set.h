/* A map in two levels (floe_hash_run_mixed in floe_tables.h says what it does): the first one, recent_level.h, has the pairs
   used last, the second one, host_level.h, the rest. Choudhury and Purini, "Heterogeneous (CPU+GPU) Working-set Hash Tables",
   2016; doc/design.md tells where this departs from it. */
#ifndef FLOE_WORKSET_H
#define FLOE_WORKSET_H

#include "tables/working_set/host_level.h"
#include "tables/working_set/recent_level.h"

/* How a GPU has the first level. (The host has it in one form.) */
enum workset_form {
  WORKSET_LOG,     /* a log of the pairs used, with holes, and a hash table of places in it */
  WORKSET_INDEXED, /* a list that is packed after each batch, and such a hash table */
  WORKSET_SEARCHED /* the list, all of which is searched for each batch */
};

/* Which levels a table is made of: ours, and the designs of the paper. */
struct workset_variant {
  const char *name;
  enum workset_form form;
  const struct back_kind *back;
  bool serial; /* the second level is one thread's */
};
/* The i-th, the default one first; NULL after the last. */
const struct workset_variant *workset_variant_at(size_t i);
const struct workset_variant *workset_variant_find(const char *name); /* NULL: the default one. NULL: there is none */

struct workset_config {
  const struct workset_variant *variant;
  const struct front_kind *front; /* of the machine */
  void *machine;                  /* for front->create */
  uint64_t recent, rest;          /* pairs of each level */
  size_t batch;
  bool timed; /* front_config.timed */
  unsigned threads;
  uint64_t seed;
};

struct workset;

/* FLOE_ERROR_MEMORY: not told. Others come from the machine. */
floe_status workset_create(const struct workset_config *config, struct workset **out);
void workset_free(struct workset *set); /* NULL is allowed */
uint64_t workset_bytes(const struct workset_config *config);

/* As floe_hash_run_mixed; n is any number, and the operations are those of struct workset_batch. */
struct workset_queries {
  const uint8_t *operations; /* NULL: all are `operation` */
  uint8_t operation;
  uint64_t *keys, *values; /* values NULL: none */
  uint8_t *answers;
  size_t n;
};
floe_status workset_run(struct workset *set, const struct workset_queries *queries, uint64_t *full);

struct workset_traffic {
  uint64_t batches, operations, asked, moved_up, moved_down;
  double seconds, waited, second, beside;
  struct front_times first;
};
struct workset_traffic workset_traffic(const struct workset *set);

/* These put what is on its way into its level before. */
floe_status workset_count(struct workset *set, uint64_t used[2]); /* of the levels */
floe_status workset_clear(struct workset *set, uint64_t seed);
floe_status workset_each(struct workset *set, unsigned part, unsigned parts, workset_visit *visit, void *user);
floe_status workset_check(struct workset *set, uint64_t *wrong);
/* Everything of `from` into the empty `to`, in its order of use; `from` is unchanged. *left: pairs without a place. */
floe_status workset_move(struct workset *from, struct workset *to, uint64_t *left);

#endif
