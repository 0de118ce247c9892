/* A shared object that is loaded from an open file: what was looked at is what runs, whatever
 * became of its name. */
#ifndef FLOE_LIBRARY_H
#define FLOE_LIBRARY_H

#include "step/compile/compiler.h"

struct library {
  void *handle; /* NULL: none */
  int file;
};

/* Takes `file`; `name` is its path, for messages. False with a reason. */
bool library_open(struct library *library, int file, const char *name, struct reason *reason);
void library_close(struct library *library); /* nothing where there is none */

#endif
