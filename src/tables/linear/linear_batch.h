/* Linear probing on the CPU: operations on many keys, with the scan form and the target options of the file that
   includes this. That file sets LINEAR_OPERATIONS (name of the constant) and SIMD_NAME. */
#include "tables/key_batch.h"
#include "tables/linear/linear.h"

#include <string.h>

/* ---- batches ------------------------------------------------------------------------------------- */

KERNEL_FN void ask_for(const struct linear *table, uint64_t at, struct linear_form f) {
  KERNEL_PREFETCH((const char *)table->slots + at * ((f.slot_bits + f.value_bits) / 8));
}

/* Starts the searches of the next group of keys, and asks for the memory that they begin in; returns how many. */
KERNEL_FN unsigned begin_group(const struct linear *table, const uint64_t *keys, size_t left,
                               struct linear_search *searches, struct linear_form f) {
  uint64_t permuted[GROUP], padded[GROUP];
  const unsigned n = left < GROUP ? (unsigned)left : (unsigned)GROUP;
  if (n < GROUP) {
    memset(padded, 0, sizeof padded);
    memcpy(padded, keys, n * sizeof *keys);
  }
  permute_group(&table->permutation, n < GROUP ? padded : keys, permuted, n);
  for (unsigned i = 0; i < n; i++) {
    searches[i] = linear_begin(table, keys[i], permuted[i], f.slot_bits);
    ask_for(table, searches[i].at, f);
  }
  return n;
}

/* While a group is worked on, memory fetches what the next one needs. (120 MB filled to 0.7, one thread: find-or-put
   with every key five times 22 instead of 17 M/s, find of present keys 33 instead of 26, of absent ones 10.5 instead
   of 6.2.) */
KERNEL_FN size_t answer_batch(const struct linear *table, const uint64_t *keys, uint64_t *values, size_t n,
                              uint8_t *answers, struct linear_form f, unsigned work) {
  struct linear_search searches[2][GROUP];
  uint64_t no_value = 0;
  size_t full = 0;
  unsigned now = begin_group(table, keys, n, searches[0], f), turn = 0;
  for (size_t at = 0; at < n; at += GROUP, turn ^= 1) {
    const unsigned next =
        at + GROUP < n ? begin_group(table, keys + at + GROUP, n - at - GROUP, searches[turn ^ 1], f) : 0;
    for (unsigned i = 0; i < now; i++) {
      const unsigned answer = linear_answer(table, searches[turn][i], values ? &values[at + i] : &no_value, f, work);
      answers[at + i] = (uint8_t)answer;
      full += answer == LINEAR_FULL;
    }
    now = next;
  }
  return full;
}

/* ---- operations, specialised ---------------------------------------------------------------------- */

KERNEL_FN size_t run_form(const struct linear *view, enum table_operation operation, const uint64_t *keys,
                          uint64_t *values, size_t n, uint8_t *answers, struct linear_form f) {
  switch (operation) {
  case TABLE_FIND:
    return answer_batch(view, keys, NULL, n, answers, f, LINEAR_DO_FIND);
  case TABLE_FIND_OR_PUT:
  case TABLE_PUT_NEW:
    return answer_batch(view, keys, values, n, answers, f, LINEAR_DO_PUT);
  case TABLE_DELETE:
    return answer_batch(view, keys, NULL, n, answers, f, LINEAR_DO_DELETE);
  case TABLE_GET:
    return answer_batch(view, keys, values, n, answers, f, LINEAR_DO_GET);
  default:
    return answer_batch(view, keys, values, n, answers, f, LINEAR_DO_ADD);
  }
}

static size_t run_set(const struct linear *view, enum table_operation operation, const uint64_t *keys, size_t n,
                      uint8_t *answers, struct linear_form form) {
  const struct linear_form f32 = {.slot_bits = 32}, f64 = {.slot_bits = 64};
  return form.slot_bits == 32 ? run_form(view, operation, keys, NULL, n, answers, f32)
                              : run_form(view, operation, keys, NULL, n, answers, f64);
}

static size_t run_map(const struct linear *view, enum table_operation operation, const uint64_t *keys, uint64_t *values,
                      size_t n, uint8_t *answers, struct linear_form form) {
  const struct linear_form f32 = {.slot_bits = 32, .value_bits = 32, .reduction = form.reduction};
  const struct linear_form f64 = {.slot_bits = 64, .value_bits = 64, .reduction = form.reduction};
  return form.value_bits == 32 ? run_form(view, operation, keys, values, n, answers, f32)
                               : run_form(view, operation, keys, values, n, answers, f64);
}

static size_t run(const struct linear *view, enum table_operation operation, struct linear_form form,
                  const uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers) {
  return form.value_bits ? run_map(view, operation, keys, values, n, answers, form)
                         : run_set(view, operation, keys, n, answers, form);
}

const struct linear_operations LINEAR_OPERATIONS = {SIMD_NAME, run};
