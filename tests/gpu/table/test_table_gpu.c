/* The table alone on a GPU.
     test_table_gpu            every layout: find-or-put with keys that come many times, in small and large tables, up
   to the last place; the table is copied back and checked on the host test_table_gpu bench [N]  rates of put, find and
   find-or-put in a table of 2^N (27) primary slots of 16 bits at fill 0.5 to 0.9, as lines of CSV; median of 3 77:
   there is no GPU. */
#include "core/arena.h"
#include "core/mem.h"
#include "gpu/driver/driver.h"
#include "gpu/jit/build.h"
#include "gpu/jit/kernel_text.h"
#include "tables/host_table.h"
#include "tables/iceberg/iceberg.h"
#include "tables/scheme.h"

#include "gpu/kernel/base/control.h"
#include "tests/gpu/table/table_keys_text.h"

#include "floe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 3, FILLS = 4, BENCH_TIMES = 5 };

static struct gpu_driver *driver;
static struct gpu *gpu;
static floe_log *messages;
static int failures;

static void give_up(const char *what) {
  printf("%s\n", what);
  for (size_t i = 0; i < floe_log_count(messages); i++)
    printf("  %s\n", floe_log_at(messages, i)->message);
  exit(99);
}

static void must(floe_status status, const char *what) {
  if (status != FLOE_OK)
    give_up(what);
}

static void expect(bool holds, const char *what) {
  if (holds)
    return;
  printf("  FAILED: %s\n", what);
  failures++;
}

/* ---- a table on the device --------------------------------------------------------------------------- */

struct work {
  struct table *host; /* same shape; its memory receives the copy */
  void *host_memory;
  struct iceberg view; /* on the device */
  gpu_address memory;
  struct gpu_module *module;
  struct gpu_function *find_or_put, *find, *make_keys;
  struct arena arena;
  const char *text;
  gpu_address keys, answers;
  uint64_t n; /* of both */
};

static void write_text(void *data) {
  struct work *work = data;
  const struct gpu_kernel_config config = {.key_bits = work->host->shape.key_bits,
                                           .permutation = iceberg_of(work->host)->view.permutation[0].kind,
                                           .geometry = iceberg_of(work->host)->instance->geometry};
  work->text = gpu_kernel_text(&config, NULL, &work->arena);
}

static void build(struct work *work) {
  if (arena_guard(&work->arena, write_text, work) != 0)
    give_up("no memory");
  const char *const texts[] = {work->text, (const char *)table_keys_text};
  const struct gpu_source source = {.name = "table.cu", .texts = texts, .text_count = 2};
  must(gpu_build(gpu, &source, NULL, messages, &work->module, NULL), "kernels do not build");
  must(gpu_function_find(work->module, "floe_table_find_or_put", &work->find_or_put), "find_or_put");
  must(gpu_function_find(work->module, "floe_table_find", &work->find), "find");
  must(gpu_function_find(work->module, "floe_table_keys", &work->make_keys), "keys");
}

static void *on_device(gpu_address address) { return (void *)(uintptr_t)address; }

static void open_work(struct work *work, const struct table_config *config) {
  memset(work, 0, sizeof *work);
  arena_init(&work->arena);
  must(table_open(config, &work->host), "no such table");
  must(gpu_alloc(gpu, work->host->shape.bytes, &work->memory), "no device memory for the table");
  table_place(work->host, on_device(work->memory), &work->view);
  work->host_memory = pages_alloc(work->host->shape.bytes);
  if (!work->host_memory)
    give_up("no memory");
  table_adopt(work->host, work->host_memory);
  build(work);
}

static void empty(struct work *work) { must(gpu_fill(gpu, work->memory, 0, work->host->shape.bytes), "fill"); }

static void free_keys(struct work *work) {
  gpu_free(gpu, work->keys);
  gpu_free(gpu, work->answers);
  work->keys = work->answers = 0;
}

static void close_work(struct work *work) {
  free_keys(work);
  gpu_module_free(work->module);
  gpu_free(gpu, work->memory);
  pages_free(work->host_memory, work->host->shape.bytes);
  table_free(work->host);
  arena_free(&work->arena);
}

static void launch(struct gpu_function *function, void **arguments) {
  unsigned each;
  must(gpu_occupancy(gpu, function, GPU_BLOCK, 0, &each), "occupancy");
  const struct gpu_launch grid = {.blocks = each * gpu_information(gpu)->multiprocessors, .threads = GPU_BLOCK};
  must(gpu_start(gpu, function, &grid, arguments), "launch");
}

static uint64_t common_divisor(uint64_t a, uint64_t b) { return b ? common_divisor(b, a % b) : a; }

/* Room for n keys, and keys: the numbers from `first` on, `times` each. */
static void make_keys(struct work *work, uint64_t n, uint64_t first, uint64_t times) {
  uint64_t step = n / 2 + n / 9 + 1;
  while (common_divisor(n, step) != 1)
    step++;
  if (!work->keys) {
    must(gpu_alloc(gpu, n * sizeof(uint64_t), &work->keys), "no device memory for keys");
    must(gpu_alloc(gpu, n, &work->answers), "no device memory for answers");
  }
  work->n = n;
  void *arguments[] = {&work->keys, &n, &first, &times, &step};
  launch(work->make_keys, arguments);
}

static void run(struct work *work, struct gpu_function *function) {
  gpu_address values = 0;
  void *arguments[] = {&work->view, &work->keys, &values, &work->n, &work->answers};
  launch(function, arguments);
}

/* ---- is it right? ---------------------------------------------------------------------------------------- */

/* Results. */
struct harvest {
  uint64_t *keys;
  uint8_t *answers, *by_cpu;
  uint64_t put, found, full;
};

static void *take(uint64_t bytes) {
  void *p = malloc(bytes);
  if (!p)
    give_up("no memory");
  return p;
}

static void download_answers(struct work *work, struct harvest *harvest) {
  must(gpu_download(gpu, harvest->answers, work->answers, work->n), "download");
  uint64_t counts[256] = {0};
  for (uint64_t i = 0; i < work->n; i++)
    counts[harvest->answers[i]]++;
  harvest->put = counts[TABLE_PUT];
  harvest->found = counts[TABLE_FOUND];
  harvest->full = counts[TABLE_FULL];
}

static void check_content(struct work *work, struct harvest *harvest, uint64_t distinct) {
  download_answers(work, harvest);
  must(gpu_download(gpu, harvest->keys, work->keys, work->n * sizeof(uint64_t)), "download");
  must(gpu_download(gpu, work->host->memory, work->memory, work->host->shape.bytes), "download");
  expect(harvest->put + harvest->found + harvest->full == work->n, "every key has an answer");
  expect(harvest->put == distinct || harvest->full > 0, "every key is put once");
  expect(table_count(work->host) == harvest->put, "the table has what was put");
  expect(table_check(work->host) == 0, "the table is well-formed");
}

static void check_find(struct work *work, struct harvest *harvest, bool present) {
  run(work, work->find);
  download_answers(work, harvest);
  table_find(work->host, harvest->keys, work->n, harvest->by_cpu);
  expect(memcmp(harvest->answers, harvest->by_cpu, work->n) == 0, "GPU and CPU find the same keys");
  if (!present)
    expect(harvest->found == 0, "absent keys are not found");
}

/* distinct keys, each `times` times. */
static void check_case(struct work *work, uint64_t distinct, uint64_t times) {
  const uint64_t n = distinct * times;
  struct harvest harvest = {take(n * sizeof(uint64_t)), take(n), take(n), 0, 0, 0};
  empty(work);
  make_keys(work, n, 0, times);
  run(work, work->find_or_put);
  check_content(work, &harvest, distinct);
  printf("  %9" PRIu64 " keys x %5" PRIu64 ": %9" PRIu64 " put, %10" PRIu64 " found, %7" PRIu64 " full, fill %.3f\n",
         distinct, times, harvest.put, harvest.found, harvest.full,
         (double)harvest.put / (double)work->host->shape.slots);
  check_find(work, &harvest, true);
  if (distinct <= UINT64_MAX >> (65 - work->host->shape.key_bits)) {
    make_keys(work, n, distinct, times);
    must(gpu_download(gpu, harvest.keys, work->keys, n * sizeof(uint64_t)), "download");
    check_find(work, &harvest, false);
  }
  free_keys(work);
  free(harvest.keys);
  free(harvest.answers);
  free(harvest.by_cpu);
}

struct layout_case {
  unsigned key_bits, slot_bits, bucket_slots;
  uint64_t slots;
  const char *permutation;
};

static const struct layout_case cases[] = {
    {32, 16, 32, 3 << 20, NULL}, {31, 16, 32, 1 << 20, "feistel"}, {31, 16, 16, 1 << 20, NULL},
    {30, 16, 8, 1 << 20, NULL},  {26, 16, 8, 1 << 18, "feistel1"}, {36, 21, 24, 1 << 20, NULL},
    {36, 21, 12, 1 << 20, NULL}, {40, 21, 24, 20 << 20, NULL},     {44, 32, 32, 1 << 20, NULL},
    {44, 32, 16, 1 << 20, NULL}, {40, 32, 8, 1 << 19, NULL},       {50, 64, 16, 1 << 20, "feistel"},
    {64, 64, 32, 1 << 20, NULL}, {63, 64, 8, 1 << 18, NULL},       {64, 64, 8, 1 << 18, NULL},
};

static void check_layout(const struct layout_case *given) {
  const struct table_config config = {.scheme = "iceberg",
                                      .permutation = given->permutation,
                                      .key_bits = given->key_bits,
                                      .slots = given->slots,
                                      .slot_bits = given->slot_bits,
                                      .bucket_slots = given->bucket_slots};
  struct work work;
  open_work(&work, &config);
  const struct table_shape *shape = &work.host->shape;
  printf("keys of %u bits, slots of %u x %u and %u x %u: %" PRIu64 " slots\n", shape->key_bits, shape->slot_bits,
         shape->bucket_slots, shape->second_slot_bits, shape->second_bucket_slots, shape->slots);
  check_case(&work, shape->slots / 10 * 9, 4);
  check_case(&work, shape->slots + shape->slots / 20, 2);
  check_case(&work, 777, 10000);
  close_work(&work);
}

static void check_everything(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_layout(&cases[i]);
  printf("%s\n", failures ? "FAILED" : "all passed");
}

/* ---- how fast is it? --------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Keys per second; with `fresh` the table is emptied before each run. */
static double rate(struct work *work, struct gpu_function *function, bool fresh) {
  struct gpu_event *begin, *end;
  double seconds[REPEATS];
  must(gpu_event_create(gpu, &begin), "event");
  must(gpu_event_create(gpu, &end), "event");
  for (int i = 0; i < REPEATS; i++) {
    if (fresh)
      empty(work);
    must(gpu_event_record(gpu, begin), "event");
    run(work, function);
    must(gpu_event_record(gpu, end), "event");
    must(gpu_event_seconds(gpu, begin, end, &seconds[i]), "event");
  }
  gpu_event_free(gpu, begin);
  gpu_event_free(gpu, end);
  qsort(seconds, REPEATS, sizeof *seconds, by_size);
  return (double)work->n / seconds[REPEATS / 2] / 1e9;
}

static void bench_fill(struct work *work, double fill) {
  const uint64_t n = (uint64_t)(fill * (double)work->host->shape.slots);
  make_keys(work, n, 0, 1);
  const double put = rate(work, work->find_or_put, true);
  struct harvest harvest = {NULL, take(n), NULL, 0, 0, 0};
  download_answers(work, &harvest);
  free(harvest.answers);
  const double present = rate(work, work->find, false);
  make_keys(work, n, n, 1);
  const double absent = rate(work, work->find, false);
  free_keys(work);
  make_keys(work, n * BENCH_TIMES, 0, BENCH_TIMES);
  const double find_or_put = rate(work, work->find_or_put, true);
  free_keys(work);
  printf("%.1f,%" PRIu64 ",%" PRIu64 ",%.2f,%.2f,%.2f,%.2f\n", fill, n, harvest.full, put, present, absent,
         find_or_put);
}

static void bench(unsigned log_slots) {
  static const double fills[FILLS] = {0.5, 0.7, 0.8, 0.9};
  const struct table_config config = {.scheme = "iceberg",
                                      .key_bits = log_slots + 10,
                                      .slot_bits = 16,
                                      .bucket_slots = 32,
                                      .slots = (UINT64_C(9) << log_slots) / 8};
  struct work work;
  open_work(&work, &config);
  const struct table_shape *shape = &work.host->shape;
  printf("# %s; keys of %u bits, slots of %u x %u and %u x %u, %" PRIu64 " slots, %" PRIu64 " MiB; G keys/s\n",
         gpu_information(gpu)->name, shape->key_bits, shape->slot_bits, shape->bucket_slots, shape->second_slot_bits,
         shape->second_bucket_slots, shape->slots, shape->bytes >> 20);
  printf("fill,keys,full,put,find_present,find_absent,find_or_put_%d_times\n", BENCH_TIMES);
  for (int i = 0; i < FILLS; i++)
    bench_fill(&work, fills[i]);
  close_work(&work);
}

int main(int count, char **words) {
  struct reason reason;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (floe_log_create(&messages) != FLOE_OK)
    return 99;
  if (gpu_driver_open(&driver, &reason) != FLOE_OK) {
    printf("skipped: %s\n", reason.text);
    floe_log_free(messages);
    return 77;
  }
  if (gpu_driver_devices(driver) == 0 || gpu_open(driver, 0, messages, &gpu, &reason) != FLOE_OK) {
    printf("skipped: %s\n", gpu_driver_devices(driver) ? reason.text : "no GPU");
    gpu_driver_close(driver);
    floe_log_free(messages);
    return 77;
  }
  if (count > 1 && strcmp(words[1], "bench") == 0)
    bench(count > 2 ? (unsigned)atoi(words[2]) : 27);
  else
    check_everything();
  gpu_close(gpu);
  gpu_driver_close(driver);
  floe_log_free(messages);
  return failures != 0;
}
