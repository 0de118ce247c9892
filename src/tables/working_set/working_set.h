/* Working-set table: a map in two levels (see floe_hash_run_mixed in floe_tables.h). The recent level
   (recent_level.h) has the pairs used last, the host level (host_level.h) the rest. Choudhury and Purini,
   "Heterogeneous (CPU+GPU) Working-set Hash Tables", 2016; doc/design/tables.md describes the departures. */
#ifndef FLOE_TABLES_WORKING_SET_WORKING_SET_H
#define FLOE_TABLES_WORKING_SET_WORKING_SET_H

#include "tables/working_set/host_level.h"
#include "tables/working_set/recent_level.h"

/* Data structure of the recent level on a GPU. The host has only one. */
enum workset_form {
  WORKSET_LOG,     /* log of the pairs used, with holes, and a hash table of places in it */
  WORKSET_INDEXED, /* list that is compacted after each batch, with such a hash table */
  WORKSET_SEARCHED /* the list, searched as a whole for each batch */
};

/* The levels of a table: floe's own, and the designs of the paper. */
struct workset_variant {
  const char *name;
  enum workset_form form;
  const struct host_level_kind *host_level;
  bool serial; /* the host level uses one thread */
};
/* The i-th variant, the default one first; NULL after the last. */
const struct workset_variant *workset_variant_at(size_t i);
const struct workset_variant *
workset_variant_find(const char *name); /* NULL: the default one. Returns NULL if there is none of that name */

struct workset_config {
  const struct workset_variant *variant;
  const struct recent_level_kind *recent_level; /* kind for the device */
  void *device;                                 /* for create */
  uint64_t recent, rest;                        /* pairs of each level */
  size_t batch;
  bool timed; /* recent_level_config.timed */
  unsigned threads;
  uint64_t seed;
};

struct workset;

/* FLOE_ERROR_MEMORY: not logged. Other errors come from the device. */
floe_status workset_create(const struct workset_config *config, struct workset **out);
void workset_free(struct workset *set); /* NULL is allowed */
uint64_t workset_bytes(const struct workset_config *config);

/* As floe_hash_run_mixed; n is any number; operations as in struct workset_batch. */
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
  struct recent_level_times first;
};
struct workset_traffic workset_traffic(const struct workset *set);

/* These functions first put evicted pairs into the host level. */
floe_status workset_count(struct workset *set, uint64_t used[2]); /* of each level */
floe_status workset_clear(struct workset *set, uint64_t seed);
floe_status workset_each(struct workset *set, unsigned part, unsigned parts, workset_visit *visit, void *user);
floe_status workset_check(struct workset *set, uint64_t *wrong);
/* Moves all pairs of `from` into the empty `to`, in order of use; `from` is unchanged. *left: pairs without a place. */
floe_status workset_move(struct workset *from, struct workset *to, uint64_t *left);

#endif
