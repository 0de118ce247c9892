/* Code runs only from what nobody but its user can have written. The rule, once: for the folder of
   compiled models, for every entry in it, of the CPU's code and of the GPU's, and for the folder
   that compilations work in. */
#ifndef FLOE_TRUST_H
#define FLOE_TRUST_H

#include <sys/stat.h>

/* NULL: it belongs to the user in whose name floe runs, and neither its group nor others may write
   to it (lists of access rights count: their mask is in the group's place). Else why it is not to
   be trusted, in words. */
const char *file_trust_why_not(const struct stat *info);

/* The same for a folder in which others may make files of their own, as in /tmp: NULL also where
   nobody can rename or remove what is another's, since it is root's or this user's and has the
   sticky bit. */
const char *file_trust_shared_why_not(const struct stat *info);

#endif
