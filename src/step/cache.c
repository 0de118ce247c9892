#define _GNU_SOURCE
#include "step/cache.h"

#include "core/mem.h"
#include "core/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* At the end of every entry: this mark, then the SHA-256 of all bytes before it. */
static const char mark[8] = "floe\0so1";
#define TRAILER (sizeof mark + SHA256_BYTES)

/* ---- the folder --------------------------------------------------------------------------------
 */

/* Parents too, as mkdir -p does. */
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

floe_status cache_open(const char *folder, struct cache *out, struct reason *reason) {
  struct stat info;
  *out->folder = '\0';
  out->ending = ".so";
  if (!folder || !*folder)
    return FLOE_OK;
  char path[CACHE_FOLDER_MAX];
  if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) {
    reason_set(reason, "its name is too long");
    return FLOE_ERROR_IO;
  }
  if (make_folders(path) || stat(path, &info)) {
    reason_set(reason, "%s", strerror(errno));
    return FLOE_ERROR_IO;
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || info.st_mode & 022) {
    reason_set(reason, !S_ISDIR(info.st_mode)     ? "it is not a folder"
                       : info.st_uid != geteuid() ? "it belongs to another user"
                                                  : "others may write to it");
    return FLOE_ERROR_IO;
  }
  strcpy(out->folder, path);
  return FLOE_OK;
}

void cache_path(const struct cache *cache, const char *key, char path[PATH_MAX]) {
  snprintf(path, PATH_MAX, "%s/%s%s", cache->folder, key, cache->ending);
}

void cache_remove(const struct cache *cache, const char *key) {
  char path[PATH_MAX];
  cache_path(cache, key, path);
  unlink(path);
}

/* ---- reading -----------------------------------------------------------------------------------
 */

/* Reads exactly `length` bytes. */
static bool read_all(int file, void *bytes, size_t length) {
  char *to = bytes;
  while (length) {
    ssize_t n = read(file, to, length);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    to += n;
    length -= (size_t)n;
  }
  return true;
}

static bool digest_of(int file, uint64_t length, unsigned char digest[SHA256_BYTES]) {
  struct sha256 hash;
  unsigned char bytes[16384];
  sha256_init(&hash);
  while (length) {
    size_t n = length < sizeof bytes ? (size_t)length : sizeof bytes;
    if (!read_all(file, bytes, n))
      return false;
    sha256_add(&hash, bytes, n);
    length -= n;
  }
  sha256_finish(&hash, digest);
  return true;
}

static bool is_whole(int file) {
  struct stat info;
  unsigned char digest[SHA256_BYTES], trailer[TRAILER];
  return !fstat(file, &info) && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
         info.st_size > (off_t)TRAILER &&
         digest_of(file, (uint64_t)info.st_size - TRAILER, digest) &&
         read_all(file, trailer, TRAILER) && !memcmp(trailer, mark, sizeof mark) &&
         !memcmp(trailer + sizeof mark, digest, sizeof digest);
}

/* A whole entry, open; -1: there is none. */
static int open_whole(const struct cache *cache, const char *key) {
  char path[PATH_MAX];
  if (!*cache->folder)
    return -1;
  cache_path(cache, key, path);
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) {
    if (errno != ENOENT)
      cache_remove(cache, key); /* a link, or unreadable: not ours */
    return -1;
  }
  if (is_whole(file))
    return file;
  close(file);
  cache_remove(cache, key);
  return -1;
}

bool cache_has(const struct cache *cache, const char *key) {
  int file = open_whole(cache, key);
  if (file >= 0)
    close(file);
  return file >= 0;
}

/* An entry is never written to again, so that what was whole is what is read. */
bool cache_read(const struct cache *cache, const char *key, void **bytes, size_t *length) {
  struct stat info;
  void *read = NULL;
  int file = open_whole(cache, key);
  if (file < 0)
    return false;
  if (!fstat(file, &info) && lseek(file, 0, SEEK_SET) == 0 &&
      (read = mem_alloc((size_t)info.st_size - TRAILER)) &&
      read_all(file, read, (size_t)info.st_size - TRAILER)) {
    *bytes = read;
    *length = (size_t)info.st_size - TRAILER;
  } else {
    mem_free(read);
    read = NULL;
  }
  close(file);
  return read != NULL;
}

/* ---- writing -----------------------------------------------------------------------------------
 */

static bool write_all(int file, const void *bytes, size_t length) {
  const char *from = bytes;
  while (length) {
    ssize_t n = write(file, from, length);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    from += n;
    length -= (size_t)n;
  }
  return true;
}

static bool copy_with_trailer(int from, int to) {
  struct sha256 hash;
  unsigned char bytes[16384], digest[SHA256_BYTES];
  ssize_t n;
  sha256_init(&hash);
  while ((n = read(from, bytes, sizeof bytes)) > 0) {
    sha256_add(&hash, bytes, (size_t)n);
    if (!write_all(to, bytes, (size_t)n))
      return false;
  }
  sha256_finish(&hash, digest);
  return n == 0 && write_all(to, mark, sizeof mark) && write_all(to, digest, sizeof digest);
}

/* The name makes the entry visible as a whole; the sync before it, that it is one after a power
 * failure as well. */
static bool publish(const struct cache *cache, const char *key, int object, struct reason *reason) {
  char path[PATH_MAX];
  struct newfile new;
  cache_path(cache, key, path);
  bool written = newfile_open(&new, path) && copy_with_trailer(object, new.file) &&
                 !fsync(new.file) && newfile_take_name(&new);
  if (!written)
    reason_set(reason, "%s", strerror(errno));
  newfile_drop(&new);
  return written;
}

floe_status cache_store(const struct cache *cache, const char *key, const char *object,
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

floe_status cache_store_bytes(const struct cache *cache, const char *key, const void *bytes,
                              size_t length, struct reason *reason) {
  int object = memfd_create(key, MFD_CLOEXEC);
  bool written = object >= 0 && write_all(object, bytes, length) && lseek(object, 0, SEEK_SET) == 0;
  if (!written)
    reason_set(reason, "%s", strerror(errno));
  bool stored = written && publish(cache, key, object, reason);
  if (object >= 0)
    close(object);
  return stored ? FLOE_OK : FLOE_ERROR_IO;
}
