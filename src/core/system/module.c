#define _GNU_SOURCE
#include "core/system/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first existing file provides the reason; the loader's message names it. */
static void keep_error(struct reason *why, const char *path) {
  const char *words = dlerror();
  if (words && !*why->text && access(path, F_OK) == 0)
    reason_set(why, "%s", words);
}

static void *try_module(const struct module_place *place, const char *path, struct reason *why) {
  void *library = dlopen(path, RTLD_NOW | RTLD_NODELETE | place->flags);
  void *symbol = library ? dlsym(library, place->symbol) : NULL;
  if (symbol)
    return symbol;
  keep_error(why, path);
  if (library)
    dlclose(library);
  return NULL;
}

/* Folder of the program, without trailing slash. False: unknown. */
static bool program_folder(char *out, size_t size) {
  ssize_t length = readlink("/proc/self/exe", out, size - 1);
  if (length <= 0)
    return false;
  out[length] = 0;
  char *slash = strrchr(out, '/');
  if (!slash)
    return false;
  *slash = 0;
  return true;
}

static void *search_module(const struct module_place *place, struct reason *why) {
  const char *const between[][2] = {{"/", ""}, {"/", place->built}, {"/../", place->built}};
  char folder[PATH_MAX], path[PATH_MAX + 256];
  void *symbol = NULL;
  if (program_folder(folder, sizeof folder))
    for (size_t i = 0; i < sizeof between / sizeof *between && !symbol; i++) {
      snprintf(path, sizeof path, "%s%s%s/%s", folder, between[i][0], between[i][1], place->file);
      symbol = try_module(place, path, why);
    }
  snprintf(path, sizeof path, "%s/%s", place->installed, place->file);
  return symbol ? symbol : try_module(place, path, why);
}

static const char *wish(const struct module_place *place) {
  const char *path = getenv(place->variable);
  return path && *path ? path : NULL;
}

void *module_open(const struct module_place *place, struct reason *why) {
  *why->text = 0;
  return wish(place) ? try_module(place, wish(place), why) : search_module(place, why);
}

const char *module_file_name(const struct module_place *place) { return wish(place) ? wish(place) : place->file; }
