/* The names of a checkpoint's generations: FILE is the newest, FILE.previous the one before. */
#ifndef FLOE_CHECKPOINT_PLACE_H
#define FLOE_CHECKPOINT_PLACE_H

#include "base/atomic_file.h"

struct checkpoint_generations {
  struct newfile new;
  char previous[PATH_MAX];
};

/* All false with errno. EEXIST: what has the name is no checkpoint. */
bool generations_open(struct checkpoint_generations *place, const char *path);
/* What is written is on the disk and has the name, FILE is FILE.previous if it was sound; after each step of it there
   is a whole checkpoint under one of both names, if there was one before. *stands: the new one has the name, whatever
   failed after. */
bool generations_commit(struct checkpoint_generations *place, bool *stands);
void generations_abandon(struct checkpoint_generations *place); /* after either of both */

/* "PATH.previous"; false: too long. */
bool generations_previous(const char *path, char previous[PATH_MAX]);

#endif
