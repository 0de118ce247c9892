/* Modules: shared objects of floe, built if their dependencies are found and loaded on demand, so that floe itself
   is built and runs without these dependencies. */
#ifndef FLOE_CORE_SYSTEM_MODULE_H
#define FLOE_CORE_SYSTEM_MODULE_H

#include "core/reason.h"

struct module_place {
  const char *file;      /* its file name */
  const char *variable;  /* environment variable with the path to use instead of all others */
  const char *built;     /* the folder in the tree where it is built */
  const char *installed; /* the folder where it is installed */
  const char *symbol;    /* the symbol that it exports */
  int flags;             /* for dlopen, besides RTLD_NOW and RTLD_NODELETE */
};

/* Loads the module: beside the program, in `built` beside the program or its folder (build tree), or where it is
   installed. Returns the address of its symbol; NULL: no such file, and `why` is empty, or no file that can be
   loaded, and `why` is the loader's message for the first one. A loaded module stays until the process ends. */
void *module_open(const struct module_place *place, struct reason *why);
/* The file that was searched, for messages. */
const char *module_file_name(const struct module_place *place);

#endif
