/* Every table on a GPU against a reference (table_suite.c).
     test_tables_gpu [small] [SCHEME]     small: tables so small that compute-sanitizer takes seconds
   77: there is no GPU. */
#include "table_suite.h"

#include "gpu/jit/gpu_api.h"

#include "floe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct suite_settings usual = {.slots = 1 << 20, .few_slots = 20000, .footprint = 1 << 26, .all = true};
static const struct suite_settings small = {.slots = 3000, .few_slots = 600, .footprint = 1 << 16, .all = true};

static int run(struct gpu *gpu, floe_log *log, int count, char **words) {
  struct suite_settings settings = usual;
  char title[300];
  if (count > 1 && strcmp(words[1], "small") == 0) {
    settings = small;
    count--;
    words++;
  }
  settings.gpu = gpu;
  settings.log = log;
  settings.cache_dir = getenv("FLOE_CACHE_DIR");
  settings.only = count > 1 ? words[1] : NULL;
  gpu_title(gpu, title, sizeof title);
  puts(title);
  const int failures = table_suite_run(&settings);
  printf("%d failures\n", failures);
  return failures != 0;
}

int main(int count, char **words) {
  struct reason reason;
  struct gpu *gpu;
  floe_log *log;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (floe_log_create(&log) != FLOE_OK)
    return 99;
  int code = 77;
  if (gpu_acquire(0, NULL, log, &gpu, &reason) == FLOE_OK) {
    code = run(gpu, log, count, words);
    gpu_release(gpu);
  } else {
    printf("skipped: %s\n", reason.text);
  }
  floe_log_free(log);
  return code;
}
