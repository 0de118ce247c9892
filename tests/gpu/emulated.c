#include "emulated.h"

#include "step/compiler.h"
#include "table/kernel/iceberg.h"

#include "gpu/kernel/control.h"

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef bool launch(const char *kernel, unsigned blocks, unsigned threads, uint64_t seed,
                    unsigned yield_percent, const void *const *arguments);

struct emulated {
  struct emulated *next;
  char *text;
  void *library;
  launch *launch;
  bool (*has)(const char *kernel);
};

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

static void write_source(const char *path, const char *text) {
  const char *top = getenv("top_srcdir");
  FILE *file = fopen(path, "w");
  ck_assert(top && file);
  fprintf(file, "#include \"%s/tests/gpu/emulate.h\"\n", top);
  fputs(text, file);
  fprintf(file, "\n#include \"%s/tests/gpu/emulate_entry.h\"\n", top);
  ck_assert_int_eq(fclose(file), 0);
}

static bool compile(const char *source, const char *object) {
  static const char *const flags[] = {"-std=gnu11", "-O1", "-fPIC", "-shared", "-w", "-lm", NULL};
  const struct compiler_task task = {.source = source, .object = object, .seconds = 300};
  struct compiler compiler;
  struct reason reason;
  bool cut_short;
  if (!find_compiler(&compiler))
    return false;
  if (compiler_run(&compiler, flags, &task, &cut_short, &reason) == FLOE_OK)
    return true;
  printf("%s\n", reason.text);
  return false;
}

static void *build_library(const char *text) {
  char folder[] = "/tmp/floe-emulated-XXXXXX", source[64], object[64];
  ck_assert(mkdtemp(folder));
  snprintf(source, sizeof source, "%s/kernels.c", folder);
  snprintf(object, sizeof object, "%s/kernels.so", folder);
  write_source(source, text);
  void *library = compile(source, object) ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
  unlink(source);
  unlink(object);
  rmdir(folder);
  return library;
}

const struct emulated *emulated_build(const char *text) {
  for (const struct emulated *module = modules; module; module = module->next)
    if (strcmp(module->text, text) == 0)
      return module;
  void *library = build_library(text);
  if (!library)
    return NULL;
  struct emulated *module = calloc(1, sizeof *module);
  ck_assert(module);
  module->library = library;
  *(void **)&module->launch = dlsym(library, "emulate_launch");
  *(void **)&module->has = dlsym(library, "emulate_has");
  module->text = strdup(text);
  ck_assert(module->launch && module->has && module->text);
  module->next = modules;
  modules = module;
  return module;
}

void emulated_forget(void) {
  while (modules) {
    struct emulated *module = modules;
    modules = module->next;
    dlclose(module->library);
    free(module->text);
    free(module);
  }
}

void emulated_launch(const struct emulated *module, const char *kernel,
                     const struct emulated_grid *grid, const void *const *arguments) {
  ck_assert(module->launch(kernel, grid->blocks, GPU_BLOCK, grid->seed, grid->yield_percent,
                           arguments));
}

bool emulated_has(const struct emulated *module, const char *kernel) { return module->has(kernel); }
