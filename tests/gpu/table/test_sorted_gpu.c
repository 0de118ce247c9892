/* find-or-put by sorting in cuckoo tables on a GPU, against the host's. 77: there is no GPU, or no sort module. */
#include "gpu/table/sorted_find_or_put.h"

#include "core/diag.h"
#include "gpu/jit/gpu_api.h"

#include "floe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 1 << 20, TIMES = 5 };

static floe_log *messages;
static int failures;

static void must(floe_status status, const char *what) {
  if (status == FLOE_OK)
    return;
  printf("%s: status %d\n", what, (int)status);
  for (size_t i = 0; i < floe_log_count(messages); i++)
    printf("  %s\n", floe_log_at(messages, i)->message);
  exit(99);
}

static void expect(const char *what, uint64_t got, uint64_t wanted) {
  if (got == wanted)
    return;
  printf("%s: %" PRIu64 ", not %" PRIu64 "\n", what, got, wanted);
  failures++;
}

static void check_table(struct gpu_table *table, uint64_t keys) {
  struct table *host;
  must(gpu_table_download(table, &host), "download");
  expect("keys in the table", table_count(host), keys);
  expect("wrong slots", table_check(host), 0);
  table_free(host);
}

static void check_answers(struct gpu_bench_kernels *tools, gpu_address answers, uint64_t put) {
  struct gpu_answers said;
  must(gpu_answers_count(tools, answers, KEYS, &said), "count");
  expect("put", said.put, put);
  expect("found", said.found, KEYS - put);
  expect("without a place", said.full, 0);
}

/* Each key five times, into an empty table; then the same and as many others; in 32 and in 64 bits. */
static void check(struct gpu *gpu, const struct gpu_sorted *sorted, unsigned slot_bits) {
  const struct table_config config = {.scheme = "cuckoo", .key_bits = 40, .slots = KEYS / 2, .slot_bits = slot_bits};
  struct gpu_keys what = {.key_bits = 40, .count = KEYS / TIMES, .seed = 3};
  struct gpu_table *table;
  struct gpu_bench_kernels *tools;
  gpu_address keys, answers;
  must(gpu_table_create(gpu, &config, GPU_TABLE_ON_DEVICE, NULL, messages, &table), "table");
  must(gpu_bench_kernels_create(gpu, NULL, messages, &tools), "tools");
  must(gpu_alloc(gpu, KEYS * sizeof(uint64_t), &keys), "keys");
  must(gpu_alloc(gpu, KEYS, &answers), "answers");
  must(gpu_keys_make(tools, &what, keys, KEYS), "making keys");
  must(gpu_sorted_find_or_put(sorted, table, keys, KEYS, answers), "find-or-put");
  check_answers(tools, answers, KEYS / TIMES);
  check_table(table, KEYS / TIMES);
  what.count = 2 * (KEYS / TIMES);
  must(gpu_keys_make(tools, &what, keys, KEYS), "making keys");
  must(gpu_sorted_find_or_put(sorted, table, keys, KEYS, answers), "find-or-put");
  check_answers(tools, answers, KEYS / TIMES);
  check_table(table, 2 * (KEYS / TIMES));
  gpu_free(gpu, keys);
  gpu_free(gpu, answers);
  gpu_bench_kernels_free(tools);
  gpu_table_free(table);
  printf("slots of %u bits: %s\n", slot_bits, failures ? "FAILED" : "ok");
}

static int run(struct gpu *gpu) {
  struct gpu_sorted sorted;
  struct reason reason = {{0}};
  if (gpu_sorted_create(gpu, 40, KEYS, &sorted, &reason) != FLOE_OK) {
    printf("skipped: %s\n", reason.text);
    return 77;
  }
  check(gpu, &sorted, 32);
  check(gpu, &sorted, 64);
  gpu_sorted_free(&sorted);
  return failures != 0;
}

int main(void) {
  struct reason reason;
  struct gpu *gpu;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (floe_log_create(&messages) != FLOE_OK)
    return 99;
  int code = 77;
  if (gpu_acquire(0, NULL, messages, &gpu, &reason) == FLOE_OK) {
    code = run(gpu);
    gpu_release(gpu);
  } else {
    printf("skipped: %s\n", reason.text);
  }
  floe_log_free(messages);
  return code;
}
