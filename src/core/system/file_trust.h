/* Rule for files with executable code: only the user may be able to write them. Used for the code cache's folder and
   entries (CPU and GPU code) and for the compiler's working folder. */
#ifndef FLOE_CORE_SYSTEM_FILE_TRUST_H
#define FLOE_CORE_SYSTEM_FILE_TRUST_H

#include <sys/stat.h>

/* NULL: the file belongs to the effective user, and neither its group nor others can write to it (with access
   control lists, their mask counts as the group's rights). Otherwise the reason, in words. */
const char *file_trust_why_not(const struct stat *info);

/* The same for a folder in which others may create files, such as /tmp: NULL also if it belongs to root or this user
   and has the sticky bit, so that no other user can rename or remove its files. */
const char *file_trust_shared_why_not(const struct stat *info);

#endif
