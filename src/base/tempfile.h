/* A file for what memory has no room for: it never has a name, or loses it at once, so that nobody else finds it and a
   process that is killed leaves nothing. */
#ifndef FLOE_TEMPFILE_H
#define FLOE_TEMPFILE_H

/* Where it lies: $TMPDIR, else /tmp. */
const char *tempfile_folder(void);
/* A descriptor for reading and writing; -1 with errno. It is gone when it is closed. */
int tempfile_open(void);

#endif
