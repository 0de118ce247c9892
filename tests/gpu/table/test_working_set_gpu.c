/* Working-set tables with their first level on a GPU, by the public interface alone: random programs beside the model,
   and large ones beside the CPU's. test_working_set_gpu             all of that test_working_set_gpu small       little
   of it, for tools that take long test_working_set_gpu measure [PAIRS] instead, what a batch costs: M operations a
   second by batch and by how many keys are in the first level, arrays of the host, with what the time goes to 77: there
   is no GPU. */
#define _GNU_SOURCE
#include "base/splitmix64.h"
#include "tests/tables/working_set/working_set_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static floe_log *told;

/* Searching a long log takes long. */
static size_t most_for(const char *variant) {
  return strcmp(variant, "log") == 0 || strcmp(variant, "s") == 0 ? 3000000 : 100000;
}

static int test(bool all) {
  const struct working_set_settings settings = {
      .log = told, .engine = FLOE_ENGINE_GPU, .seeds = all ? 2 : 1, .calls = all ? 60 : 3, .tells = true};
  const struct working_set_settings large = {.log = told, .engine = FLOE_ENGINE_GPU, .calls = 5, .tells = true};
  int failures = 0;
  for (size_t i = 0; floe_hash_variant(i); i++) {
    const size_t most = most_for(floe_hash_variant(i));
    failures += working_set_run(&settings, floe_hash_variant(i));
    if (!all)
      continue;
    failures += working_set_compare(&large, floe_hash_variant(i), most, 30000);
    failures += working_set_compare(&large, floe_hash_variant(i), most + most / 3, most);
  }
  for (size_t i = 0; i < floe_log_count(told); i++)
    printf("%s\n", floe_log_at(told, i)->message);
  return failures != 0;
}

/* ---- measuring ----------------------------------------------------------------------------------- */

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t key_of(uint64_t number) { return number * UINT64_C(0x9e3779b97f4a7c15); }

struct load {
  uint64_t pairs, recent;
  size_t batch, n;
  unsigned hot; /* of 100 operations use half as many keys as the device level has; the others use all */
  unsigned puts;
};

static void must(floe_status status) {
  if (status == FLOE_OK)
    return;
  printf("%s: %s\n", floe_status_name(status), floe_log_count(told) ? floe_log_at(told, 0)->message : "");
  exit(1);
}

static void fill(floe_hash_table *table, uint64_t pairs, uint64_t *keys, uint8_t *answers, size_t room) {
  for (uint64_t at = 0; at < pairs; at += room) {
    const size_t n = pairs - at < room ? (size_t)(pairs - at) : room;
    for (size_t i = 0; i < n; i++)
      keys[i] = key_of(at + i);
    must(floe_hash_run(table, FLOE_HASH_PUT, keys, NULL, n, answers, NULL));
  }
}

static void draw(const struct load *load, uint8_t *operations, uint64_t *keys, uint64_t *random) {
  for (size_t i = 0; i < load->n; i++) {
    const bool hot = splitmix64_next(random) % 100 < load->hot;
    operations[i] = splitmix64_next(random) % 100 < load->puts ? FLOE_HASH_PUT : FLOE_HASH_GET;
    keys[i] = key_of(splitmix64_next(random) % (hot ? load->recent / 2 : load->pairs));
  }
}

static bool timed; /* a second run measures where time is spent */

static floe_hash_table *table_for(const struct load *load, const char *variant) {
  floe_hash_options options;
  floe_hash_table *table;
  floe_hash_options_init(&options);
  options.scheme = "working-set";
  options.value_bits = 64;
  options.slots = load->recent + load->pairs * 10 / 9;
  options.recent_slots = load->recent;
  options.batch = load->batch;
  options.variant = variant;
  options.engine = FLOE_ENGINE_GPU;
  options.trusted = true;
  options.timed = timed;
  must(floe_hash_create(&options, told, &table));
  return table;
}

static void measure(const struct load *load, const char *variant) {
  floe_hash_table *table = table_for(load, variant);
  uint64_t *keys = malloc(load->n * sizeof *keys), *values = calloc(load->n, sizeof *values), random = 1;
  uint8_t *operations = malloc(load->n), *answers = malloc(load->n);
  floe_hash_traffic before, after;
  double best = 0;
  if (!keys || !values || !operations || !answers)
    exit(1);
  fill(table, load->pairs, keys, answers, load->n);
  for (int i = 0; i < 4; i++) { /* the first one warms up */
    draw(load, operations, keys, &random);
    must(floe_hash_traffic_of(table, &before));
    const double begun = seconds();
    must(floe_hash_run_mixed(table, operations, keys, values, load->n, answers, NULL));
    const double rate = (double)load->n / (seconds() - begun) / 1e6;
    best = i && rate > best ? rate : best;
  }
  must(floe_hash_traffic_of(table, &after));
  const double n = (double)(after.batches - before.batches);
  printf("%-5s batch %7zu, %3u %% hot, %2u %% puts: %8.1f M/s; a batch: %7.1f us, of them waited %7.1f, second level "
         "%7.1f "
         "(beside %6.1f), kernels %7.1f, copies %7.1f, asked %8.0f, up %8.0f, down %8.0f\n",
         variant, load->batch, load->hot, load->puts, best, (after.seconds - before.seconds) / n * 1e6,
         (after.waited_seconds - before.waited_seconds) / n * 1e6,
         (after.second_seconds - before.second_seconds) / n * 1e6,
         (after.beside_seconds - before.beside_seconds) / n * 1e6,
         (after.kernel_seconds - before.kernel_seconds) / n * 1e6, (after.copy_seconds - before.copy_seconds) / n * 1e6,
         (double)(after.asked - before.asked) / n, (double)(after.moved_up - before.moved_up) / n,
         (double)(after.moved_down - before.moved_down) / n);
  floe_hash_free(table);
  free(keys);
  free(values);
  free(operations);
  free(answers);
}

static int measure_all(uint64_t pairs) {
  static const size_t batches[] = {8192, 32768, 131072, 1048576};
  static const unsigned hots[] = {100, 90, 0};
  for (size_t b = 0; b < sizeof batches / sizeof *batches; b++)
    for (size_t h = 0; h < 2 * sizeof hots / sizeof *hots; h++) {
      timed = h % 2;
      measure(&(struct load){pairs, pairs / 8, batches[b], 1 << 22, hots[h / 2], 20}, "log");
    }
  for (size_t i = 1; floe_hash_variant(i); i++)
    measure(&(struct load){pairs, 1 << 20, 8192, 1 << 19, 90, 20}, floe_hash_variant(i));
  measure(&(struct load){pairs, 1 << 20, 8192, 1 << 19, 90, 20}, "log");
  return 0;
}

static int run(int count, char **words) {
  if (count > 1 && strcmp(words[1], "measure") == 0)
    return measure_all(count > 2 ? strtoull(words[2], NULL, 10) : UINT64_C(1) << 25);
  return test(count == 1);
}

int main(int count, char **words) {
  floe_devices *devices;
  int code = 77;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (floe_devices_create(&devices) != FLOE_OK || floe_log_create(&told) != FLOE_OK)
    return 99;
  if (floe_devices_gpus(devices) == 0)
    printf("skipped: %s\n", floe_devices_no_gpu(devices));
  else if (*floe_devices_gpu(devices, 0).why_not)
    printf("skipped: %s\n", floe_devices_gpu(devices, 0).why_not);
  else
    code = run(count, words);
  floe_log_free(told);
  floe_devices_free(devices);
  return code;
}
