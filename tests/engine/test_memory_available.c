/* Memory limits as the system's files state them, with artificial files. */
#include "api/device/memory_available.h"

#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define MIB (UINT64_C(1) << 20)

static char root[] = "/tmp/floe-test-XXXXXX";

static void put(const char *path, const char *text) {
  char full[500];
  snprintf(full, sizeof full, "%s/%s", root, path);
  for (char *slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(full, 0700);
    *slash = '/';
  }
  FILE *file = fopen(full, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  fclose(file);
}

START_TEST(test_machine) {
  put("proc/meminfo", "MemTotal:  4194304 kB\nMemFree: 1024 kB\nMemAvailable:  2097152 kB\n");
  ck_assert_uint_eq(memory_available_under(root), 2048 * MIB);
}
END_TEST

START_TEST(test_version_2) {
  put("proc/self/cgroup", "0::/user/run\n");
  put("sys/fs/cgroup/user/run/memory.max", "max\n");
  put("sys/fs/cgroup/user/run/memory.current", "1048576\n");
  ck_assert_uint_eq(memory_available_under(root), 2048 * MIB);
  put("sys/fs/cgroup/user/memory.max", "1073741824\n"); /* a parent group */
  put("sys/fs/cgroup/user/memory.current", "536870912\n");
  ck_assert_uint_eq(memory_available_under(root), 512 * MIB);
  put("sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file 268435456\n");
  ck_assert_uint_eq(memory_available_under(root), 768 * MIB);
  put("sys/fs/cgroup/user/memory.current", "2147483648\n"); /* beyond the limit */
  ck_assert_uint_eq(memory_available_under(root), 0);
}
END_TEST

START_TEST(test_version_1) {
  put("proc/self/cgroup", "4:cpu:/\n3:memory:/docker/x\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n"); /* what the container sees */
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "134217728\n");
  ck_assert_uint_eq(memory_available_under(root), 128 * MIB);
  put("proc/self/cgroup", "nonsense\n:::\n");
  ck_assert_uint_eq(memory_available_under(root), 2048 * MIB);
}
END_TEST

START_TEST(test_resource_limit) {
  put("proc/self/statm", "1000 500 100 10 0 200 0\n");
  struct rlimit limit;
  getrlimit(RLIMIT_DATA, &limit);
  struct rlimit lower = {1024 * MIB, limit.rlim_max};
  ck_assert_int_eq(setrlimit(RLIMIT_DATA, &lower), 0);
  uint64_t left = memory_available_under(root);
  setrlimit(RLIMIT_DATA, &limit);
  ck_assert_uint_lt(left, 1024 * MIB);
  ck_assert_uint_gt(left, 1000 * MIB);
}
END_TEST

START_TEST(test_nothing_known) {
  ck_assert_uint_gt(memory_available_under("/nonexistent"), MIB);
  ck_assert_uint_gt(floe_memory_available(), MIB);
}
END_TEST

int main(void) {
  if (!mkdtemp(root))
    return 99;
  int failed = run_tests("memory", CK_NOFORK, test_machine, test_version_2, test_version_1, test_resource_limit,
                         test_nothing_known);
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", root);
  if (system(command) != 0)
    return 99;
  return failed || mem_live() != 0;
}
