/* The code that is compiled for each model is small: NVRTC's time depends on the amount of machine code. The kernels
   beside the exploration contain the search through the table only once. Needs NVRTC, not a GPU. */
#include "config.h"

#include "cubin.h"
#include "tests/step/loaded.h"
#include "tests/suite.h"

#include "core/mem.h"
#include "gpu/jit/kernel_text.h"
#include "gpu/jit/nvrtc.h"
#include "step/stepper.h"
#include "tables/table.h"

#include <stdio.h>
#include <stdlib.h>

/* With CUDA 13.0: 12,160 and 22,528 bytes, beside 39,168 of floe_explore. With lookups by warps, as in an
   exploration, floe_insert had 45,696, and floe_rehash with four such places 66,432. */
enum { ARCHITECTURE = 90, MOST_INSERT = 24 << 10, MOST_REHASH = 40 << 10 };

static struct nvrtc *nvrtc;

static struct gpu_kernel_config config_for(unsigned key_bits) {
  const struct table_config table = {.key_bits = key_bits, .slots = 1 << 27};
  struct table_shape shape;
  ck_assert_int_eq(table_plan(&table, &shape), FLOE_OK);
  return (struct gpu_kernel_config){
      .key_bits = key_bits,
      .permutation = PERMUTATION_MIX,
      .geometry = {shape.slot_bits, shape.bucket_slots, shape.second_slot_bits, shape.second_bucket_slots}};
}

static const void *compile(const char *text, struct arena *arena) {
  const struct nvrtc_source source = {.name = "size", .text = text};
  struct nvrtc_result result = {.log = ""};
  floe_status status = nvrtc_compile(nvrtc, &source, ARCHITECTURE, arena, &result);
  ck_assert_msg(status == FLOE_OK, "%s", result.log);
  return result.cubin;
}

static void measure(void *data) {
  struct loaded *loaded = data;
  struct arena *arena = &loaded->arena;
  const struct gpu_kernel_config config = config_for(loaded->layout->bits);
  const char *code;
  ck_assert_int_eq(codegen_text(loaded->model, loaded->layout, CODEGEN_GPU, NULL, arena, &code), FLOE_OK);
  const void *explores = compile(gpu_kernel_text(&config, code, arena), arena);
  const void *moves = compile(gpu_kernel_rehash_text(&config, arena), arena);
  const size_t explore = cubin_bytes(explores, "floe_explore");
  const size_t insert = cubin_bytes(explores, "floe_insert");
  const size_t rehash = cubin_bytes(moves, "floe_rehash");
  printf("floe_explore %zu bytes, floe_insert %zu, floe_rehash %zu\n", explore, insert, rehash);
  ck_assert_uint_gt(insert, 0);
  ck_assert_uint_gt(rehash, 0);
  ck_assert_uint_lt(insert, MOST_INSERT);
  ck_assert_uint_lt(rehash, MOST_REHASH);
  ck_assert_uint_lt(2 * insert, explore);
}

START_TEST(kernels_beside_the_exploration_are_small) {
  char path[4096];
  struct loaded loaded;
  snprintf(path, sizeof path, "%s/models/counters.xml", getenv("top_srcdir"));
  ck_assert_msg(loaded_from_file(&loaded, path, NULL, 0), "%s: %s", path, loaded_message(&loaded));
  ck_assert_int_eq(arena_guard(&loaded.arena, measure, &loaded), 0);
  loaded_free(&loaded);
}
END_TEST

int main(void) {
  struct reason why;
  if (!getenv("top_srcdir")) {
    puts("top_srcdir is not set");
    return 99;
  }
  if (nvrtc_open(0, &nvrtc, &why) != FLOE_OK || nvrtc_target(nvrtc, ARCHITECTURE) != ARCHITECTURE) {
    puts("skipped: no NVRTC that compiles for compute capability 9.0");
    return 77;
  }
  const int failed = run_tests("kernel size", CK_NOFORK, kernels_beside_the_exploration_are_small);
  nvrtc_close(nvrtc);
  return suite_end(failed);
}
