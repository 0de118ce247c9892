#include "emulated.h"

#include "step/compile/code_cache.h"
#include "step/compile/compiler.h"
#include "step/compile/shared_object.h"
#include "tables/kernel/iceberg.h"
#include "tests/suite.h"

#include "gpu/kernel/base/control.h"

#include <check.h>
#include <dlfcn.h>
#include <fcntl.h>

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct emulated {
  struct emulated *next;
  char *text;
  int file; /* open file of the library */
  void *library;
  void (*(*find)(const char *kernel))(void);
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the modules */
static struct emulated *modules;

static bool find_compiler(struct compiler *compiler) {
  struct reason reason;
  const char *command = getenv("CC");
  if (compiler_find(command && *command ? command : "cc", compiler, &reason) == FLOE_OK ||
      compiler_find("cc", compiler, &reason) == FLOE_OK)
    return true;
  printf("skipped: %s\n", reason.text);
  return false;
}

bool emulated_possible(void) {
  struct compiler compiler;
  return find_compiler(&compiler);
}

/* ---- compiling --------------------------------------------------------------------------------------- */

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(x) #x
/* Most kernels run for less time than their optimization takes; at length they run longer. The caller holds the mutex.
 */
static const char *const *flags(void) {
  static const char *all[] = {NULL, "-DGPU_WARPS_LOG=" TEXT_OF(GPU_WARPS_LOG), "-std=gnu11", "-fPIC", "-shared",
                              "-w", "-fno-asynchronous-unwind-tables",         "-lm",        NULL};
  all[0] = at_length() ? "-O1" : "-O0";
  return all;
}

/* Headers before and after the text, and one that the first includes. */
static const char *const headers[] = {"emulate.h", "emulate_entry.h", "../../../src/tables/kernel/packed.h"};

/* As ck_assert, which leaves the test by longjmp, and would leave the mutex locked. */
static void require(bool condition, const char *text) {
  if (condition)
    return;
  fprintf(stderr, "emulated GPU: failed: %s\n", text);
  abort();
}
#define REQUIRE(condition) require(condition, #condition)

static void header_path(unsigned i, char path[PATH_MAX]) {
  REQUIRE(getenv("top_srcdir") != NULL);
  snprintf(path, PATH_MAX, "%s/tests/gpu/device/%s", getenv("top_srcdir"), headers[i]);
}

static void write_source(const char *path, const char *text) {
  char before[PATH_MAX], after[PATH_MAX];
  FILE *file = fopen(path, "w");
  REQUIRE(file != NULL);
  header_path(0, before);
  header_path(1, after);
  fprintf(file, "#include \"%s\"\n%s\n#include \"%s\"\n", before, text, after);
  REQUIRE(fclose(file) == 0);
}

static bool compile(const char *source, const char *object) {
  const struct compiler_task task = {.source = source, .object = object, .seconds = 300};
  struct compiler compiler;
  struct reason reason;
  bool cut_short;
  if (!find_compiler(&compiler))
    return false;
  if (compiler_run(&compiler, flags(), &task, &cut_short, &reason) == FLOE_OK)
    return true;
  printf("%s\n", reason.text);
  return false;
}

/* Compiled modules are kept in a folder for other programs and builds, named by a digest of all inputs. */
static struct code_cache kept_in(const char *folder) {
  struct code_cache cache;
  struct reason reason;
  if (code_cache_open(folder, &cache, &reason) != FLOE_OK)
    printf("%s is not used: %s\n", folder, reason.text);
  return cache;
}

static void add_header(struct digest *hash, unsigned i) {
  char path[PATH_MAX], bytes[4096];
  header_path(i, path);
  FILE *file = fopen(path, "r");
  REQUIRE(file != NULL);
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
    digest_add(hash, bytes, n);
  fclose(file);
}

static void key_of(const char *text, char key[DIGEST_HEX]) {
  struct digest hash;
  struct compiler compiler;
  unsigned char digest[DIGEST_BYTES];
  digest_init(&hash);
  if (find_compiler(&compiler))
    compiler_identify(&compiler, &hash);
  for (const char *const *flag = flags(); *flag; flag++)
    digest_add_string(&hash, *flag);
  for (unsigned i = 0; i < sizeof headers / sizeof *headers; i++)
    add_header(&hash, i);
  digest_add_string(&hash, text);
  digest_finish(&hash, digest);
  digest_hex(digest, key);
}

static void *build_library(const char *text, const struct code_cache *cache, const char *key, int *opened) {
  char folder[] = "/tmp/floe-emulated-XXXXXX", source[64], object[64];
  struct reason reason;
  REQUIRE(mkdtemp(folder));
  snprintf(source, sizeof source, "%s/kernels.c", folder);
  snprintf(object, sizeof object, "%s/kernels.so", folder);
  write_source(source, text);
  void *library = compile(source, object) ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
  *opened = library ? open(object, O_RDONLY | O_CLOEXEC) : -1;
  if (library && *cache->folder && code_cache_store(cache, key, object, &reason) != FLOE_OK)
    printf("%s is not used: %s\n", cache->folder, reason.text);
  unlink(source);
  unlink(object);
  rmdir(folder);
  return library;
}

static void *open_library(const char *text, int *opened) {
  const struct code_cache cache = kept_in(getenv("FLOE_TEST_KERNELS"));
  char key[DIGEST_HEX], path[PATH_MAX];
  struct shared_object library;
  struct reason reason;
  key_of(text, key);
  code_cache_path(&cache, key, path);
  int file = code_cache_open_entry(&cache, key);
  if (file < 0)
    return build_library(text, &cache, key, opened);
  *opened = file;
  return shared_object_open(&library, file, path, &reason) ? library.handle : NULL; /* the file stays open */
}

static const struct emulated *find_or_build(const char *text) {
  struct emulated *module = modules;
  while (module && strcmp(module->text, text) != 0)
    module = module->next;
  if (module)
    return module;
  int file;
  void *library = open_library(text, &file);
  if (!library)
    return NULL;
  module = calloc(1, sizeof *module);
  REQUIRE(module);
  module->file = file;
  module->library = library;
  *(void **)&module->find = dlsym(library, "emulate_find");
  module->text = strdup(text);
  REQUIRE(module->find && module->text);
  module->next = modules;
  modules = module;
  return module;
}

const struct emulated *emulated_build(const char *text) {
  pthread_mutex_lock(&mutex);
  const struct emulated *module = find_or_build(text);
  pthread_mutex_unlock(&mutex);
  return module;
}

void emulated_forget(void) {
  while (modules) {
    struct emulated *module = modules;
    modules = module->next;
    dlclose(module->library);
    close(module->file);
    free(module->text);
    free(module);
  }
}

bool emulated_has(const struct emulated *module, const char *kernel) { return module->find(kernel) != NULL; }

void emulated_launch(const struct emulated *module, const char *kernel, const struct emulated_grid *grid,
                     const void *const *arguments) {
  ck_assert(emulated_has(module, kernel));
  emulate_launch(module->find(kernel), grid, arguments);
}
