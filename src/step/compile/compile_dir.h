/* A private folder for one compilation, in $TMPDIR or /tmp: source, object, and what the compiler
   needs for itself. */
#ifndef FLOE_WORKSHOP_H
#define FLOE_WORKSHOP_H

#include "step/compile/compiler.h"

struct compile_dir {
  char folder[PATH_MAX], source[PATH_MAX + 16], object[PATH_MAX + 16];
};

/* False with a reason. Removes old folders of this user, whose floe was killed, on the way. */
bool compile_dir_open(struct compile_dir *dir, struct reason *reason);
void compile_dir_close(struct compile_dir *dir);

#endif
