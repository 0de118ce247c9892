/* The command with deliberately broken tables: it is linked with --wrap=table_run and --wrap=floe_hash_run_mixed, so
   that every call passes through this file.

       FLOE_BROKEN=lost: a present key is not found; twice: a present key gets PUT; silent: a key gets no answer;
       stray: an absent key is found; refuses: a key to put gets FULL; mistaken: a present key is returned for one
   without a place; "": no fault. Each fault occurs sometimes.

   Faults of mixed queries, some time after the first: mixed-lost, mixed-value: a get does not find its key, or has
   another value; mixed-put, mixed-delete: wrong answer of a put, of a delete; mixed-forgets: a put does nothing. */
#include "floe_tables.h"
#include "tables/table.h"

#include <stdlib.h>
#include <string.h>

size_t __real_table_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values, size_t n,
                        uint8_t *answers);
size_t __wrap_table_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values, size_t n,
                        uint8_t *answers);

struct fault {
  const char *name;
  enum table_operation operation;
  uint8_t is, becomes;
};
static const struct fault faults[] = {
    {"lost", TABLE_FIND, TABLE_FOUND, TABLE_FULL},        {"stray", TABLE_FIND, TABLE_FULL, TABLE_FOUND},
    {"twice", TABLE_FIND_OR_PUT, TABLE_FOUND, TABLE_PUT}, {"silent", TABLE_FIND_OR_PUT, TABLE_PUT, 77},
    {"refuses", TABLE_PUT_NEW, TABLE_PUT, TABLE_FULL},    {"refuses", TABLE_FIND_OR_PUT, TABLE_PUT, TABLE_FULL},
    {"refuses", TABLE_ADD, TABLE_PUT, TABLE_FULL},
};

static const struct fault *fault_of(enum table_operation operation) {
  const char *name = getenv("FLOE_BROKEN");
  for (size_t i = 0; name && i < sizeof faults / sizeof *faults; i++)
    if (strcmp(name, faults[i].name) == 0 && faults[i].operation == operation)
      return &faults[i];
  return NULL;
}

static void mistake(uint64_t *keys, size_t n, const uint8_t *answers) {
  const uint8_t *put = memchr(answers, TABLE_PUT, n), *full = memchr(answers, TABLE_FULL, n);
  if (put && full)
    keys[full - answers] = keys[put - answers];
}

size_t __wrap_table_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values, size_t n,
                        uint8_t *answers) {
  size_t full = __real_table_run(table, operation, keys, values, n, answers);
  const struct fault *fault = fault_of(operation);
  const char *name = getenv("FLOE_BROKEN");
  if (name && strcmp(name, "mistaken") == 0 && operation == TABLE_PUT_NEW)
    mistake(keys, n, answers);
  for (size_t i = 0; fault && i < n; i++)
    if (answers[i] == fault->is && keys[i] % 101 == 0) {
      answers[i] = fault->becomes;
      break;
    }
  return full;
}

floe_status __real_floe_hash_run_mixed(floe_hash_table *table, const uint8_t *operations, uint64_t *keys,
                                       uint64_t *values, size_t n, uint8_t *answers, size_t *full);
floe_status __wrap_floe_hash_run_mixed(floe_hash_table *table, const uint8_t *operations, uint64_t *keys,
                                       uint64_t *values, size_t n, uint8_t *answers, size_t *full);

static const struct mixed_fault {
  const char *name;
  floe_hash_operation operation;
  uint8_t is, becomes;
} mixed_faults[] = {
    {"mixed-lost", FLOE_HASH_GET, FLOE_HASH_FOUND, FLOE_HASH_NONE},
    {"mixed-value", FLOE_HASH_GET, FLOE_HASH_FOUND, FLOE_HASH_FOUND},
    {"mixed-put", FLOE_HASH_PUT, FLOE_HASH_NEW, FLOE_HASH_FOUND},
    {"mixed-delete", FLOE_HASH_DELETE, FLOE_HASH_FOUND, FLOE_HASH_NONE},
    {"mixed-forgets", FLOE_HASH_PUT, FLOE_HASH_NEW, FLOE_HASH_NEW},
};

struct mixed_call {
  const uint8_t *operations;
  uint64_t *keys, *values;
  size_t n;
  uint8_t *answers;
};

/* At the last operation where it is possible. */
static void break_one(const struct mixed_fault *fault, floe_hash_table *table, const struct mixed_call *call) {
  for (size_t i = call->n; i-- > 0;) {
    if (call->operations[i] != fault->operation || call->answers[i] != fault->is)
      continue;
    call->answers[i] = fault->becomes;
    if (strcmp(fault->name, "mixed-value") == 0)
      call->values[i]++;
    if (strcmp(fault->name, "mixed-forgets") == 0) {
      uint8_t operation = FLOE_HASH_DELETE, answer;
      __real_floe_hash_run_mixed(table, &operation, &call->keys[i], NULL, 1, &answer, NULL);
    }
    return;
  }
}

floe_status __wrap_floe_hash_run_mixed(floe_hash_table *table, const uint8_t *operations, uint64_t *keys,
                                       uint64_t *values, size_t n, uint8_t *answers, size_t *full) {
  const char *name = getenv("FLOE_BROKEN");
  const floe_status status = __real_floe_hash_run_mixed(table, operations, keys, values, n, answers, full);
  const struct mixed_call call = {operations, keys, values, n, answers};
  for (size_t i = 0; name && i < sizeof mixed_faults / sizeof *mixed_faults; i++)
    if (strcmp(name, mixed_faults[i].name) == 0)
      break_one(&mixed_faults[i], table, &call);
  return status;
}
