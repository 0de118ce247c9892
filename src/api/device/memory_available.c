/* Memory that this process may still allocate: free memory of the machine, limits of control group and process. */
#include "api/device/memory_available.h"

#include "base/numbers.h"
#include "floe_common.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PATH 4096
#define LINE 4096

static uint64_t minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

static FILE *open_file(const char *format, ...) {
  char path[PATH];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(path, sizeof path, format, args);
  va_end(args);
  return length < (int)sizeof path ? fopen(path, "r") : NULL;
}

/* The number in a file that contains nothing else; `none`: no such file, or no number ("max"). */
static uint64_t number_in(const char *folder, const char *name, uint64_t none) {
  uint64_t value;
  FILE *file = open_file("%s/%s", folder, name);
  if (!file)
    return none;
  int found = fscanf(file, "%" SCNu64, &value);
  fclose(file);
  return found == 1 ? value : none;
}

/* The number after `key` in a file of lines "key number". */
static uint64_t number_after(FILE *file, const char *key, uint64_t none) {
  char line[LINE];
  uint64_t value = none;
  size_t length = strlen(key);
  if (!file)
    return none;
  while (value == none && fgets(line, sizeof line, file))
    if (strncmp(line, key, length) == 0)
      sscanf(line + length, "%" SCNu64, &value);
  fclose(file);
  return value;
}

static uint64_t machine_available(const char *root) {
  uint64_t kib = number_after(open_file("%s/proc/meminfo", root), "MemAvailable:", UINT64_MAX);
  return kib == UINT64_MAX ? UINT64_MAX : kib * 1024;
}

/* ---- control groups -------------------------------------------------------------------------- */

struct group_files {
  const char *limit, *usage, *cache; /* cache: line of memory.stat with reclaimable bytes */
};
static const struct group_files version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};
static const struct group_files version_2 = {"memory.max", "memory.current", "inactive_file "};

static uint64_t group_available(const char *folder, const struct group_files *files) {
  uint64_t limit = number_in(folder, files->limit, UINT64_MAX);
  if (limit == UINT64_MAX)
    return UINT64_MAX;
  uint64_t usage = number_in(folder, files->usage, 0);
  uint64_t cache = number_after(open_file("%s/memory.stat", folder), files->cache, 0);
  return minus(limit, minus(usage, cache));
}

/* The limits of all enclosing groups apply. Inside a container the path may name folders that are not visible: then the
   mount point is the group. */
static uint64_t groups_available(const char *mount, const char *group, const struct group_files *files) {
  char folder[PATH];
  if (snprintf(folder, sizeof folder, "%s%s", mount, group) >= (int)sizeof folder)
    return UINT64_MAX;
  uint64_t left = UINT64_MAX;
  for (size_t length = strlen(folder); length >= strlen(mount); length--) {
    if (folder[length] != '/' && folder[length] != '\0')
      continue;
    folder[length] = '\0';
    left = least(left, group_available(folder, files));
  }
  return left;
}

/* A line of /proc/self/cgroup: "number:controllers:path"; version 2 has no controllers. */
static uint64_t group_line(const char *root, char *line) {
  char mount[PATH];
  char *controllers = strchr(line, ':');
  char *path = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!path)
    return UINT64_MAX;
  *controllers++ = *path++ = '\0';
  path[strcspn(path, "\n")] = '\0';
  bool second = !*controllers;
  if (!second && !strstr(controllers, "memory"))
    return UINT64_MAX;
  snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, second ? "" : "/memory");
  return groups_available(mount, path, second ? &version_2 : &version_1);
}

static uint64_t control_group_available(const char *root) {
  char line[LINE];
  uint64_t left = UINT64_MAX;
  FILE *file = open_file("%s/proc/self/cgroup", root);
  while (file && fgets(line, sizeof line, file))
    left = least(left, group_line(root, line));
  if (file)
    fclose(file);
  return left;
}

/* ---- resource limits ------------------------------------------------------------------------- */

static uint64_t resource_limit(int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return UINT64_MAX;
  return limit.rlim_cur;
}

static uint64_t resource_limits_available(const char *root) {
  uint64_t pages = 0, data = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
  FILE *file = open_file("%s/proc/self/statm", root);
  if (file) {
    if (fscanf(file, "%" SCNu64 " %*u %*u %*u %*u %" SCNu64, &pages, &data) != 2)
      data = pages;
    fclose(file);
  }
  uint64_t space = resource_limit(RLIMIT_AS), heap = resource_limit(RLIMIT_DATA);
  space = space == UINT64_MAX ? space : minus(space, pages * page);
  heap = heap == UINT64_MAX ? heap : minus(heap, data * page);
  return least(space, heap);
}

uint64_t memory_available_under(const char *root) {
  uint64_t bytes = least(machine_available(root), control_group_available(root));
  bytes = least(bytes, resource_limits_available(root));
  /* no limit found: the size of the machine */
  if (bytes == UINT64_MAX)
    bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  return bytes;
}

uint64_t floe_memory_available(void) { return memory_available_under(""); }
