/* A file that is written without a name, or under a temporary one where the file system cannot do
   without, and takes its name when all is written: under that name is the old file or the whole new
   one, and a process that is killed leaves nothing. */
#ifndef FLOE_NEWFILE_H
#define FLOE_NEWFILE_H

#include <limits.h>
#include <stdbool.h>

struct newfile {
  int file; /* for writing; -1: closed */
  char path[PATH_MAX];
  char name[PATH_MAX]; /* its temporary name; "": none */
};

/* All return false with errno. The file is as readable as any other new one: 0666 less the umask.
 */
bool newfile_open(struct newfile *new, const char *path);
/* Closes the file and gives it its name, in the place of a file that is there already. On failure
   there is nothing left of the new one. */
bool newfile_take_name(struct newfile *new);
/* Closes and removes it; does nothing after either of both. errno stays. */
void newfile_drop(struct newfile *new);

#endif
