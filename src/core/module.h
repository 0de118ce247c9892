/* Modules: shared objects of floe's own, built where configure finds what they need and opened when they are wanted, so
   that floe is built and runs without. */
#ifndef FLOE_MODULE_H
#define FLOE_MODULE_H

#include "core/reason.h"

struct module_place {
  const char *file;      /* its name */
  const char *variable;  /* of the environment: the path of the one to take, and of no other */
  const char *built;     /* the folder in the tree where it is built */
  const char *installed; /* the folder where it is installed */
  const char *symbol;    /* what it exports */
  int flags;             /* of dlopen, beside RTLD_NOW and RTLD_NODELETE */
};

/* Opens the module: beside the program, in `built` beside it or beside its folder (where it was built), or where it was
   installed. The address of its symbol; NULL: there is no such file, and `why` is empty, or none that the loader takes,
   in its words of the first. What is opened stays until the process ends. */
void *module_open(const struct module_place *place, struct reason *why);
/* The file that was looked for, as messages name it. */
const char *module_wanted(const struct module_place *place);

#endif
