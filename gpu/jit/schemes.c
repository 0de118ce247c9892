/* Registry of the schemes with device support. */
#include "gpu/jit/scheme.h"

static const struct gpu_scheme *const schemes[] = {&gpu_iceberg, &gpu_linear, &gpu_cuckoo, &gpu_robin_hood,
                                                   &gpu_bitmap};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

const struct gpu_scheme *gpu_scheme_at(size_t i) { return i < SCHEMES ? schemes[i] : NULL; }

const struct gpu_scheme *gpu_scheme_find(const char *scheme) {
  const struct table_scheme *wanted = table_scheme_find(scheme);
  for (size_t i = 0; i < SCHEMES; i++)
    if (schemes[i]->scheme == wanted)
      return schemes[i];
  return NULL;
}

bool gpu_scheme_explores(const char *scheme) {
  const struct gpu_scheme *found = gpu_scheme_find(scheme);
  return found && found->visited;
}

const char *gpu_operation_word(enum table_operation operation) {
  static const char *const words[TABLE_OPERATIONS] = {[TABLE_FIND] = "find",   [TABLE_FIND_OR_PUT] = "find_or_put",
                                                      [TABLE_PUT_NEW] = "put", [TABLE_DELETE] = "delete",
                                                      [TABLE_GET] = "get",     [TABLE_ADD] = "add"};
  return words[operation];
}
