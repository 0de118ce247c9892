#include "step/compile/shared_object.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Without /proc the name is used: no other user can write to its folder. */
static const char *loadable_path(int file, const char *name, char path[32]) {
  snprintf(path, 32, "/proc/self/fd/%d", file);
  return access(path, F_OK) == 0 ? path : name;
}

/* The loader's message begins with the path it was given; replaces it by the name. */
static void set_load_reason(struct reason *reason, const char *path, const char *name) {
  const char *error = dlerror();
  size_t n = strlen(path);
  if (error && strncmp(error, path, n) == 0)
    reason_set(reason, "%s%s", name, error + n);
  else
    reason_set(reason, "%s: %s", name, error ? error : "it cannot be loaded");
}

/* The loader identifies files by path, so the descriptor stays open as long as the object is loaded. */
bool shared_object_open(struct shared_object *object, int file, const char *name, struct reason *reason) {
  assert(file >= 0);
  char numbered[32];
  const char *path = loadable_path(file, name, numbered);
  *object = (struct shared_object){.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), .file = file};
  if (object->handle)
    return true;
  set_load_reason(reason, path, name);
  close(file);
  return false;
}

void shared_object_close(struct shared_object *object) {
  if (!object->handle)
    return;
  dlclose(object->handle);
  close(object->file);
  object->handle = NULL;
}
