/* How the sort module is found and called: with a fake one and a fake driver library. CUB's own is built and can be
   opened; running it needs a GPU. */
#include "gpu/table/sort.h"

#include "core/diag.h"
#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct gpu_driver *driver;
static struct gpu *gpu;
static floe_log *messages;

static const char *built_path(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("top_builddir"), name);
  return path;
}

static struct gpu_sort *open_made_up(void) {
  struct gpu_sort *sort = NULL;
  struct reason reason = {{0}};
  setenv("FLOE_LIBSORT", built_path("tests/gpu/.libs/libfake_sort.so"), 1);
  ck_assert_msg(gpu_sort_open(&sort, &reason) == FLOE_OK, "%s", reason.text);
  return sort;
}

START_TEST(none_is_told) {
  struct gpu_sort *sort = NULL;
  struct reason reason = {{0}};
  setenv("FLOE_LIBSORT", "/there/is/no/such.so", 1);
  ck_assert_int_eq(gpu_sort_open(&sort, &reason), FLOE_ERROR_UNSUPPORTED);
  ck_assert_ptr_null(sort);
  ck_assert_ptr_nonnull(strstr(reason.text, "/there/is/no/such.so"));
  ck_assert_ptr_nonnull(strstr(reason.text, "nvcc"));
  /* a library that is something else */
  setenv("FLOE_LIBSORT", built_path("tests/gpu/.libs/libfake_cuda.so"), 1);
  ck_assert_int_eq(gpu_sort_open(&sort, &reason), FLOE_ERROR_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(reason.text, "floe_device_sort"));
  mem_fail_after(1);
  ck_assert_int_eq(gpu_sort_open(&sort, &reason), FLOE_ERROR_MEMORY);
  mem_fail_after(0);
  gpu_sort_close(NULL);
}
END_TEST

/* This program in a folder of its own, beside a file that is not a library. */
START_TEST(a_broken_one_is_told) {
  char folder[] = "/tmp/floe-sort-XXXXXX", self[4096], command[9000], said[1024] = "";
  ck_assert_ptr_nonnull(mkdtemp(folder));
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  ck_assert_int_gt(length, 0);
  self[length] = 0;
  snprintf(command, sizeof command,
           "cp '%s' %s/program && echo 'no library' >%s/libfloe_sort.so && "
           "env -u FLOE_LIBSORT %s/program reason; rm -r %s",
           self, folder, folder, folder, folder);
  FILE *stream = popen(command, "r");
  ck_assert_ptr_nonnull(stream);
  ck_assert_ptr_nonnull(fgets(said, sizeof said, stream));
  ck_assert_int_eq(pclose(stream), 0);
  if (strcmp(said, "opened\n") == 0) {
    puts("the installed module was opened instead");
    return;
  }
  ck_assert_msg(strstr(said, "cannot be opened") != NULL, "%s", said);
  ck_assert_msg(strstr(said, folder) != NULL, "%s", said);
  ck_assert_msg(strstr(said, "too short") != NULL, "%s", said);
}
END_TEST

static int print_reason(void) {
  struct gpu_sort *sort = NULL;
  struct reason reason = {{0}};
  if (gpu_sort_open(&sort, &reason) == FLOE_OK)
    puts("opened");
  else
    puts(reason.text);
  gpu_sort_close(sort);
  return 0;
}

START_TEST(keys_are_sorted) {
  enum { N = 7 };
  const uint64_t given[N] = {5, 3, 0xff00000000000001, 9, 3, 0, 1};
  const uint64_t wanted[N] = {0, 1, 1, 3, 3, 5, 9};
  uint64_t keys[N], bytes = 0;
  gpu_address on_keys, alternate, room;
  struct gpu_sort *sort = open_made_up();
  ck_assert_int_eq(gpu_sort_room(sort, gpu, N, 8, &bytes), FLOE_OK);
  ck_assert_uint_eq(bytes, 24);
  ck_assert_int_eq(gpu_alloc(gpu, sizeof keys, &on_keys), FLOE_OK);
  ck_assert_int_eq(gpu_alloc(gpu, sizeof keys, &alternate), FLOE_OK);
  ck_assert_int_eq(gpu_alloc(gpu, bytes, &room), FLOE_OK);
  ck_assert_int_eq(gpu_upload(gpu, on_keys, given, sizeof given), FLOE_OK);
  ck_assert_int_eq(gpu_sort_keys(sort, gpu, &(struct gpu_sort_job){on_keys, alternate, 0, 8, room, bytes}), FLOE_OK);
  ck_assert_int_eq(gpu_sort_keys(sort, gpu, &(struct gpu_sort_job){on_keys, alternate, N, 8, room, bytes}), FLOE_OK);
  ck_assert_int_eq(gpu_download(gpu, keys, on_keys, sizeof keys), FLOE_OK);
  for (int i = 0; i < N; i++)
    ck_assert_uint_eq(keys[i] & 0xff, wanted[i]);
  gpu_free(gpu, on_keys);
  gpu_free(gpu, alternate);
  gpu_free(gpu, room);
  gpu_sort_close(sort);
}
END_TEST

/* Last: the context is unusable afterwards. */
START_TEST(errors_are_told) {
  struct gpu_sort *sort = open_made_up();
  ck_assert_int_eq(gpu_sort_keys(sort, gpu, &(struct gpu_sort_job){16, 16, 2000, 64, 16, 24}), FLOE_ERROR_INTERNAL);
  ck_assert_uint_eq(floe_log_count(messages), 1);
  ck_assert_ptr_nonnull(strstr(floe_log_at(messages, 0)->message, "DeviceRadixSort"));
  gpu_sort_close(sort);
}
END_TEST

/* Not opened by the loader here: its runtime would call a real driver at the end. */
START_TEST(cubs_module_has_the_entry) {
  struct stat file;
  const char *path = built_path("gpu/libfloe_sort.so");
  if (stat(path, &file) != 0) {
    puts("CUB's module is not built");
    return;
  }
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(library != NULL, "%s", dlerror());
  ck_assert_ptr_nonnull(dlsym(library, "floe_device_sort"));
  dlclose(library);
}
END_TEST

int main(int count, char **words) {
  struct reason reason = {{0}};
  if (count > 1 && strcmp(words[1], "reason") == 0)
    return print_reason();
  if (!getenv("top_builddir")) {
    puts("top_builddir is not set");
    return 99;
  }
  setenv("FLOE_LIBCUDA", built_path("tests/gpu/.libs/libfake_cuda.so"), 1);
  unsetenv("FAKE_CUDA");
  if (floe_log_create(&messages) != FLOE_OK || gpu_driver_open(&driver, &reason) != FLOE_OK ||
      gpu_open(driver, 0, messages, &gpu, &reason) != FLOE_OK) {
    printf("no device made up: %s\n", reason.text);
    return 99;
  }
  const int failed = run_tests("sort", CK_NOFORK, none_is_told, a_broken_one_is_told, keys_are_sorted,
                               cubs_module_has_the_entry, errors_are_told);
  gpu_close(gpu);
  gpu_driver_close(driver);
  floe_log_free(messages);
  return suite_end(failed);
}
