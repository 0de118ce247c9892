/* The command with a table that is broken: it is linked with --wrap=table_run, so that every call comes here first.
   FLOE_BROKEN=lost: a key that is there is not found; twice: a key that is there is put again, by its answer;
   silent: a key gets no answer; stray: one that is absent is found; refuses: one that is put has no place, by its
   answer; mistaken: a key that is in the table comes back for one that has no place; "": nothing. Each once in a while.
 */
#include "table/table.h"

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
