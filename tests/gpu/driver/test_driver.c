/* gpu/driver/driver.h with a fake driver library (fake_cuda.c), and gpu/jit/build.h, which needs NVRTC but no GPU:
   errors are logged once and by name, code comes from the cache without NVRTC, and a damaged or outdated entry is
   compiled again. */
#define _GNU_SOURCE
#include "core/mem.h"
#include "gpu/jit/build.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/jit/nvrtc.h"
#include "tests/suite.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char library[PATH_MAX];
static char folder[] = "/tmp/floe-test-XXXXXX";
static floe_log *log_of_test;

static void setup(void) {
  ck_assert_int_eq(floe_log_create(&log_of_test), FLOE_OK);
  setenv("FLOE_LIBCUDA", library, 1);
  setenv("FAKE_CUDA", "", 1);
  unsetenv("FLOE_LIBNVRTC");
}

static void teardown(void) {
  floe_log_free(log_of_test);
  ck_assert_uint_eq(mem_live(), 0);
}

static struct gpu *acquire(const char *how) {
  struct gpu *gpu = NULL;
  struct reason reason = {""};
  setenv("FAKE_CUDA", how, 1);
  ck_assert_msg(gpu_acquire(0, NULL, log_of_test, &gpu, &reason) == FLOE_OK, "%s", reason.text);
  return gpu;
}

static const char *told(size_t i) {
  ck_assert_uint_lt(i, floe_log_count(log_of_test));
  return floe_log_at(log_of_test, i)->message;
}

/* ---- the driver ------------------------------------------------------------------------------ */

START_TEST(memory_is_filled_copied_and_given_back) {
  struct gpu *gpu = acquire("");
  uint64_t before, after, total;
  gpu_address a, b;
  void *pinned;
  unsigned char bytes[1000], back[1000];
  bool done;
  ck_assert_int_eq(gpu_memory(gpu, &before, &total), FLOE_OK);
  ck_assert_uint_eq(total, gpu_information(gpu)->memory);
  ck_assert_uint_eq(before, gpu_information(gpu)->memory_free);
  ck_assert_int_eq(gpu_alloc(gpu, sizeof bytes, &a), FLOE_OK);
  ck_assert_int_eq(gpu_alloc(gpu, sizeof bytes, &b), FLOE_OK);
  ck_assert_int_eq(gpu_host_alloc(gpu, sizeof bytes, &pinned), FLOE_OK);
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(i * 7);
  ck_assert_int_eq(gpu_upload(gpu, a, bytes, sizeof bytes), FLOE_OK);
  ck_assert_int_eq(gpu_copy(gpu, b, a, sizeof bytes), FLOE_OK);
  ck_assert_int_eq(gpu_fill(gpu, a, 3, sizeof bytes), FLOE_OK);
  ck_assert_int_eq(gpu_download(gpu, back, b, sizeof back), FLOE_OK);
  ck_assert_mem_eq(back, bytes, sizeof bytes);
  ck_assert_int_eq(gpu_download_start(gpu, pinned, a, sizeof bytes), FLOE_OK);
  ck_assert_int_eq(gpu_wait(gpu), FLOE_OK);
  memset(bytes, 3, sizeof bytes);
  ck_assert_mem_eq(pinned, bytes, sizeof bytes);
  memset(pinned, 0, sizeof bytes);
  ck_assert_int_eq(gpu_download_on_side_stream(gpu, pinned, a, sizeof bytes), FLOE_OK);
  ck_assert_int_eq(gpu_wait_for_side_stream(gpu), FLOE_OK);
  ck_assert_mem_eq(pinned, bytes, sizeof bytes);
  ck_assert_int_eq(gpu_is_done(gpu, &done), FLOE_OK);
  ck_assert(!done);
  ck_assert_int_eq(gpu_is_done(gpu, &done), FLOE_OK);
  ck_assert(done);
  gpu_free(gpu, a);
  gpu_free(gpu, b);
  gpu_host_free(gpu, pinned);
  ck_assert_int_eq(gpu_memory(gpu, &after, &total), FLOE_OK);
  ck_assert_uint_eq(after, before);
  gpu_release(gpu);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

START_TEST(nothing_is_copied_and_nothing_allocated_without_complaint) {
  struct gpu *gpu = acquire("");
  gpu_address a;
  ck_assert_int_eq(gpu_alloc(gpu, 0, &a), FLOE_OK);
  ck_assert_uint_ne(a, 0);
  ck_assert_int_eq(gpu_fill(gpu, a, 0, 0), FLOE_OK);
  ck_assert_int_eq(gpu_upload(gpu, a, NULL, 0), FLOE_OK);
  ck_assert_int_eq(gpu_copy(gpu, a, a, 0), FLOE_OK);
  gpu_free(gpu, a);
  gpu_free(gpu, 0);
  gpu_host_free(gpu, NULL);
  gpu_event_free(gpu, NULL);
  gpu_module_free(NULL);
  gpu_release(gpu);
  gpu_release(NULL);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

START_TEST(too_much_memory_is_no_error_to_tell) {
  struct gpu *gpu = acquire("small");
  gpu_address a;
  void *pinned;
  ck_assert_int_eq(gpu_alloc(gpu, UINT64_C(5) << 20, &a), FLOE_ERROR_MEMORY);
  ck_assert_int_eq(gpu_host_alloc(gpu, (size_t)5 << 20, &pinned), FLOE_ERROR_MEMORY);
  ck_assert(gpu_is_usable(gpu));
  ck_assert_int_eq(gpu_alloc(gpu, UINT64_C(3) << 20, &a), FLOE_OK);
  gpu_free(gpu, a);
  gpu_release(gpu);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

START_TEST(the_share_is_of_what_is_free) {
  struct gpu *gpu = acquire("");
  uint64_t free = gpu_information(gpu)->memory_free;
  ck_assert_uint_eq(free, (uint64_t)1 << 30);
  ck_assert_uint_eq(gpu_memory_budget(gpu, 12345, 0.5), 12345);
  ck_assert_uint_eq(gpu_memory_budget(gpu, free + 1, 0), free);
  ck_assert_uint_eq(gpu_memory_budget(gpu, 0, 0.5), free / 2);
  ck_assert_uint_eq(gpu_memory_budget(gpu, 0, 0), (uint64_t)(0.95 * (double)free));
  gpu_release(gpu);
}
END_TEST

/* If the system does not allow it, there are other ways: nothing is logged. */
START_TEST(memory_is_shared_where_that_is_possible) {
  static const char *const how[] = {"", "unshared", "apart"};
  struct gpu *gpu = acquire(how[_i]);
  unsigned char shared[GPU_SHARED_BYTES], bytes[10], back[10];
  gpu_address own, seen = 0;
  bool can_share, can_open;
  memset(bytes, 7, sizeof bytes);
  ck_assert_int_eq(gpu_alloc(gpu, sizeof bytes, &own), FLOE_OK);
  ck_assert_int_eq(gpu_upload(gpu, own, bytes, sizeof bytes), FLOE_OK);
  ck_assert_int_eq(gpu_share(gpu, own, shared, &can_share), FLOE_OK);
  ck_assert_int_eq(gpu_shared_open(gpu, shared, &seen, &can_open), FLOE_OK);
  ck_assert(can_share == (_i != 1) && can_open == (_i != 2));
  ck_assert((seen != 0) == can_open);
  if (can_open) {
    ck_assert_int_eq(gpu_download(gpu, back, seen, sizeof back), FLOE_OK);
    ck_assert_mem_eq(back, bytes, sizeof bytes);
  }
  gpu_shared_close(gpu, seen);
  gpu_free(gpu, own);
  gpu_release(gpu);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

static struct gpu_function *find(struct gpu *gpu, struct gpu_module **module) {
  struct gpu_function *function;
  ck_assert_int_eq(gpu_module_load(gpu, "code", module), FLOE_OK);
  ck_assert_int_eq(gpu_function_find(*module, "kernel", &function), FLOE_OK);
  return function;
}

START_TEST(kernels_are_described_started_and_timed) {
  struct gpu *gpu = acquire("");
  struct gpu_module *module;
  struct gpu_function *function = find(gpu, &module);
  struct gpu_function_info info;
  struct gpu_event *from, *to;
  struct gpu_launch launch = {.blocks = 8, .threads = 256, .cooperative = true};
  unsigned blocks;
  double seconds;
  gpu_address address;
  size_t bytes;
  uint64_t value;
  ck_assert_int_eq(gpu_function_describe(gpu, function, &info), FLOE_OK);
  ck_assert_uint_eq(info.registers, 40);
  ck_assert_uint_eq(info.local_bytes, 16);
  ck_assert_uint_eq(info.shared_bytes, 128);
  ck_assert_uint_eq(info.threads_per_block, 1024);
  ck_assert_int_eq(gpu_function_shared(gpu, function, 100 << 10), FLOE_OK);
  ck_assert_int_eq(gpu_occupancy(gpu, function, 256, 100 << 10, &blocks), FLOE_OK);
  ck_assert_uint_eq(blocks, 8);
  ck_assert_int_eq(gpu_event_create(gpu, &from), FLOE_OK);
  ck_assert_int_eq(gpu_event_create(gpu, &to), FLOE_OK);
  ck_assert_int_eq(gpu_event_record(gpu, from), FLOE_OK);
  ck_assert_int_eq(gpu_start(gpu, function, &launch, NULL), FLOE_OK);
  launch.cooperative = false;
  ck_assert_int_eq(gpu_start(gpu, function, &launch, NULL), FLOE_OK);
  ck_assert_int_eq(gpu_event_record(gpu, to), FLOE_OK);
  ck_assert_int_eq(gpu_event_seconds(gpu, from, to, &seconds), FLOE_OK);
  ck_assert(seconds == 0.25);
  ck_assert_int_eq(gpu_global_find(module, "variable", &address, &bytes), FLOE_OK);
  ck_assert_uint_eq(bytes, sizeof value);
  ck_assert_int_eq(gpu_download(gpu, &value, address, bytes), FLOE_OK);
  ck_assert_uint_eq(value, 42);
  gpu_event_free(gpu, from);
  gpu_event_free(gpu, to);
  gpu_module_free(module);
  gpu_release(gpu);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

START_TEST(what_is_missing_in_a_module_is_named) {
  struct gpu *gpu = acquire("");
  struct gpu_module *module;
  struct gpu_function *function = find(gpu, &module);
  gpu_address address;
  ck_assert_int_eq(gpu_function_find(module, "missing", &function), FLOE_ERROR_INTERNAL);
  ck_assert_int_eq(gpu_global_find(module, "missing", &address, NULL), FLOE_ERROR_INTERNAL);
  ck_assert_str_eq(told(0), "GPU 0 (Imaginary A): no kernel 'missing' in the module: named symbol "
                            "not found");
  ck_assert_str_eq(told(1), "GPU 0 (Imaginary A): no variable 'missing' in the module: named symbol "
                            "not found");
  ck_assert(gpu_is_usable(gpu));
  gpu_module_free(module);
  gpu_release(gpu);
}
END_TEST

/* The call that detects a kernel's fault logs it; later failures that follow from it are not logged. */
START_TEST(a_fault_is_told_once) {
  struct gpu *gpu = acquire("fault");
  struct gpu_module *module;
  struct gpu_function *function = find(gpu, &module);
  struct gpu_launch launch = {.blocks = 1, .threads = 32};
  struct gpu_event *event;
  gpu_address a;
  int value = 0;
  bool done;
  ck_assert_int_eq(gpu_event_create(gpu, &event), FLOE_OK);
  ck_assert_int_eq(gpu_alloc(gpu, 100, &a), FLOE_OK);
  ck_assert_int_eq(gpu_start(gpu, function, &launch, NULL), FLOE_OK);
  ck_assert(gpu_is_usable(gpu));
  ck_assert_int_eq(gpu_wait(gpu), FLOE_ERROR_INTERNAL);
  ck_assert(!gpu_is_usable(gpu));
  ck_assert_int_eq(gpu_wait(gpu), FLOE_ERROR_INTERNAL);
  ck_assert_int_eq(gpu_download(gpu, &value, a, sizeof value), FLOE_ERROR_INTERNAL);
  ck_assert_int_eq(gpu_is_done(gpu, &done), FLOE_ERROR_INTERNAL);
  ck_assert_int_eq(gpu_alloc(gpu, 100, &a), FLOE_ERROR_INTERNAL);
  ck_assert_int_eq(gpu_function_find(module, "missing", &function), FLOE_ERROR_INTERNAL);
  gpu_free(gpu, a);
  gpu_event_free(gpu, event);
  gpu_module_free(module);
  gpu_release(gpu);
  ck_assert_uint_eq(floe_log_count(log_of_test), 1);
  ck_assert_str_eq(told(0), "GPU 0 (Imaginary A): cuStreamSynchronize: an illegal memory access was "
                            "encountered");
}
END_TEST

/* ---- compiling ------------------------------------------------------------------------------- */

static const char *const texts[] = {"#define VALUE 1\n", "extern \"C\" __global__ void kernel(int *out) {\n"
                                                         "  out[threadIdx.x] = VALUE + MORE;\n}\n"};
static const char *const options[] = {"-DMORE=2"};
static const struct gpu_source source = {"test.cu", texts, 2, options, 1, NULL, NULL, false};

static void no_nvrtc(void) { setenv("FLOE_LIBNVRTC", "/nowhere/libnvrtc.so", 1); }

static struct gpu_binary compile(const struct gpu_source *what, const char *cache) {
  struct gpu_binary binary;
  struct reason reason = {""};
  floe_status status = gpu_compile(what, 90, cache, log_of_test, &binary, &reason);
  ck_assert_msg(status == FLOE_OK, "%s; %s", reason.text, floe_log_count(log_of_test) ? told(0) : "");
  ck_assert_uint_gt(binary.size, 100);
  ck_assert_mem_eq(binary.bytes, "\177ELF", 4);
  ck_assert_msg(strstr(binary.report, "registers"), "%s", binary.report);
  return binary;
}

static bool compiles_cached(const struct gpu_source *what) {
  struct gpu_binary binary = compile(what, folder);
  bool cached = binary.cached;
  gpu_binary_free(&binary);
  return cached;
}

/* Number of entries, and the path of one. */
static unsigned entries(char path[PATH_MAX]) {
  unsigned n = 0;
  DIR *stream = opendir(folder);
  for (struct dirent *entry; stream && (entry = readdir(stream));)
    if (strstr(entry->d_name, ".cubin")) {
      snprintf(path, PATH_MAX, "%s/%s", folder, entry->d_name);
      n++;
    }
  if (stream)
    closedir(stream);
  return n;
}

static void empty_folder(void) {
  char path[PATH_MAX];
  while (entries(path) > 0 && unlink(path) == 0)
    ;
}

START_TEST(code_is_kept_and_found_without_nvrtc) {
  char path[PATH_MAX];
  struct gpu_source cached_only = source;
  struct gpu_binary none;
  struct reason reason;
  cached_only.cached_only = true;
  empty_folder();
  ck_assert_int_eq(gpu_compile(&cached_only, 90, folder, log_of_test, &none, &reason), FLOE_ERROR_UNSUPPORTED);
  struct gpu_binary first = compile(&source, folder);
  ck_assert(!first.cached);
  ck_assert_uint_eq(entries(path), 1);
  no_nvrtc();
  struct gpu_binary second = compile(&cached_only, folder);
  ck_assert(second.cached);
  ck_assert_uint_eq(second.size, first.size);
  ck_assert_mem_eq(second.bytes, first.bytes, first.size);
  ck_assert_str_eq(second.report, first.report);
  gpu_binary_free(&first);
  gpu_binary_free(&second);
}
END_TEST

START_TEST(every_part_of_the_source_counts) {
  static const char *const other_texts[] = {"#define VALUE 2\n", NULL};
  static const char *const other_options[] = {"-DMORE=3"};
  const char *changed[] = {other_texts[0], texts[1]};
  const char *moved[] = {"", "#define VALUE 1\nextern \"C\" __global__ void kernel(int *out) {\n"
                             "  out[threadIdx.x] = VALUE + MORE;\n}\n"};
  const struct gpu_source others[] = {{"test.cu", changed, 2, options, 1, NULL, NULL, false},
                                      {"test.cu", texts, 2, other_options, 1, NULL, NULL, false},
                                      {"other.cu", texts, 2, options, 1, NULL, NULL, false},
                                      {"test.cu", moved, 2, options, 1, NULL, NULL, false}};
  char path[PATH_MAX];
  empty_folder();
  ck_assert(!compiles_cached(&source));
  for (unsigned i = 0; i < 4; i++) {
    ck_assert(!compiles_cached(&others[i]));
    ck_assert_uint_eq(entries(path), i + 2);
  }
  ck_assert(compiles_cached(&source));
  struct gpu_binary binary;
  struct reason reason;
  no_nvrtc();
  ck_assert_int_eq(gpu_compile(&source, 80, folder, log_of_test, &binary, &reason), FLOE_ERROR_UNSUPPORTED);
}
END_TEST

static void damage(const char *path, int how) {
  FILE *file = fopen(path, "r+b");
  ck_assert(file);
  if (how == 0) {
    ck_assert_int_eq(ftruncate(fileno(file), 100), 0);
  } else if (how == 1) {
    fseek(file, 200, SEEK_SET);
    fputc(~fgetc(file) & 0xff, file);
  } else {
    ck_assert_int_eq(ftruncate(fileno(file), 0), 0);
  }
  fclose(file);
}

START_TEST(a_damaged_entry_is_made_anew) {
  char path[PATH_MAX];
  empty_folder();
  ck_assert(!compiles_cached(&source));
  ck_assert_uint_eq(entries(path), 1);
  damage(path, _i);
  ck_assert(!compiles_cached(&source));
  ck_assert(compiles_cached(&source));
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
}
END_TEST

/* A copy of NVRTC, whose file time can be changed. */
START_TEST(code_of_another_nvrtc_is_made_anew) {
  char path[PATH_MAX], command[3 * PATH_MAX];
  struct nvrtc *nvrtc;
  struct reason reason;
  const struct timespec times[2] = {{1000, 0}, {1000, 0}};
  empty_folder();
  ck_assert_int_eq(nvrtc_open(0, &nvrtc, &reason), FLOE_OK);
  snprintf(path, sizeof path, "%s/libnvrtc.so", folder);
  snprintf(command, sizeof command, "cp '%s' '%s'", nvrtc_path(nvrtc), path);
  nvrtc_close(nvrtc);
  ck_assert_int_eq(system(command), 0);
  setenv("FLOE_LIBNVRTC", path, 1);
  ck_assert(!compiles_cached(&source));
  ck_assert(compiles_cached(&source));
  ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
  ck_assert(!compiles_cached(&source));
  ck_assert_int_eq(unlink(path), 0); /* no longer installed: its code stays valid */
  ck_assert(compiles_cached(&source));
}
END_TEST

START_TEST(without_a_cache_nothing_is_kept) {
  char path[PATH_MAX];
  empty_folder();
  struct gpu_binary binary = compile(&source, "");
  gpu_binary_free(&binary);
  ck_assert_uint_eq(entries(path), 0);
  ck_assert_uint_eq(floe_log_count(log_of_test), 0);
  binary = compile(&source, "/dev/null/cache");
  gpu_binary_free(&binary);
  ck_assert_str_eq(told(0), "the cache folder /dev/null/cache is not used: Not a directory");
}
END_TEST

START_TEST(a_text_that_does_not_compile_is_told_with_the_place) {
  static const char *const broken[] = {"int f() { return x; }"};
  struct gpu_source what = {.name = "broken.cu", .texts = broken, .text_count = 1};
  struct gpu_binary binary;
  struct reason reason;
  char path[PATH_MAX];
  empty_folder();
  ck_assert_int_eq(gpu_compile(&what, 90, folder, log_of_test, &binary, &reason), FLOE_ERROR_INTERNAL);
  ck_assert_msg(strstr(told(0), "broken.cu(1): error"), "%s", told(0));
  ck_assert_msg(strstr(floe_log_at(log_of_test, 0)->hint, "report"), "the program's own text");
  what.hint = "write it better";
  floe_log_clear(log_of_test);
  ck_assert_int_eq(gpu_compile(&what, 90, folder, log_of_test, &binary, &reason), FLOE_ERROR_INTERNAL);
  ck_assert_str_eq(floe_log_at(log_of_test, 0)->hint, what.hint);
  ck_assert_uint_eq(entries(path), 0);
}
END_TEST

START_TEST(a_device_that_nvrtc_does_not_know_is_told) {
  struct gpu_binary binary;
  struct reason reason;
  ck_assert_int_eq(gpu_compile(&source, 37, "", log_of_test, &binary, &reason), FLOE_ERROR_UNSUPPORTED);
  ck_assert_msg(strstr(reason.text, "has no code for compute capability 3.7"), "%s", reason.text);
  struct nvrtc *nvrtc;
  ck_assert_int_eq(nvrtc_open(0, &nvrtc, &reason), FLOE_OK);
  ck_assert_int_eq(nvrtc_target(nvrtc, 90), 90);
  ck_assert_int_eq(nvrtc_target(nvrtc, 88), nvrtc_target(nvrtc, 89) == 89 ? 88 : 86);
  ck_assert_int_eq(nvrtc_target(nvrtc, 99), 90); /* same major version: the code runs there */
  nvrtc_close(nvrtc);
}
END_TEST

/* The first process stores it; the others find it whole or compile it themselves. */
START_TEST(processes_share_a_cache) {
  empty_folder();
  pid_t children[3];
  for (int i = 0; i < 3; i++) {
    children[i] = fork();
    ck_assert_int_ge(children[i], 0);
    if (children[i] == 0) {
      struct gpu_binary binary;
      struct reason reason;
      floe_log *own;
      floe_log_create(&own);
      _exit(gpu_compile(&source, 90, folder, own, &binary, &reason) != FLOE_OK ||
            memcmp(binary.bytes, "\177ELF", 4) != 0 || floe_log_count(own) > 0);
    }
  }
  for (int i = 0; i < 3; i++) {
    int status;
    ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  ck_assert(compiles_cached(&source));
}
END_TEST

/* ---- building -------------------------------------------------------------------------------- */

START_TEST(code_is_built_and_loaded) {
  struct gpu *gpu = acquire("cubin");
  struct gpu_module *module;
  struct gpu_binary binary;
  empty_folder();
  ck_assert_int_eq(gpu_build(gpu, &source, folder, log_of_test, &module, &binary), FLOE_OK);
  ck_assert(!binary.cached && !binary.bytes && binary.size > 100);
  ck_assert(strstr(binary.report, "registers"));
  gpu_binary_free(&binary);
  gpu_module_free(module);
  no_nvrtc();
  ck_assert_int_eq(gpu_build(gpu, &source, folder, log_of_test, &module, NULL), FLOE_OK);
  gpu_module_free(module);
  gpu_release(gpu);
}
END_TEST

START_TEST(code_that_the_driver_refuses_is_made_anew_once) {
  char path[PATH_MAX];
  struct gpu_module *module;
  empty_folder();
  ck_assert(!compiles_cached(&source));
  struct gpu *gpu = acquire("refuse");
  ck_assert_int_eq(entries(path), 1);
  struct stat before, after;
  ck_assert_int_eq(stat(path, &before), 0);
  ck_assert_int_eq(gpu_build(gpu, &source, folder, log_of_test, &module, NULL), FLOE_ERROR_INTERNAL);
  ck_assert_int_eq(stat(path, &after), 0);
  ck_assert(before.st_ino != after.st_ino || before.st_mtim.tv_nsec != after.st_mtim.tv_nsec);
  ck_assert_uint_eq(floe_log_count(log_of_test), 1);
  ck_assert_str_eq(told(0), "GPU 0 (Imaginary A): cuModuleLoadData: device kernel image is invalid");
  gpu_release(gpu);
}
END_TEST

START_TEST(a_driver_older_than_nvrtc_is_told) {
  struct nvrtc *nvrtc;
  struct reason reason;
  int major, minor;
  ck_assert_int_eq(nvrtc_open(0, &nvrtc, &reason), FLOE_OK);
  nvrtc_version(nvrtc, &major, &minor);
  nvrtc_close(nvrtc);
  floe_status status = nvrtc_open(12040, &nvrtc, &reason);
  if (status == FLOE_OK) { /* an older one is there as well */
    nvrtc_version(nvrtc, &major, &minor);
    ck_assert_int_le(major, 12);
    nvrtc_close(nvrtc);
    return;
  }
  char wanted[100];
  snprintf(wanted, sizeof wanted, "NVRTC %d.%d is too new for the driver, which supports CUDA up to 12.4", major,
           minor);
  ck_assert_str_eq(reason.text, wanted);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- */

static TCase *driver_tests(void) {
  TCase *tcase = tcase_create("driver");
  tcase_add_checked_fixture(tcase, setup, teardown);
  add_tests(tcase, memory_is_filled_copied_and_given_back, nothing_is_copied_and_nothing_allocated_without_complaint,
            too_much_memory_is_no_error_to_tell, the_share_is_of_what_is_free);
  tcase_add_loop_test(tcase, memory_is_shared_where_that_is_possible, 0, 3);
  add_tests(tcase, kernels_are_described_started_and_timed, what_is_missing_in_a_module_is_named, a_fault_is_told_once);
  return tcase;
}

static TCase *build_tests(void) {
  TCase *tcase = tcase_create("build");
  tcase_set_timeout(tcase, 120);
  tcase_add_checked_fixture(tcase, setup, teardown);
  add_tests(tcase, code_is_kept_and_found_without_nvrtc, every_part_of_the_source_counts);
  tcase_add_loop_test(tcase, a_damaged_entry_is_made_anew, 0, 3);
  add_tests(tcase, code_of_another_nvrtc_is_made_anew, without_a_cache_nothing_is_kept,
            a_text_that_does_not_compile_is_told_with_the_place, a_device_that_nvrtc_does_not_know_is_told,
            processes_share_a_cache, code_is_built_and_loaded, code_that_the_driver_refuses_is_made_anew_once,
            a_driver_older_than_nvrtc_is_told);
  return tcase;
}

/* Every test runs in a process of its own: libraries once opened stay loaded. */
int main(void) {
  const char *built = getenv("top_builddir");
  struct nvrtc *nvrtc;
  struct reason reason;
  if (!built || !mkdtemp(folder)) {
    puts("top_builddir is not set, or no folder can be made");
    return 99;
  }
  snprintf(library, sizeof library, "%s/tests/gpu/.libs/libfake_cuda.so", built);
  TCase *build = NULL;
  if (nvrtc_open(0, &nvrtc, &reason) == FLOE_OK) {
    nvrtc_close(nvrtc);
    build = build_tests();
  } else {
    printf("compiling is not tested: %s\n", reason.text);
  }
  int failed = run_suite("driver", CK_FORK, driver_tests(), build);
  empty_folder();
  rmdir(folder);
  return failed ? 1 : 0;
}
