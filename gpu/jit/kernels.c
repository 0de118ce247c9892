#include "gpu/jit/kernels.h"

#include "core/diag.h"

#include "gpu/kernel/base/control.h"

#include <assert.h>

/* ---- text to module ------------------------------------------------------------------------------ */

struct writing {
  const struct gpu_text *text;
  struct arena arena;
  const char *written;
};

static void write_text(void *data) {
  struct writing *writing = data;
  writing->written = writing->text->write(writing->text->of, &writing->arena);
}

floe_status gpu_text_load(struct gpu *gpu, const struct gpu_text *text, const char *cache_dir, floe_log *log,
                          struct gpu_module **out, struct gpu_binary *binary) {
  struct writing writing = {.text = text};
  assert(text->name && text->write);
  arena_init(&writing.arena);
  floe_status status = FLOE_ERROR_MEMORY;
  if (arena_guard(&writing.arena, write_text, &writing) == 0) {
    const struct gpu_source source = {.name = text->name,
                                      .texts = &writing.written,
                                      .text_count = 1,
                                      .stop = text->stop,
                                      .hint = text->hint,
                                      .cached_only = text->cached_only};
    status = gpu_build(gpu, &source, cache_dir, log, out, binary);
  }
  arena_free(&writing.arena);
  return status;
}

/* ---- kernels ------------------------------------------------------------------------------------- */

floe_status gpu_kernel_find(struct gpu *gpu, struct gpu_module *module, const char *name, floe_log *log,
                            const char *hint, struct gpu_kernel *out) {
  struct gpu_function *function;
  unsigned each;
  FLOE_TRY(gpu_function_find(module, name, &function));
  FLOE_TRY(gpu_occupancy(gpu, function, GPU_BLOCK, 0, &each));
  if (each == 0) {
    diag_error(log, NULL, NOWHERE, hint,
               "the kernel %s does not fit the GPU: a block needs more registers or shared memory", name);
    return FLOE_ERROR_UNSUPPORTED;
  }
  *out = (struct gpu_kernel){.function = function, .blocks = each * gpu_information(gpu)->multiprocessors};
  assert(out->blocks);
  return FLOE_OK;
}

floe_status gpu_kernel_start(struct gpu *gpu, const struct gpu_kernel *kernel, uint64_t threads, void **arguments) {
  const uint64_t wanted = (threads + GPU_BLOCK - 1) / GPU_BLOCK;
  const struct gpu_launch grid = {.blocks = wanted < kernel->blocks ? (unsigned)wanted : kernel->blocks,
                                  .threads = GPU_BLOCK,
                                  .cooperative = kernel->cooperative};
  assert(kernel->function && kernel->blocks);
  return wanted ? gpu_start(gpu, kernel->function, &grid, arguments) : FLOE_OK;
}
