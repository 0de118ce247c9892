/* Compiles kernel text to machine code. The cache (step/compile/code_cache.h) keeps the code that NVRTC produced,
   with the identity of that NVRTC. */
#define _GNU_SOURCE
#include "gpu/jit/build.h"

#include "core/diag.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "core/text_buffer.h"
#include "core/threads/detached_call.h"
#include "gpu/driver/cuda.h"
#include "gpu/jit/nvrtc.h"
#include "step/compile/code_cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Header of a cache entry, followed by path, report and code. The compiler is not part of the key, because a start
   from the cache must not open it; its file shows whether it was replaced since. */
struct entry {
  uint64_t size, seconds, nanoseconds; /* of NVRTC's file when it produced the code */
  uint64_t path_length, report_length, code_length;
};

struct job {
  const struct gpu_source *source;
  int arch, driver; /* driver: the CUDA version that it supports, 0 for any */
  const char *cache_dir;
  floe_log *log;
  struct code_cache cache;
  char key[DIGEST_HEX];
  struct gpu_binary made;
  struct reason reason;
  bool stopped; /* `reason` is a stop request */
};

/* ---- the result ------------------------------------------------------------------------------ */

static floe_status set_binary(struct gpu_binary *binary, const void *code, size_t size, const char *report,
                              size_t length) {
  binary->bytes = mem_alloc(size);
  binary->report = mem_alloc(length + 1);
  if (!binary->bytes || !binary->report) {
    gpu_binary_free(binary);
    return FLOE_ERROR_MEMORY;
  }
  memcpy(binary->bytes, code, size);
  memcpy(binary->report, report, length);
  binary->size = size;
  return FLOE_OK;
}

void gpu_binary_free(struct gpu_binary *binary) {
  mem_free(binary->bytes);
  mem_free(binary->report);
  *binary = (struct gpu_binary){0};
}

/* ---- the cache ------------------------------------------------------------------------------- */

static void make_key(struct job *job) {
  struct digest hash;
  unsigned char digest[DIGEST_BYTES];
  const struct gpu_source *source = job->source;
  digest_init(&hash);
  digest_add_string(&hash, floe_version());
  digest_add_string(&hash, "cubin");
  digest_add(&hash, &job->arch, sizeof job->arch);
  digest_add(&hash, &source->option_count, sizeof source->option_count);
  for (size_t i = 0; i < source->option_count; i++)
    digest_add_string(&hash, source->options[i]);
  digest_add_string(&hash, source->name);
  for (size_t i = 0; i < source->text_count; i++)
    digest_add_string(&hash, source->texts[i]);
  digest_finish(&hash, digest);
  digest_hex(digest, job->key);
}

static void open_cache(struct job *job) {
  struct reason why;
  make_key(job);
  if (code_cache_open(job->cache_dir, &job->cache, &why) != FLOE_OK)
    code_cache_log_unused(job->log, job->cache_dir, &why);
  job->cache.ending = ".cubin";
}

static void identify(const char *path, struct entry *entry) {
  struct stat info;
  if (stat(path, &info) != 0)
    return;
  entry->size = (uint64_t)info.st_size;
  entry->seconds = (uint64_t)info.st_mtim.tv_sec;
  entry->nanoseconds = (uint64_t)info.st_mtim.tv_nsec;
}

/* Code of a compiler that is no longer installed is valid; code of a compiler that was replaced is not. */
static bool is_by_present_compiler(const struct entry *entry, const char *path) {
  struct entry now = {0};
  identify(path, &now);
  return now.size == 0 ||
         (now.size == entry->size && now.seconds == entry->seconds && now.nanoseconds == entry->nanoseconds);
}

static bool take_entry(struct job *job, const char *bytes, size_t length) {
  struct entry entry;
  char path[PATH_MAX];
  if (length < sizeof entry)
    return false;
  memcpy(&entry, bytes, sizeof entry);
  size_t rest = length - sizeof entry;
  if (entry.path_length >= sizeof path || entry.path_length > rest || entry.report_length > rest - entry.path_length ||
      entry.code_length == 0 || entry.code_length != rest - entry.path_length - entry.report_length)
    return false;
  bytes += sizeof entry;
  memcpy(path, bytes, entry.path_length);
  path[entry.path_length] = '\0';
  const char *report = bytes + entry.path_length, *code = report + entry.report_length;
  return is_by_present_compiler(&entry, path) &&
         set_binary(&job->made, code, entry.code_length, report, entry.report_length) == FLOE_OK;
}

static bool load_from_cache(struct job *job) {
  void *bytes;
  size_t length;
  if (!code_cache_read(&job->cache, job->key, &bytes, &length))
    return false;
  job->made.cached = take_entry(job, bytes, length);
  mem_free(bytes);
  return job->made.cached;
}

/* Failure is a warning, not an error. */
static void store(struct job *job, const char *path) {
  const struct gpu_binary *made = &job->made;
  struct reason why;
  struct entry entry = {.path_length = strlen(path), .report_length = strlen(made->report), .code_length = made->size};
  if (!*job->cache.folder)
    return;
  identify(path, &entry);
  size_t length = sizeof entry + entry.path_length + entry.report_length + entry.code_length;
  char *bytes = mem_alloc(length), *to = bytes;
  if (!bytes)
    return;
  to = mempcpy(to, &entry, sizeof entry);
  to = mempcpy(to, path, entry.path_length);
  to = mempcpy(to, made->report, entry.report_length);
  memcpy(to, made->bytes, entry.code_length);
  if (code_cache_store_bytes(&job->cache, job->key, bytes, length, &why) != FLOE_OK)
    code_cache_log_unused(job->log, job->cache.folder, &why);
  mem_free(bytes);
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* NVRTC cannot be interrupted: its call runs in a thread of its own, with all its data here, in case the call is
   abandoned. */
struct call {
  struct nvrtc *nvrtc;
  struct arena arena;
  const struct gpu_source *source; /* until `what` is set */
  struct nvrtc_source what;
  int target;
  struct nvrtc_result result;
  floe_status status;
};

static void copy_source(void *data) {
  struct call *call = data;
  const struct gpu_source *source = call->source;
  struct arena *arena = &call->arena;
  struct text_buffer text = {.arena = arena};
  text_buffer_printf(&text, "%s", "");
  for (size_t i = 0; i < source->text_count; i++)
    text_buffer_printf(&text, "%s", source->texts[i]);
  const char **options = arena_array(arena, source->option_count, sizeof *options);
  for (size_t i = 0; i < source->option_count; i++)
    options[i] = arena_copy(arena, source->options[i], strlen(source->options[i]));
  call->what = (struct nvrtc_source){.name = arena_copy(arena, source->name, strlen(source->name)),
                                     .text = text.bytes,
                                     .options = options,
                                     .option_count = source->option_count};
}

static void compile(void *data) {
  struct call *call = data;
  call->status = nvrtc_compile(call->nvrtc, &call->what, call->target, &call->arena, &call->result);
}

static void run_call(void *data) {
  struct call *call = data;
  if (arena_guard(&call->arena, compile, call) != 0)
    call->status = FLOE_ERROR_MEMORY;
}

static void drop_call(void *data) {
  struct call *call = data;
  arena_free(&call->arena);
  nvrtc_close(call->nvrtc);
  mem_free(call);
}

static int choose_target(struct job *job, const struct nvrtc *nvrtc) {
  int major, minor, target = nvrtc_target(nvrtc, job->arch);
  nvrtc_version(nvrtc, &major, &minor);
  if (!target)
    reason_set(&job->reason, "NVRTC %d.%d has no code for compute capability %d.%d", major, minor, job->arch / 10,
               job->arch % 10);
  return target;
}

/* FLOE_ERROR_UNSUPPORTED with a reason: there is no compiler for the device. */
static floe_status prepare_call(struct job *job, struct call *call) {
  FLOE_TRY(nvrtc_open(job->driver, &call->nvrtc, &job->reason));
  call->source = job->source;
  call->result.log = "";
  call->target = choose_target(job, call->nvrtc);
  if (!call->target)
    return FLOE_ERROR_UNSUPPORTED;
  return arena_guard(&call->arena, copy_source, call) == 0 ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status take_result(struct job *job, const struct call *call) {
  if (call->status == FLOE_ERROR_INTERNAL)
    diag_error(job->log, NULL, NOWHERE, job->source->hint ? job->source->hint : "please report this with the model",
               "the GPU's code does not compile: %s", call->result.log);
  FLOE_TRY(call->status);
  FLOE_TRY(set_binary(&job->made, call->result.cubin, call->result.size, call->result.log, strlen(call->result.log)));
  store(job, nvrtc_path(call->nvrtc));
  return FLOE_OK;
}

static floe_status compile_job(struct job *job) {
  static const struct detached_call compilation = {run_call, drop_call};
  struct call *call = mem_alloc(sizeof *call);
  if (!call)
    return FLOE_ERROR_MEMORY;
  arena_init(&call->arena);
  floe_status status = prepare_call(job, call);
  if (status == FLOE_OK && !detached_call_run(&compilation, call, job->source->stop)) {
    job->stopped = true;
    reason_set(&job->reason, "the compilation of kernels was interrupted");
    return FLOE_ERROR_UNSUPPORTED;
  }
  if (status == FLOE_OK)
    status = take_result(job, call);
  drop_call(call);
  return status;
}

static floe_status load_or_compile(struct job *job, bool may_load) {
  double start = clock_seconds();
  floe_status status = may_load && load_from_cache(job) ? FLOE_OK
                       : job->source->cached_only       ? FLOE_ERROR_UNSUPPORTED
                                                        : compile_job(job);
  job->made.seconds = clock_seconds() - start;
  return status;
}

floe_status gpu_compile(const struct gpu_source *source, int arch, const char *cache_dir, floe_log *log,
                        struct gpu_binary *out, struct reason *reason) {
  struct job *job = mem_alloc(sizeof *job); /* too large for the stack: it contains paths */
  if (!job)
    return FLOE_ERROR_MEMORY;
  *job = (struct job){.source = source, .arch = arch, .cache_dir = cache_dir, .log = log};
  open_cache(job);
  floe_status status = load_or_compile(job, true);
  if (status == FLOE_OK)
    *out = job->made;
  else if (status == FLOE_ERROR_UNSUPPORTED)
    *reason = job->reason;
  mem_free(job);
  return status;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Compiles again if the driver rejects the cached code (for example because an older driver was installed). */
static floe_status build_module(struct gpu *gpu, struct job *job, struct gpu_module **out) {
  const char *why = NULL;
  FLOE_TRY(load_or_compile(job, true));
  floe_status status = gpu_module_try(gpu, job->made.bytes, job->key, out, &why);
  if (status != FLOE_ERROR_INTERNAL || !job->made.cached || gpu->broken)
    return status == FLOE_ERROR_INTERNAL ? gpu_module_load(gpu, job->made.bytes, out) : status;
  gpu_binary_free(&job->made);
  code_cache_remove(&job->cache, job->key);
  FLOE_TRY(load_or_compile(job, false));
  return gpu_module_load(gpu, job->made.bytes, out);
}

static void report_failure(const struct gpu *gpu, const struct job *job, floe_status status) {
  if (status == FLOE_ERROR_UNSUPPORTED && !job->stopped && !job->source->cached_only)
    diag_error(job->log, NULL, NOWHERE, "--engine=cpu explores on all cores", "%s", job->reason.text);
  else if (status == FLOE_ERROR_MEMORY)
    diag_error(job->log, NULL, NOWHERE, NULL, "out of memory while compiling kernels for GPU %u", gpu->info.number);
}

floe_status gpu_build(struct gpu *gpu, const struct gpu_source *source, const char *cache_dir, floe_log *log,
                      struct gpu_module **out, struct gpu_binary *binary) {
  struct job *job = mem_alloc(sizeof *job);
  if (!job)
    return FLOE_ERROR_MEMORY;
  *job = (struct job){
      .source = source, .arch = gpu->info.arch, .driver = gpu->driver->version, .cache_dir = cache_dir, .log = log};
  open_cache(job);
  floe_status status = build_module(gpu, job, out);
  report_failure(gpu, job, status);
  mem_free(job->made.bytes);
  job->made.bytes = NULL;
  if (status == FLOE_OK && binary)
    *binary = job->made;
  else
    gpu_binary_free(&job->made);
  mem_free(job);
  return status;
}
