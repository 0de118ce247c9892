/* Temporary file for data that do not fit memory: it never has a name, or loses it at once, so that no other process
   finds it and a killed process leaves nothing. */
#ifndef FLOE_BASE_TEMPFILE_H
#define FLOE_BASE_TEMPFILE_H

/* Its folder: $TMPDIR, else /tmp. */
const char *tempfile_folder(void);
/* Descriptor for reading and writing; -1 with errno. Closing removes the file. */
int tempfile_open(void);

#endif
