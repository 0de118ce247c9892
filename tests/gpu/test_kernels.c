/* Compiles the common text of every model for GPUs with NVRTC, which needs no GPU, and reports registers and spills. */
#include "config.h"

#include "../step/loaded.h"

#include "core/mem.h"
#include "gpu/nvrtc.h"
#include "src/step/kernel/shim_h.h"
#include "step/stepper.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int architectures[] = {75, 80, 90, 100};
static const char *const tail =
    "\nextern \"C\" __global__ void floe_expand(const uint64_t *states, size_t n, uint64_t *out,\n"
    "                                          uint64_t *counts) {\n"
    "  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i >= n) return;\n"
    "  floe_state s;\n"
    "  for (int word = 0; word < FLOE_WORDS; word++) s.w[word] = states[i * FLOE_WORDS + word];\n"
    "  floe_sink sink = {out + i * FLOE_MAX_SUCCESSORS * FLOE_WORDS, 0, 0};\n"
    "  uint32_t site = FLOE_NO_SITE;\n"
    "  counts[i] = floe_properties(s, ~(uint64_t)0, &site);\n"
    "  floe_successors(s, &sink);\n"
    "  counts[i] += sink.produced + sink.failed + site;\n"
    "}\n";

static struct nvrtc *nvrtc;
static char *wrapper;

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = mem_alloc(1 << 16);
  if (!file || !text || fread(text, 1, (1 << 16) - 1, file) == 0) {
    printf("cannot read %s\n", path);
    exit(99);
  }
  fclose(file);
  return text;
}

struct compilation {
  struct loaded *loaded;
  const char *name;
};

/* ptxas says "N bytes spill stores": any but 0 is told. */
static void report(const char *name, int arch, size_t size, const char *log) {
  const char *used = strstr(log, "Used ");
  int registers = used ? atoi(used + strlen("Used ")) : -1;
  const char *spill = strstr(log, "bytes spill stores");
  while (spill && spill > log && spill[-1] != ',')
    spill--;
  printf("%-24s sm_%-3d %6zu bytes, %3d registers, %d bytes spilled\n", name, arch, size,
         registers, spill ? atoi(spill) : 0);
}

static void compile(void *data) {
  struct compilation *work = data;
  struct arena *arena = &work->loaded->arena;
  const char *code;
  ck_assert_int_eq(codegen_text(work->loaded->model, work->loaded->layout, arena, &code), FLOE_OK);
  const char *text =
      arena_printf(arena, "%s\n%s\n%s\n%s", (const char *)shim_h, wrapper, code, tail);
  for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
    const void *cubin;
    size_t size;
    const char *log = "";
    if (nvrtc_target(nvrtc, architectures[i]) != architectures[i])
      continue;
    const struct nvrtc_source source = {.name = work->name, .text = text};
    floe_status status =
        nvrtc_compile(nvrtc, &source, architectures[i], arena, &cubin, &size, &log);
    ck_assert_msg(status == FLOE_OK, "%s for sm_%d: %s", work->name, architectures[i], log);
    ck_assert_uint_gt(size, 0);
    report(work->name, architectures[i], size, log);
  }
}

START_TEST(every_model_compiles_for_gpus) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/models", getenv("top_srcdir"));
  DIR *models = opendir(folder);
  ck_assert(models);
  int compiled = 0;
  for (struct dirent *entry; (entry = readdir(models));) {
    if (!strstr(entry->d_name, ".xml"))
      continue;
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    struct loaded loaded;
    ck_assert_msg(loaded_from_file(&loaded, path), "%s: %s", path, loaded_message(&loaded));
    struct compilation work = {&loaded, entry->d_name};
    ck_assert_int_eq(arena_guard(&loaded.arena, compile, &work), 0);
    loaded_free(&loaded);
    compiled++;
  }
  closedir(models);
  ck_assert_int_ge(compiled, 8);
}
END_TEST

START_TEST(a_broken_text_is_refused_with_a_log) {
  struct arena arena;
  arena_init(&arena);
  jmp_buf here;
  arena.out_of_memory = &here;
  ck_assert_int_eq(setjmp(here), 0);
  const void *cubin;
  size_t size;
  const char *log = "";
  const struct nvrtc_source source = {.name = "broken", .text = "int f( {"};
  ck_assert_int_eq(nvrtc_compile(nvrtc, &source, 90, &arena, &cubin, &size, &log),
                   FLOE_ERROR_INTERNAL);
  ck_assert(strstr(log, "error"));
  arena_free(&arena);
}
END_TEST

int main(void) {
  const char *source = getenv("top_srcdir");
  struct reason why;
  if (!source) {
    puts("top_srcdir is not set");
    return 99;
  }
  if (nvrtc_open(0, &nvrtc, &why) != FLOE_OK) {
    printf("skipped: %s\n", why.text);
    return 77;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/gpu/kernel.h", source);
  wrapper = read_text(path);
  Suite *suite = suite_create("kernels");
  TCase *tcase = tcase_create("nvrtc");
  tcase_set_timeout(tcase, 300);
  tcase_add_test(tcase, every_model_compiles_for_gpus);
  tcase_add_test(tcase, a_broken_text_is_refused_with_a_log);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  mem_free(wrapper);
  nvrtc_close(nvrtc);
  if (mem_live() != 0)
    printf("%zu bytes live at the end\n", mem_live());
  return failed || mem_live() != 0;
}
