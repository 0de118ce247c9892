/* The kernels of all tables alone, and those that generate keys and measure the memory, compiled for GPUs by NVRTC,
   which needs no GPU: the first layout of each kind for compute capability 9.0. FLOE_TEST_LONG=1: every layout, and the
   first of each scheme for the oldest and the newest GPU. FLOE_TEST_ALL=1: the first of each kind for four. */
#include "config.h"

#include "table_layouts.h"
#include "tests/suite.h"

#include "core/mem.h"
#include "gpu/jit/kernel_text.h"
#include "gpu/jit/nvrtc.h"
#include "gpu/table/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 20 };

static const int architectures[] = {90, 75, 80, 100};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

static struct nvrtc *nvrtc;
static int compiled;

static const char *compile(const char *name, const char *text, int arch, struct arena *arena) {
  const struct nvrtc_source source = {.name = name, .text = text};
  struct nvrtc_result result = {.log = ""};
  floe_status status = nvrtc_compile(nvrtc, &source, arch, arena, &result);
  ck_assert_msg(status == FLOE_OK, "%s for sm_%d: %s", name, arch, result.log);
  ck_assert_uint_gt(result.size, 0);
  compiled++;
  return result.log;
}

static int number_before(const char *text, const char *words) {
  const char *at = strstr(text, words);
  ck_assert_msg(at != NULL, "no \"%s\" in %s", words, text);
  while (at > text && strchr("0123456789 ", at[-1]))
    at--;
  return atoi(at);
}

/* Prints registers and spilled bytes of every operation of the table. */
static void report(const char *log, const struct table_config *config, int arch) {
  for (unsigned i = 0; i < TABLE_OPERATIONS; i++) {
    char headline[100];
    if (gpu_table_cannot(config, arch, i))
      continue;
    snprintf(headline, sizeof headline, "Compiling entry function 'floe_table_%s'", gpu_operation_word(i));
    const char *at = strstr(log, headline);
    ck_assert_msg(at != NULL, "no %s in %s", headline, log);
    const char *used = strstr(at, "Used ");
    ck_assert(used != NULL);
    printf(" %s %d", table_operation_name(i), atoi(used + strlen("Used ")));
    const int spilled = number_before(at, " bytes spill stores");
    if (spilled)
      printf(" (%d spilled)", spilled);
  }
  puts("");
}

struct work {
  struct arena arena;
  const struct layout *layout;
  int arch;
};

static void compile_layout(void *data) {
  struct work *work = data;
  const struct layout *layout = work->layout;
  const struct table_config config = config_of(layout, SLOTS);
  struct table_shape shape;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
  const struct gpu_scheme *scheme = gpu_scheme_find(config.scheme);
  ck_assert(scheme != NULL);
  if (gpu_table_cannot(&config, work->arch, TABLE_FIND)) {
    printf("%s, slots of %u, sm_%d: %s\n", layout->scheme, layout->slot_bits, work->arch,
           gpu_table_cannot(&config, work->arch, TABLE_FIND));
    return;
  }
  const char *text = gpu_table_text(scheme, &config, &shape, &work->arena);
  const char *log = compile(layout->scheme, text, work->arch, &work->arena);
  printf("%s, slots of %u x %u, values of %u, sm_%d: registers of", layout->scheme, shape.slot_bits, shape.bucket_slots,
         shape.value_bits, work->arch);
  report(log, &config, work->arch);
}

static void compile_tools(void *data) {
  struct work *work = data;
  const char *log = compile("tools", gpu_bench_kernels_text(&work->arena), work->arch, &work->arena);
  ck_assert(strstr(log, "floe_ceiling_read64_swap32") && strstr(log, "floe_keys_make"));
}

static void compile_workset(void *data) {
  struct work *work = data;
  const char *log = compile("workset", gpu_workset_text(&work->arena), work->arch, &work->arena);
  ck_assert(strstr(log, "floe_workset_lookup") && strstr(log, "floe_workset_compact"));
}

static void compile_under_guard(void (*body)(void *), const struct layout *layout, int arch) {
  struct work work = {.layout = layout, .arch = arch};
  if (nvrtc_target(nvrtc, arch) != arch || (!at_length() && arch != 90))
    return;
  arena_init(&work.arena);
  ck_assert_int_eq(arena_guard(&work.arena, body, &work), 0);
  arena_free(&work.arena);
}

static bool is_wanted(size_t i, int arch) {
  if (arch == 90)
    return at_length() || is_first_of_kind(i);
  return everything() ? is_first_of_kind(i) : arch != 80 && is_first_of_scheme(i);
}

START_TEST(every_layout) {
  for (int a = 0; a < ARCHITECTURES; a++)
    if (is_wanted((size_t)_i, architectures[a]))
      compile_under_guard(compile_layout, &layouts[_i], architectures[a]);
}
END_TEST

START_TEST(tools) {
  for (int a = 0; a < ARCHITECTURES; a++)
    if (architectures[a] != 80 || everything())
      compile_under_guard(compile_tools, NULL, architectures[a]);
  for (int a = 0; a < ARCHITECTURES; a++)
    if (architectures[a] != 80 || everything())
      compile_under_guard(compile_workset, NULL, architectures[a]);
}
END_TEST

int main(void) {
  struct reason why;
  if (nvrtc_open(0, &nvrtc, &why) != FLOE_OK) {
    printf("skipped: %s\n", why.text);
    return 77;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  TCase *tcase = tcase_create("nvrtc");
  tcase_add_loop_test(tcase, every_layout, 0, LAYOUTS);
  tcase_add_test(tcase, tools);
  const int failed = run_suite("kernels of tables", CK_NOFORK, tcase);
  nvrtc_close(nvrtc);
  printf("%d compilations\n", compiled);
  return suite_end(failed);
}
