/* Files of a checkpoint's generations: FILE is the newest, FILE.previous the one before. */
#ifndef FLOE_CHECKPOINT_GENERATIONS_H
#define FLOE_CHECKPOINT_GENERATIONS_H

#include "base/atomic_file.h"

struct checkpoint_generations {
  struct atomic_file new;
  char previous[PATH_MAX];
};

/* All functions return false with errno. EEXIST: the existing file is not a checkpoint. */
bool generations_open(struct checkpoint_generations *files, const char *path);
/* Synchronises the new file and renames it to FILE; a valid FILE becomes FILE.previous. After each step one of both
   names is a complete checkpoint, if there was one before. *in_place: the new file has the name FILE, even if a
   later step failed. */
bool generations_commit(struct checkpoint_generations *files, bool *in_place);
void generations_abandon(
    struct checkpoint_generations *files); /* call it after generations_open, whether or not it was committed */

/* "PATH.previous"; false: too long. */
bool generations_previous(const char *path, char previous[PATH_MAX]);

#endif
