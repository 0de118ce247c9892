#define _GNU_SOURCE
#include "step/compile/compile_dir.h"

#include "base/utf8.h"
#include "core/system/file_trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "floe-compile-"
#define SUFFIX "XXXXXX"

/* Longer than any compilation. */
#define STALE_SECONDS 3600

/* Removes the files in the folder and then the folder. False: it still contains something. */
static bool remove_folder(int parent, const char *name) {
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;
  if (!entries) {
    if (folder >= 0)
      close(folder);
    return true; /* not a folder that can be removed here */
  }
  for (struct dirent *entry; (entry = readdir(entries));)
    unlinkat(folder, entry->d_name, 0); /* fails for subfolders */
  closedir(entries);
  return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno != ENOTEMPTY;
}

static bool is_stale(int parent, const char *name) {
  struct stat info;
  return !strncmp(name, PREFIX, strlen(PREFIX)) && strlen(name) == strlen(PREFIX SUFFIX) &&
         !fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
         (info.st_mode & 0777) == 0700 && time(NULL) - info.st_mtime > STALE_SECONDS;
}

/* Removes folders that killed floe processes left behind. */
static void remove_stale(const char *temporary) {
  DIR *entries = opendir(temporary);
  if (!entries)
    return;
  int parent = dirfd(entries);
  for (struct dirent *entry; (entry = readdir(entries));)
    if (is_stale(parent, entry->d_name))
      remove_folder(parent, entry->d_name);
  closedir(entries);
}

/* In a folder in which other users may rename files they could replace the compiler's output. Folders above it are
   trusted, as by every program that makes temporary files. */
static const char *distrust_reason(const char *temporary) {
  struct stat info;
  return stat(temporary, &info) == 0 ? file_trust_shared_why_not(&info) : strerror(errno);
}

bool compile_dir_open(struct compile_dir *dir, struct reason *reason) {
  struct utf8_shown shown;
  const char *temporary = getenv("TMPDIR");
  if (!temporary || !*temporary)
    temporary = "/tmp";
  const char *why = distrust_reason(temporary);
  if (why) {
    reason_set(reason, "cannot create a temporary folder in %s: %s", utf8_show(temporary, &shown), why);
    return false;
  }
  remove_stale(temporary);
  int length = snprintf(dir->folder, PATH_MAX, "%s/" PREFIX SUFFIX, temporary);
  if (length >= PATH_MAX || !mkdtemp(dir->folder)) {
    reason_set(reason, "cannot create a temporary folder in %s: %s", utf8_show(temporary, &shown),
               strerror(length >= PATH_MAX ? ENAMETOOLONG : errno));
    return false;
  }
  snprintf(dir->source, sizeof dir->source, "%s/model.c", dir->folder);
  snprintf(dir->object, sizeof dir->object, "%s/model.so", dir->folder);
  return true;
}

/* A process that a killed compiler started may still create a file, so removal is retried. */
void compile_dir_close(struct compile_dir *dir) {
  for (int i = 0; i < 50 && !remove_folder(AT_FDCWD, dir->folder); i++)
    poll(NULL, 0, 10);
}
