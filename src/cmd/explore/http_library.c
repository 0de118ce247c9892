#include "config.h"

#include "cmd/explore/http_library.h"

#include <dlfcn.h>
#include <stdio.h>

#if HAVE_MICROHTTPD_H
static const char *const names[] = {"libmicrohttpd.so.12", "libmicrohttpd.so"};

static void *open_library(void) {
  void *library = NULL;
  for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  return library;
}

const struct http_library *http_library_open(char *error, size_t size) {
  static struct http_library library;
  void *const handle = open_library();
  if (!handle) {
    snprintf(error, size, "libmicrohttpd is not installed (Debian: libmicrohttpd12)");
    return NULL;
  }
#define FIND(name)                                                                                                     \
  if (!(*(void **)&library.name = dlsym(handle, #name))) {                                                             \
    snprintf(error, size, "%s has no function %s", names[0], #name);                                                   \
    return NULL;                                                                                                       \
  }
  HTTP_FUNCTIONS(FIND)
#undef FIND
  return &library;
}
#else
const struct http_library *http_library_open(char *error, size_t size) {
  snprintf(error, size, "floe was built without the header microhttpd.h (Debian: libmicrohttpd-dev)");
  return NULL;
}
#endif
