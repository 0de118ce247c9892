/* A private folder for one compilation, in $TMPDIR or /tmp: source, object, and the compiler's temporary files. */
#ifndef FLOE_STEP_COMPILE_COMPILE_DIR_H
#define FLOE_STEP_COMPILE_COMPILE_DIR_H

#include "step/compile/compiler.h"

struct compile_dir {
  char folder[PATH_MAX], source[PATH_MAX + 16], object[PATH_MAX + 16];
};

/* Creates the folder. False with a reason. Also removes old folders that killed floe processes of this user left. */
bool compile_dir_open(struct compile_dir *dir, struct reason *reason);
void compile_dir_close(struct compile_dir *dir);

#endif
