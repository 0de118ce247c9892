/* The hash tables of floe_tables.h on a GPU, by the public interface alone (api_table_suite.c). Memory of
   the device comes from CUDA's driver library, as a program would have it.
     test_api_table_gpu [SLOTS]
   77: there is no GPU. */
#include "api_table_suite.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what a program has of CUDA -------------------------------------------------------------- */

static int (*mem_alloc)(uint64_t *address, size_t bytes);
static int (*mem_free)(uint64_t address);
static int (*copy_to)(uint64_t to, const void *from, size_t bytes);
static int (*copy_from)(void *to, uint64_t from, size_t bytes);
static int (*set_current)(void *context);
static int (*synchronize)(void);
static void *context;

static void *find(void *library, const char *name) {
  void *function = dlsym(library, name);
  if (!function) {
    printf("no %s in CUDA's driver library\n", name);
    exit(99);
  }
  return function;
}

/* The primary context of device 0. */
static void start_cuda(void) {
  const char *name = getenv("FLOE_LIBCUDA");
  void *library = dlopen(name && *name ? name : "libcuda.so.1", RTLD_NOW);
  int device;
  if (!library) {
    printf("%s\n", dlerror());
    exit(99);
  }
  *(void **)&mem_alloc = find(library, "cuMemAlloc_v2");
  *(void **)&mem_free = find(library, "cuMemFree_v2");
  *(void **)&copy_to = find(library, "cuMemcpyHtoD_v2");
  *(void **)&copy_from = find(library, "cuMemcpyDtoH_v2");
  *(void **)&set_current = find(library, "cuCtxSetCurrent");
  *(void **)&synchronize = find(library, "cuCtxSynchronize");
  int (*init)(unsigned), (*get)(int *, int), (*retain)(void **, int);
  *(void **)&init = find(library, "cuInit");
  *(void **)&get = find(library, "cuDeviceGet");
  *(void **)&retain = find(library, "cuDevicePrimaryCtxRetain");
  if (init(0) || get(&device, 0) || retain(&context, device)) {
    puts("CUDA does not start");
    exit(99);
  }
}

static void must(int result, const char *what) {
  if (!result)
    return;
  printf("%s: CUDA's error %d\n", what, result);
  exit(99);
}

static uint64_t take(size_t bytes) {
  uint64_t address = 0;
  must(set_current(context), "the context");
  return mem_alloc(&address, bytes) ? 0 : address;
}

static void give(uint64_t address) { must(mem_free(address), "free"); }
/* A copy from pageable memory may return before it is complete. */
static void upload(uint64_t to, const void *from, size_t bytes) {
  must(copy_to(to, from, bytes), "copy to the device");
  must(synchronize(), "synchronize");
}
static void download(void *to, uint64_t from, size_t bytes) {
  must(copy_from(to, from, bytes), "copy from the device");
}

/* ---- the suite ------------------------------------------------------------------------------- */

static int run(floe_log *log, size_t slots) {
  const struct api_table_settings settings = {log, slots > 512 ? slots : 512, false, take, give, upload, download};
  start_cuda();
  const int failures = api_table_suite_run(&settings);
  printf("%d failures\n", failures);
  return failures != 0;
}

int main(int count, char **words) {
  floe_devices *devices;
  floe_log *log;
  int code = 77;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (floe_devices_create(&devices) != FLOE_OK || floe_log_create(&log) != FLOE_OK)
    return 99;
  if (floe_devices_gpus(devices) == 0)
    printf("skipped: %s\n", floe_devices_no_gpu(devices));
  else if (*floe_devices_gpu(devices, 0).why_not)
    printf("skipped: %s\n", floe_devices_gpu(devices, 0).why_not);
  else
    code = run(log, count > 1 ? strtoull(words[1], NULL, 10) : 100000);
  floe_log_free(log);
  floe_devices_free(devices);
  return code;
}
