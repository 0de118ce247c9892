#define _GNU_SOURCE
#include "core/system/defaults.h"

#include "base/utf8.h"
#include "core/diag.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

unsigned defaults_threads(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (unsigned)n;
}

static const char *environment(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static const char *default_cache(struct arena *arena) {
  const char *folder = getenv("FLOE_CACHE_DIR"); /* set but empty: no cache */
  if (folder)
    return folder;
  folder = environment("XDG_CACHE_HOME");
  if (folder && folder[0] == '/')
    return arena_printf(arena, "%s/floe", folder);
  folder = environment("HOME");
  return folder ? arena_printf(arena, "%s/.cache/floe", folder) : "";
}

const char *defaults_cache(const char *given, struct arena *arena) { return given ? given : default_cache(arena); }

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; names++)
    if (strcmp(*names, name) == 0)
      return true;
  return false;
}

floe_status defaults_check_name(floe_log *log, struct arena *arena, const char *kind, const char *name,
                                const char *const *names) {
  if (is_one_of(name, names))
    return FLOE_OK;
  struct utf8_shown shown;
  size_t count = 0;
  const char *list = "";
  for (; names[count]; count++)
    list = arena_printf(arena, "%s%s%s", list, count ? ", " : "", names[count]);
  const char *near = most_similar_name(name, names, count);
  const char *hint = near ? arena_printf(arena, "did you mean '%s'?", near) : arena_printf(arena, "there is %s", list);
  diag_error(log, NULL, NOWHERE, hint, "there is no %s '%s'", kind, utf8_show(name, &shown));
  return FLOE_ERROR_USAGE;
}
