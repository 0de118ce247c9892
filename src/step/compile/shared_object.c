#include "step/compile/shared_object.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where /proc is missing the name has to do: its folder is one that nobody else can write to. */
static const char *path_of(int file, const char *name, char path[32]) {
  snprintf(path, 32, "/proc/self/fd/%d", file);
  return access(path, F_OK) == 0 ? path : name;
}

/* The loader's words begin with the path that it was given. */
static void explain(struct reason *reason, const char *path, const char *name) {
  const char *words = dlerror();
  size_t n = strlen(path);
  if (words && strncmp(words, path, n) == 0)
    reason_set(reason, "%s%s", name, words + n);
  else
    reason_set(reason, "%s: %s", name, words ? words : "it cannot be loaded");
}

/* The loader takes two files of one path for the same, so the descriptor is open for as long as the
 * library lives. */
bool library_open(struct library *library, int file, const char *name, struct reason *reason) {
  assert(file >= 0);
  char numbered[32];
  const char *path = path_of(file, name, numbered);
  *library = (struct library){.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), .file = file};
  if (library->handle)
    return true;
  explain(reason, path, name);
  close(file);
  return false;
}

void library_close(struct library *library) {
  if (!library->handle)
    return;
  dlclose(library->handle);
  close(library->file);
  library->handle = NULL;
}
