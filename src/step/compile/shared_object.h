/* A shared object loaded from an open file: the loaded file is the one that was checked, even if its name now belongs
   to another file. */
#ifndef FLOE_STEP_COMPILE_SHARED_OBJECT_H
#define FLOE_STEP_COMPILE_SHARED_OBJECT_H

#include "step/compile/compiler.h"

struct shared_object {
  void *handle; /* NULL: none */
  int file;
};

/* Takes ownership of `file`; `name` is its path, for messages. False with a reason. */
bool shared_object_open(struct shared_object *object, int file, const char *name, struct reason *reason);
void shared_object_close(struct shared_object *object); /* no effect if none is loaded */

#endif
