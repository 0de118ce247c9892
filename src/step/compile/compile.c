/* Stepper of generated code on the CPU: generate, compile or load from the cache, dlopen. */
#define _GNU_SOURCE
#include "step/compile/code_cache.h"
#include "step/stepper.h"

#include "core/mem.h"
#include "core/text_buffer.h"
#include "model/transitions/successor_bound.h"
#include "step/compile/compile_dir.h"
#include "step/compile/shared_object.h"
#include "step/scratch_pool.h"

#include "src/step/kernel/abi_h.h"
#include "src/step/kernel/checksum_h.h"
#include "src/step/kernel/emitter_h.h"
#include "src/step/kernel/expand_h.h"
#include "src/step/kernel/index_key_checksum_h.h"
#include "src/step/kernel/sequence_h.h"
#include "src/step/kernel/shim_h.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMPILE_SECONDS 60

/* Compiling takes about 2 ms for each ground transition with gcc 12 -O2. From 400 on, and for a large text, the code
   is compact (kernel/emitter.h) and -O1 suffices: 600 transitions 1.2 s instead of 4.1 s. */
#define MANY_TRANSITIONS 400
#define MAX_TRANSITIONS 30000
#define LARGE_TEXT 250000 /* bytes; shipped models have up to 175,000 (doc/design/compile.md) */

struct compiled_stepper {
  struct stepper base;
  struct shared_object library;
  struct scratch_pool scratch; /* for a model with transient states */
  void (*expand_block)(struct step_block *block, uint32_t max_successors, void *scratch);
  size_t (*expand_one)(const uint64_t *state, uint64_t *successors, struct step_edge *edges, void *scratch);
  uint64_t (*properties)(const uint64_t *state, struct step_error *error);
  uint64_t (*mix)(const uint64_t *keys, size_t n); /* NULL: keys are fields */
  char detail[256];
};

static void compiled_expand_block(const struct stepper *self, struct step_block *block) {
  struct compiled_stepper *compiled = (struct compiled_stepper *)self;
  void *scratch = scratch_take(&compiled->scratch);
  compiled->expand_block(block, self->max_successors, scratch);
  scratch_give(&compiled->scratch, scratch);
}

static size_t compiled_expand_one(const struct stepper *self, const uint64_t *state, uint64_t *successors,
                                  struct step_edge *edges) {
  struct compiled_stepper *compiled = (struct compiled_stepper *)self;
  void *scratch = scratch_take(&compiled->scratch);
  const size_t count = compiled->expand_one(state, successors, edges, scratch);
  scratch_give(&compiled->scratch, scratch);
  return count;
}

static uint64_t compiled_properties(const struct stepper *self, const uint64_t *state, struct step_error *error) {
  return ((const struct compiled_stepper *)self)->properties(state, error);
}

static bool compiled_mix(const struct stepper *self, const uint64_t *keys, size_t n, uint64_t *sum) {
  const struct compiled_stepper *compiled = (const struct compiled_stepper *)self;
  if (compiled->mix)
    *sum += compiled->mix(keys, n);
  return compiled->mix != NULL;
}

static void compiled_free(struct stepper *self) {
  struct compiled_stepper *compiled = (struct compiled_stepper *)self;
  shared_object_close(&compiled->library);
  scratch_pool_free(&compiled->scratch);
  mem_free(compiled);
}

/* ---- loading --------------------------------------------------------------------------------- */

static bool find_symbols(struct compiled_stepper *compiled, const char *key) {
  void *library = compiled->library.handle;
  const char *found_key = dlsym(library, "floe_code_key");
  /* ISO C has no conversion from an object pointer to a function pointer; POSIX guarantees that it
   * works. */
  *(void **)&compiled->expand_block = dlsym(library, "floe_code_expand_block");
  *(void **)&compiled->expand_one = dlsym(library, "floe_code_expand_one");
  *(void **)&compiled->properties = dlsym(library, "floe_code_properties");
  *(void **)&compiled->mix = dlsym(library, "floe_code_mix");
  return found_key && !strcmp(found_key, key) && compiled->expand_block && compiled->expand_one && compiled->properties;
}

/* Takes ownership of the open `file`; `path` is for messages. */
static floe_status load_object(struct compiled_stepper *compiled, int file, const char *path, const char *key,
                               struct reason *reason) {
  if (!shared_object_open(&compiled->library, file, path, reason))
    return FLOE_ERROR_UNSUPPORTED;
  if (find_symbols(compiled, key))
    return FLOE_OK;
  shared_object_close(&compiled->library);
  reason_set(reason, "the compiled file belongs to another model");
  return FLOE_ERROR_UNSUPPORTED;
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* Input and intermediate results of one compilation. */
struct compile_job {
  const struct model *model;
  const struct layout *layout;
  struct arena arena;
  struct text_buffer text;
  const char *generated;
  struct compiler compiler;
  const char *optimise;
  char key[DIGEST_HEX];
  struct code_cache cache;
  const struct stop *stop;
  floe_log *log;
};

/* The preferred flags, and flags that every compiler accepts. The second set is for compilers (or processors) that
   reject one of the first. */
#define FLAG_SETS 2
static void flags_of(const struct compile_job *job, int set, const char *flags[16]) {
  static const char *const common[] = {"-shared", "-fPIC", NULL};
  static const char *const native[] = {"-x",
                                       "c",
                                       "-std=gnu11",
                                       "-w",
                                       "-pipe",
                                       "-march=native",
                                       "-nostdlib",
                                       "-fvisibility=hidden",
                                       "-fno-stack-protector",
                                       "-fno-asynchronous-unwind-tables",
                                       NULL};
  size_t n = 0;
  flags[n++] = job->optimise;
  for (size_t i = 0; common[i]; i++)
    flags[n++] = common[i];
  for (size_t i = 0; set == 0 && native[i]; i++)
    flags[n++] = native[i];
  flags[n] = NULL;
}

static bool is_large(const struct compile_job *job) {
  return job->model->transition_count >= MANY_TRANSITIONS || strlen(job->generated) > LARGE_TEXT ||
         strstr(job->generated, "\n#define FLOE_PARTS ");
}

static void add_bytes(struct text_buffer *text, const unsigned char *bytes) {
  text_buffer_printf(text, "%s", (const char *)bytes);
}

/* (The shim of compiled models lacks these names of the table code.) */
static void add_mix(struct text_buffer *text) {
  text_buffer_printf(text, "#define KERNEL_FN FLOE_DEVICE\n#define UINT64_C(number) number##ull\n");
  add_bytes(text, checksum_h);
  add_bytes(text, index_key_checksum_h);
}

static void assemble(void *data) {
  struct compile_job *job = data;
  if (is_large(job) || job->model->transient)
    text_buffer_printf(&job->text, "#define FLOE_COMPACT\n");
  if (job->model->transient)
    text_buffer_printf(&job->text, "#define FLOE_TRANSIENT\n");
  if (job->layout->encoding)
    text_buffer_printf(&job->text, "#define FLOE_INDEX_KEYS\n");
  add_bytes(&job->text, shim_h);
  add_bytes(&job->text, abi_h);
  add_bytes(&job->text, emitter_h);
  text_buffer_printf(&job->text, "%s", job->generated);
  if (job->model->transient)
    add_bytes(&job->text, sequence_h);
  add_bytes(&job->text, expand_h);
  if (job->layout->encoding)
    add_mix(&job->text);
}

static void add_key(void *data) {
  struct compile_job *job = data;
  text_buffer_printf(&job->text, "FLOE_EXPORT const char floe_code_key[] = \"%s\";\n", job->key);
}

static void set_cache_key(struct compile_job *job) {
  struct digest hash;
  unsigned char digest[DIGEST_BYTES];
  digest_init(&hash);
  digest_add_string(&hash, floe_version());
  digest_add_string(&hash, job->text.bytes);
  for (int set = 0; set < FLAG_SETS; set++) {
    const char *flags[16];
    flags_of(job, set, flags);
    for (size_t i = 0; flags[i]; i++)
      digest_add_string(&hash, flags[i]);
  }
  compiler_identify(&job->compiler, &hash);
  digest_finish(&hash, digest);
  digest_hex(digest, job->key);
}

static floe_status generate_source(struct compile_job *job, struct reason *reason) {
  floe_status status = codegen_text(job->model, job->layout, CODEGEN_CPU, job->stop, &job->arena, &job->generated);
  if (status == FLOE_ERROR_UNSUPPORTED)
    reason_set(reason, "code generation was interrupted");
  FLOE_TRY(status);
  job->optimise = is_large(job) ? "-O1" : "-O2";
  job->text.arena = &job->arena;
  if (arena_guard(&job->arena, assemble, job))
    return FLOE_ERROR_MEMORY;
  set_cache_key(job);
  return arena_guard(&job->arena, add_key, job) ? FLOE_ERROR_MEMORY : FLOE_OK;
}

static bool write_source(const struct compile_job *job, const struct compile_dir *dir, struct reason *reason) {
  FILE *file = fopen(dir->source, "wxe");
  bool written = file && fwrite(job->text.bytes, 1, job->text.length, file) == job->text.length;
  if (file && fclose(file))
    written = false;
  if (!written)
    reason_set(reason, "%s: %s", dir->source, strerror(errno));
  return written;
}

static floe_status compile_source(const struct compile_job *job, const struct compile_dir *dir, struct reason *reason) {
  if (!write_source(job, dir, reason))
    return FLOE_ERROR_UNSUPPORTED;
  floe_status status = FLOE_ERROR_UNSUPPORTED;
  const struct compiler_task task = {.source = dir->source,
                                     .object = dir->object,
                                     .folder = dir->folder,
                                     .seconds = COMPILE_SECONDS,
                                     .stop = job->stop};
  bool cut_short = false;
  for (int set = 0; set < FLAG_SETS && status == FLOE_ERROR_UNSUPPORTED && !cut_short; set++) {
    const char *flags[16];
    flags_of(job, set, flags);
    status = compiler_run(&job->compiler, flags, &task, &cut_short, reason);
  }
  return status;
}

static bool load_cached_object(struct compile_job *job, struct compiled_stepper *compiled) {
  struct reason why;
  char path[PATH_MAX];
  int file = code_cache_open_entry(&job->cache, job->key);
  if (file < 0)
    return false;
  code_cache_path(&job->cache, job->key, path);
  if (load_object(compiled, file, path, job->key, &why) == FLOE_OK)
    return true;
  code_cache_remove(&job->cache, job->key);
  return false;
}

/* Loads from the folder of this compilation, which no other user can write to. */
static floe_status load_from_dir(const struct compile_dir *dir, struct compiled_stepper *compiled, const char *key,
                                 struct reason *reason) {
  int file = open(dir->object, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file >= 0)
    return load_object(compiled, file, dir->object, key, reason);
  reason_set(reason, "%s: %s", dir->object, strerror(errno));
  return FLOE_ERROR_UNSUPPORTED;
}

/* Loads the compiled file: from the cache if it can be stored there, else from its folder. */
static floe_status store_and_load(struct compile_job *job, const struct compile_dir *dir,
                                  struct compiled_stepper *compiled, struct reason *reason) {
  struct reason why;
  if (*job->cache.folder) {
    if (code_cache_store(&job->cache, job->key, dir->object, &why) == FLOE_OK) {
      if (load_cached_object(job, compiled))
        return FLOE_OK;
    } else
      code_cache_log_unused(job->log, job->cache.folder, &why);
  }
  return load_from_dir(dir, compiled, job->key, reason);
}

static floe_status compile_and_load(struct compile_job *job, struct compiled_stepper *compiled, struct reason *reason) {
  struct compile_dir dir;
  if (!compile_dir_open(&dir, reason))
    return FLOE_ERROR_UNSUPPORTED;
  floe_status status = compile_source(job, &dir, reason);
  if (status == FLOE_OK)
    status = store_and_load(job, &dir, compiled, reason);
  compile_dir_close(&dir);
  return status;
}

/* ---- the stepper ----------------------------------------------------------------------------- */

/* Of the stack in kernel/sequence.h: entries of four numbers and a state. */
static size_t scratch_bytes(const struct model *model, const struct layout *layout) {
  const size_t entry = 4 * sizeof(uint32_t) + layout->words * sizeof(uint64_t);
  return model->transient ? SEQUENCE_SUCCESSORS * entry : 0;
}

static void set_detail(const struct compile_job *job, struct compiled_stepper *compiled, bool cached) {
  snprintf(compiled->detail, sizeof compiled->detail, "%.200s %s%s", job->compiler.path, job->optimise,
           cached ? ", cached" : "");
}

static floe_status obtain_code(struct compile_job *job, const struct compile_options *options,
                               struct compiled_stepper *compiled, struct reason *reason) {
  if (job->model->transition_count > MAX_TRANSITIONS) {
    reason_set(reason, "%zu ground transitions are too many to compile", job->model->transition_count);
    return FLOE_ERROR_UNSUPPORTED;
  }
  FLOE_TRY(compiler_find(options->compiler ? options->compiler : "", &job->compiler, reason));
  FLOE_TRY(generate_source(job, reason));
  struct reason why;
  if (code_cache_open(options->cache_dir, &job->cache, &why) != FLOE_OK)
    code_cache_log_unused(job->log, options->cache_dir, &why);
  bool cached = load_cached_object(job, compiled);
  if (!cached)
    FLOE_TRY(compile_and_load(job, compiled, reason));
  set_detail(job, compiled, cached);
  return FLOE_OK;
}

floe_status compiled_create(const struct model *model, const struct layout *layout,
                            const struct compile_options *options, floe_log *log, struct stepper **out) {
  uint32_t bound;
  FLOE_TRY(successor_bound(model, log, &bound));
  struct compiled_stepper *compiled = mem_alloc(sizeof *compiled);
  struct compile_job *job = mem_alloc(sizeof *job);
  floe_status status = FLOE_ERROR_MEMORY;
  struct reason reason = {""};
  if (compiled)
    status = scratch_pool_create(&compiled->scratch, scratch_bytes(model, layout));
  if (status == FLOE_OK && !job)
    status = FLOE_ERROR_MEMORY;
  if (status == FLOE_OK) {
    *job = (struct compile_job){.model = model, .layout = layout, .stop = options->stop, .log = log};
    arena_init(&job->arena);
    status = obtain_code(job, options, compiled, &reason);
    arena_free(&job->arena);
  }
  mem_free(job);
  if (status != FLOE_OK) {
    if (compiled)
      scratch_pool_free(&compiled->scratch);
    mem_free(compiled);
    if (status == FLOE_ERROR_UNSUPPORTED)
      diag_note(log, NULL, NOWHERE, NULL, "the model is interpreted: %s", reason.text);
    return status;
  }
  compiled->base = (struct stepper){.name = "compiled",
                                    .detail = compiled->detail,
                                    .words = layout->key_words,
                                    .max_successors = bound,
                                    .expand_block = compiled_expand_block,
                                    .expand_one = compiled_expand_one,
                                    .properties = compiled_properties,
                                    .mix = compiled_mix,
                                    .free = compiled_free};
  *out = &compiled->base;
  return FLOE_OK;
}
