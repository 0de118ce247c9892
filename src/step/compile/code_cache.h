/* The folder of compiled models. A file is named after the SHA-256 of everything that it depends
   on, appears complete or not at all (base/atomic_file.h), and ends with a checksum of itself, which is
   verified before every use: a file that was cut short or changed is removed and made again. Any
   number of processes may share a folder.

   Entries are code, and readable by their user alone. An entry is used only where the folder, when
   it was opened, and the entry itself, open since it was looked at, are to be trusted
   (core/file_trust.h); what runs is that open file (step/compile/shared_object.h). Who can rename folders above this
   one can take the cache away, but cannot put code into it. */
#ifndef FLOE_CACHE_H
#define FLOE_CACHE_H

#include "step/compile/compiler.h"

/* Room for the name of an entry remains up to PATH_MAX. */
#define CACHE_FOLDER_MAX (PATH_MAX - 128)

struct cache {
  char folder[CACHE_FOLDER_MAX]; /* "": none */
  const char *ending;            /* of the entries' names: ".so"; others may be set after cache_open */
};

/* Makes the folder where it is missing, for this user alone. FLOE_ERROR_IO with a reason, and no
   cache, where it cannot be made, belongs to somebody else or may be written by others. `folder` ""
   or NULL: no cache, FLOE_OK. */
floe_status cache_open(const char *folder, struct cache *out, struct reason *reason);

/* The note that it is not used, and why. */
void cache_tell_unused(floe_log *log, const char *folder, const struct reason *why);

/* Path of the entry, whether it exists or not: for messages. */
void cache_path(const struct cache *cache, const char *key, char path[PATH_MAX]);

/* The entry, open for reading, or -1: there is no whole one. One that is damaged, or not to be
   trusted, is removed. */
int cache_open_entry(const struct cache *cache, const char *key);
/* Is there one? */
bool cache_has(const struct cache *cache, const char *key);
void cache_remove(const struct cache *cache, const char *key);

/* Copies the file `object` into the cache. FLOE_ERROR_IO with a reason when that is impossible. */
floe_status cache_store(const struct cache *cache, const char *key, const char *object, struct reason *reason);

/* The same for entries that are no shared objects: bytes in, bytes out. False: there is no whole one;
 *bytes is to be freed with mem_free. */
floe_status cache_store_bytes(const struct cache *cache, const char *key, const void *bytes, size_t length,
                              struct reason *reason);
bool cache_read(const struct cache *cache, const char *key, void **bytes, size_t *length);

#endif
