#include "core/system/file_trust.h"

#include <stddef.h>
#include <unistd.h>

static const char *const writable = "other users can write to it";

const char *file_trust_why_not(const struct stat *info) {
  if (info->st_uid != geteuid())
    return "it belongs to another user";
  return info->st_mode & (S_IWGRP | S_IWOTH) ? writable : NULL;
}

const char *file_trust_shared_why_not(const struct stat *info) {
  if (info->st_uid != geteuid() && info->st_uid != 0)
    return "it belongs to another user";
  return info->st_mode & (S_IWGRP | S_IWOTH) && !(info->st_mode & S_ISVTX)
             ? "other users can write to it, and it has no sticky bit"
             : NULL;
}
