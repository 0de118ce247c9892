/* After the kernels' text: how the test starts a kernel on the imitated GPU (emulate.h). */

static const void *const *emulate_arguments;
#define EMULATE_ARGUMENT(i, type) (*(type const *)emulate_arguments[i])

#ifdef FLOE_GPU_EXPLORE_H
static void emulate_explore(void) {
  floe_explore(EMULATE_ARGUMENT(0, struct iceberg), EMULATE_ARGUMENT(1, struct gpu_space));
}
static void emulate_insert(void) {
  floe_insert(EMULATE_ARGUMENT(0, struct iceberg), EMULATE_ARGUMENT(1, struct gpu_space));
}
#endif
static void emulate_rehash(void) {
  floe_rehash(EMULATE_ARGUMENT(0, struct iceberg), EMULATE_ARGUMENT(1, struct iceberg),
              EMULATE_ARGUMENT(2, struct gpu_control *));
}
#ifdef FLOE_GPU_ICEBERG_ARRAYS_H
#define EMULATE_ARRAYS(operation)                                                                  \
  static void emulate_table_##operation(void) {                                                    \
    floe_table_##operation(EMULATE_ARGUMENT(0, struct iceberg), EMULATE_ARGUMENT(1, uint64_t *),   \
                           EMULATE_ARGUMENT(2, uint64_t *), EMULATE_ARGUMENT(3, uint64_t),         \
                           EMULATE_ARGUMENT(4, uint8_t *));                                        \
  }
EMULATE_ARRAYS(find)
EMULATE_ARRAYS(find_or_put)
EMULATE_ARRAYS(put)
#endif

static const struct {
  const char *name;
  void (*run)(void);
} emulate_kernels[] = {
#ifdef FLOE_GPU_EXPLORE_H
    {"floe_explore", emulate_explore},
    {"floe_insert", emulate_insert},
#endif
    {"floe_rehash", emulate_rehash},
#ifdef FLOE_GPU_ICEBERG_ARRAYS_H
    {"floe_table_find", emulate_table_find},
    {"floe_table_find_or_put", emulate_table_find_or_put},
    {"floe_table_put", emulate_table_put},
#endif
};

/* The bottom of each thread's stack. */
static void emulate_body(void) {
  emulate.kernel();
  emulate.now->done = true;
  emulate_not_ready(emulate.now);
  bool all = true;
  for (size_t i = 0; i < emulate.thread_count; i++)
    all = all && emulate.threads[i].done;
  if (all)
    _longjmp(emulate.over, 1);
  emulate_switch();
}

static void *emulate_take(size_t n, size_t size) {
  void *p = calloc(n, size);
  if (!p)
    emulate_fail("no memory");
  return p;
}

static void emulate_prepare(unsigned char *stacks) {
  const unsigned warps = emulate.block_size / EMULATE_LANES;
  for (unsigned b = 0; b < emulate.block_count; b++) {
    struct emulate_block *block = &emulate.blocks[b];
    block->all.members = emulate.block_size;
    block->warps = emulate_take(warps, sizeof *block->warps);
    for (unsigned w = 0; w < warps; w++)
      block->warps[w].members = EMULATE_LANES;
    block->shared = emulate_take(1, EMULATE_SHARED);
    memset(block->shared, 0xa5, EMULATE_SHARED);
  }
  for (size_t i = 0; i < emulate.thread_count; i++) {
    struct emulate_thread *thread = &emulate.threads[i];
    thread->block = (unsigned)(i / emulate.block_size);
    thread->thread = (unsigned)(i % emulate.block_size);
    getcontext(&thread->start);
    thread->start.uc_stack.ss_sp = stacks + i * EMULATE_STACK;
    thread->start.uc_stack.ss_size = EMULATE_STACK;
    makecontext(&thread->start, emulate_body, 0);
    emulate_ready(thread);
  }
}

static void emulate_clean_up(void *stacks, size_t bytes) {
  for (unsigned b = 0; b < emulate.block_count; b++) {
    free(emulate.blocks[b].warps);
    free(emulate.blocks[b].shared);
  }
  free(emulate.blocks);
  free(emulate.threads);
  free(emulate.ready);
  munmap(stacks, bytes);
}

/* Runs a kernel to its end; arguments as for gpu_start. yield_percent: how often threads change where they need not.
   False: there is no such kernel. */
__attribute__((visibility("default"))) bool emulate_launch(const char *kernel, unsigned blocks,
                                                           unsigned threads, uint64_t seed,
                                                           unsigned yield_percent,
                                                           const void *const *arguments) {
  memset(&emulate, 0, sizeof emulate);
  for (size_t i = 0; i < sizeof emulate_kernels / sizeof *emulate_kernels; i++)
    if (strcmp(kernel, emulate_kernels[i].name) == 0)
      emulate.kernel = emulate_kernels[i].run;
  if (!emulate.kernel)
    return false;
  emulate_arguments = arguments;
  emulate.block_count = blocks;
  emulate.block_size = threads;
  emulate.thread_count = (size_t)blocks * threads;
  emulate.random = seed;
  emulate.yield_percent = yield_percent;
  emulate.threads = emulate_take(emulate.thread_count, sizeof *emulate.threads);
  emulate.ready = emulate_take(emulate.thread_count, sizeof *emulate.ready);
  emulate.blocks = emulate_take(blocks, sizeof *emulate.blocks);
  const size_t bytes = emulate.thread_count * EMULATE_STACK;
  void *stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED)
    emulate_fail("no memory for stacks");
  emulate_prepare(stacks);
  if (!_setjmp(emulate.over))
    emulate_switch();
  emulate_clean_up(stacks, bytes);
  return true;
}
