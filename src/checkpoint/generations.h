/* The names of a checkpoint's generations: FILE is the newest, FILE.previous the one before. */
#ifndef FLOE_CHECKPOINT_PLACE_H
#define FLOE_CHECKPOINT_PLACE_H

#include "base/atomic_file.h"

struct place_of {
  struct newfile new;
  char previous[PATH_MAX];
};

/* All false with errno. EEXIST: what has the name is no checkpoint. */
bool place_open(struct place_of *place, const char *path);
/* What is written is on the disk and has the name, FILE is FILE.previous if it was sound; after each step of it there
   is a whole checkpoint under one of both names, if there was one before. *stands: the new one has the name, whatever
   failed after. */
bool place_take(struct place_of *place, bool *stands);
void place_drop(struct place_of *place); /* after either of both */

/* "PATH.previous"; false: too long. */
bool place_previous(const char *path, char previous[PATH_MAX]);

#endif
