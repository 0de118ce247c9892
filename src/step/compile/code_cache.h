/* Cache of compiled models in a folder. A file is named after the SHA-256 of everything that it depends on. It appears
   complete or not at all (base/atomic_file.h) and ends with its own checksum, which is verified before every use. A
   truncated or changed file is removed and made again. Any number of processes may share a folder.

   Entries are code and readable by their user alone. An entry is used only if the folder and the opened entry are to be
   trusted (core/system/file_trust.h); the file that was checked is the one that is loaded
   (step/compile/shared_object.h). A user that can rename folders above this one can remove the cache but cannot put
   code into it. */
#ifndef FLOE_STEP_COMPILE_CODE_CACHE_H
#define FLOE_STEP_COMPILE_CODE_CACHE_H

#include "step/compile/compiler.h"

/* The rest of PATH_MAX is for the name of an entry. */
#define CACHE_FOLDER_MAX (PATH_MAX - 128)

struct code_cache {
  char folder[CACHE_FOLDER_MAX]; /* "": none */
  const char *ending;            /* suffix of entry names: ".so"; may be changed after code_cache_open */
};

/* Creates the folder if it is missing, for this user alone. FLOE_ERROR_IO with a reason, and no cache, if it cannot be
   created, belongs to another user or is writable by others. `folder` "" or NULL: no cache, FLOE_OK. */
floe_status code_cache_open(const char *folder, struct code_cache *out, struct reason *reason);

/* Logs a note that the cache is not used, and why. */
void code_cache_log_unused(floe_log *log, const char *folder, const struct reason *why);

/* Path of the entry, for messages; the entry need not exist. */
void code_cache_path(const struct code_cache *cache, const char *key, char path[PATH_MAX]);

/* Opens the entry for reading; -1: there is no complete one. A damaged or untrusted entry is removed. */
int code_cache_open_entry(const struct code_cache *cache, const char *key);
/* True if there is a complete entry. */
bool code_cache_has(const struct code_cache *cache, const char *key);
void code_cache_remove(const struct code_cache *cache, const char *key);

/* Copies the file `object` into the cache. FLOE_ERROR_IO with a reason on failure. */
floe_status code_cache_store(const struct code_cache *cache, const char *key, const char *object,
                             struct reason *reason);

/* The same for entries that are not shared objects. False: there is no complete entry; *bytes is freed with
   mem_free. */
floe_status code_cache_store_bytes(const struct code_cache *cache, const char *key, const void *bytes, size_t length,
                                   struct reason *reason);
bool code_cache_read(const struct code_cache *cache, const char *key, void **bytes, size_t *length);

#endif
