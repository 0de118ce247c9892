/* A table of any scheme beside a model, a list of pairs: random operations in one thread, each answer compared, then
   content, statistics and moves to other tables. Also lists the layouts of a scheme. */
#ifndef FLOE_TESTS_TABLES_TABLE_MODEL_H
#define FLOE_TESTS_TABLES_TABLE_MODEL_H

#include "table_suite.h"

struct table_model {
  struct table *table;
  struct table_config config;
  struct reference keys; /* all keys that were ever given */
  uint64_t *values;      /* by slot of `keys` */
  uint8_t *present;      /* by slot of `keys` */
  uint64_t count;        /* present keys */
  uint64_t distinct;     /* operations use so many keys at most */
  uint64_t deleted, refused, wrong, random;
};

/* An empty table, and `keys_per_slot` keys for it. */
struct table_model table_model_create(const struct table_config *config, double keys_per_slot);
void table_model_free(struct table_model *model);
/* Random calls of all operations that the table has, also find-or-put by sorting, at least `n` operations in total;
 * counts wrong answers. */
void table_model_operate(struct table_model *model, uint64_t n);
/* One call with these keys; their values, or NULL. At most 96 keys; for TABLE_PUT_NEW different absent ones. */
void table_model_call(struct table_model *model, enum table_operation operation, const uint64_t *keys,
                      const uint64_t *values, size_t n);
/* Fails unless all answers were right and the table has exactly the pairs of the model. */
void table_model_check(struct table_model *model);
/* All keys move, in parts, to a new table, which then has the same content. */
void table_model_move(struct table_model *model, const struct table_config *to);

/* All of these, with moves to larger tables, a smaller one, and a copy of the memory. Returns the number of FULL. */
uint64_t check_beside_model(const struct table_config *config, double keys_per_slot);

/* Calls `check` for every layout of config->scheme for config->key_bits with about `slots` slots: widths of slots,
   bucket sizes, numbers of hash functions; sets and maps. Returns the number of layouts. */
unsigned each_layout(struct table_config config, uint64_t slots, void (*check)(const struct table_config *config));

#endif
