#define _GNU_SOURCE
#include "step/compile/code_cache.h"

#include "base/atomic_file.h"
#include "base/utf8.h"
#include "base/whole_io.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/system/file_trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* At the end of every entry: this mark, then the SHA-256 of all bytes before it. */
static const char mark[8] = "floe\0so1";
#define TRAILER (sizeof mark + DIGEST_BYTES)

/* ---- the folder ------------------------------------------------------------------------------ */

/* Creates parents too, as mkdir -p does. */
static int make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    int failed = mkdir(path, 0700) && errno != EEXIST;
    *slash = '/';
    if (failed)
      return -1;
  }
  return mkdir(path, 0700) && errno != EEXIST ? -1 : 0;
}

/* Opens a folder that is to be trusted; -1: `why` is the reason. */
static int open_folder(const char *path, const char **why) {
  struct stat info;
  int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  *why = NULL;
  if (folder < 0)
    *why = errno == ENOTDIR ? "it is not a folder" : strerror(errno);
  else if (fstat(folder, &info) != 0)
    *why = strerror(errno);
  else
    *why = file_trust_why_not(&info);
  if (!*why)
    return folder;
  if (folder >= 0)
    close(folder);
  return -1;
}

floe_status code_cache_open(const char *folder, struct code_cache *out, struct reason *reason) {
  const char *why;
  *out->folder = '\0';
  out->ending = ".so";
  if (!folder || !*folder)
    return FLOE_OK;
  char path[CACHE_FOLDER_MAX];
  if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) {
    reason_set(reason, "its name is too long");
    return FLOE_ERROR_IO;
  }
  if (make_folders(path)) {
    reason_set(reason, "%s", strerror(errno));
    return FLOE_ERROR_IO;
  }
  int opened = open_folder(path, &why);
  if (opened < 0) {
    reason_set(reason, "%s", why);
    return FLOE_ERROR_IO;
  }
  close(opened);
  strcpy(out->folder, path);
  return FLOE_OK;
}

void code_cache_log_unused(floe_log *log, const char *folder, const struct reason *why) {
  struct utf8_shown shown;
  diag_note(log, NULL, NOWHERE, NULL, "the cache folder %s is not used: %s", utf8_show(folder, &shown), why->text);
}

void code_cache_path(const struct code_cache *cache, const char *key, char path[PATH_MAX]) {
  snprintf(path, PATH_MAX, "%s/%s%s", cache->folder, key, cache->ending);
}

void code_cache_remove(const struct code_cache *cache, const char *key) {
  char path[PATH_MAX];
  code_cache_path(cache, key, path);
  unlink(path);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool digest_of(int file, uint64_t length, unsigned char digest[DIGEST_BYTES]) {
  struct digest hash;
  unsigned char bytes[16384];
  digest_init(&hash);
  while (length) {
    size_t n = length < sizeof bytes ? (size_t)length : sizeof bytes;
    if (!read_whole(file, bytes, n))
      return false;
    digest_add(&hash, bytes, n);
    length -= n;
  }
  digest_finish(&hash, digest);
  return true;
}

static bool is_whole(int file) {
  struct stat info;
  unsigned char digest[DIGEST_BYTES], trailer[TRAILER];
  return !fstat(file, &info) && S_ISREG(info.st_mode) && !file_trust_why_not(&info) && info.st_size > (off_t)TRAILER &&
         digest_of(file, (uint64_t)info.st_size - TRAILER, digest) && read_whole(file, trailer, TRAILER) &&
         !memcmp(trailer, mark, sizeof mark) && !memcmp(trailer + sizeof mark, digest, sizeof digest);
}

/* Does not follow links. O_NONBLOCK: opening a FIFO in its place does not wait. */
static int open_in(int folder, const char *name) {
  int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0 && errno == ENOENT)
    return -1;
  if (file >= 0 && is_whole(file))
    return file;
  if (file >= 0)
    close(file);
  unlinkat(folder, name, 0); /* damaged, a link, unreadable or of another user */
  return -1;
}

int code_cache_open_entry(const struct code_cache *cache, const char *key) {
  char name[NAME_MAX + 1];
  const char *why;
  int folder = *cache->folder ? open_folder(cache->folder, &why) : -1;
  if (folder < 0)
    return -1;
  snprintf(name, sizeof name, "%s%s", key, cache->ending);
  int file = open_in(folder, name);
  close(folder);
  return file;
}

bool code_cache_has(const struct code_cache *cache, const char *key) {
  int file = code_cache_open_entry(cache, key);
  if (file >= 0)
    close(file);
  return file >= 0;
}

/* Entries are never modified, so a file that was complete stays so while it is read. */
bool code_cache_read(const struct code_cache *cache, const char *key, void **bytes, size_t *length) {
  struct stat info;
  void *read = NULL;
  int file = code_cache_open_entry(cache, key);
  if (file < 0)
    return false;
  if (!fstat(file, &info) && lseek(file, 0, SEEK_SET) == 0 && (read = mem_alloc((size_t)info.st_size - TRAILER)) &&
      read_whole(file, read, (size_t)info.st_size - TRAILER)) {
    *bytes = read;
    *length = (size_t)info.st_size - TRAILER;
  } else {
    mem_free(read);
    read = NULL;
  }
  close(file);
  return read != NULL;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool copy_with_trailer(int from, int to) {
  struct digest hash;
  unsigned char bytes[16384], digest[DIGEST_BYTES];
  ssize_t n;
  digest_init(&hash);
  while ((n = read(from, bytes, sizeof bytes)) > 0) {
    digest_add(&hash, bytes, (size_t)n);
    if (!write_whole(to, bytes, (size_t)n))
      return false;
  }
  digest_finish(&hash, digest);
  return n == 0 && write_whole(to, mark, sizeof mark) && write_whole(to, digest, sizeof digest);
}

/* Readable by its user alone, whatever the umask. */
#define ENTRY_MODE 0600

/* Renaming makes the entry visible as a whole; fsync before it keeps this true after a power failure. */
static bool publish(const struct code_cache *cache, const char *key, int object, struct reason *reason) {
  char path[PATH_MAX];
  struct atomic_file new;
  code_cache_path(cache, key, path);
  bool written = atomic_file_open(&new, path, ENTRY_MODE) && copy_with_trailer(object, new.file) && !fsync(new.file) &&
                 atomic_file_commit(&new);
  if (!written)
    reason_set(reason, "%s", strerror(errno));
  atomic_file_abort(&new);
  return written;
}

floe_status code_cache_store(const struct code_cache *cache, const char *key, const char *object,
                             struct reason *reason) {
  int from = open(object, O_RDONLY | O_CLOEXEC);
  if (from < 0) {
    reason_set(reason, "%s", strerror(errno));
    return FLOE_ERROR_IO;
  }
  bool stored = publish(cache, key, from, reason);
  close(from);
  return stored ? FLOE_OK : FLOE_ERROR_IO;
}

floe_status code_cache_store_bytes(const struct code_cache *cache, const char *key, const void *bytes, size_t length,
                                   struct reason *reason) {
  int object = memfd_create(key, MFD_CLOEXEC);
  bool written = object >= 0 && write_whole(object, bytes, length) && lseek(object, 0, SEEK_SET) == 0;
  if (!written)
    reason_set(reason, "%s", strerror(errno));
  bool stored = written && publish(cache, key, object, reason);
  if (object >= 0)
    close(object);
  return stored ? FLOE_OK : FLOE_ERROR_IO;
}
