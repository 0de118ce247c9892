#include "gpu/cycles/device_cycles.h"

#include "base/numbers.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/cycles/cycle_path.h"
#include "engine/cycles/marked_components.h"
#include "gpu/cycles/host_graph.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/gpu_tree.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/search_kernels.h"
#include "gpu/engine/tree_growth.h"
#include "gpu/jit/scheme.h"

#include "gpu/kernel/base/control.h"

#include <inttypes.h>
#include <string.h>

/* A launch expands no more levels of the queue, and none after so many states: it cannot be interrupted. */
#define MOST_LEVELS 256
#define MOST_QUEUED (UINT64_C(1) << 28)

#define MOST_FOR_FAIRNESS (UINT64_C(1) << 26) /* candidates, for a search under more fairness */

/* Launches that are timed together: each work of floe_cycles_expand, and the other kernels. */
enum { USE_OTHER = GPU_CYCLES_SEEK + 1, USES };

struct device_cycles {
  struct gpu_search *self;
  const struct model_automaton *automaton;
  struct product_conditions conditions;
  bool partial; /* an attempt: steps to states that are not in the table are ignored */
  const struct search_kernels *kernels;
  gpu_address memory; /* of all arrays */
  uint64_t bytes;
  uint64_t words; /* of 64 bits in a set */
  struct gpu_cycles view;
  struct gpu_cycle_counts counts; /* of the last launch */
  uint64_t queued;                /* states in view.next */
  uint64_t expanded;
  struct kernel_use {
    uint64_t launches, levels, expanded;
    double seconds;
  } uses[USES];
};

static gpu_address address_of(const void *device) { return (gpu_address)(uintptr_t)device; }

/* ---- memory --------------------------------------------------------------------------------------- */

static uint64_t set_bytes(const struct device_cycles *d) { return d->words * sizeof(uint64_t); }
static uint64_t block_bytes(const struct device_cycles *d) {
  return (64 * d->words / GPU_CYCLES_SLOTS + 1) * sizeof *d->view.next_blocks;
}
static uint64_t predecessor_bytes(const struct device_cycles *d) { return 64 * d->words; }
static uint64_t mark_bytes(const struct device_cycles *d, uint32_t states) {
  return (uint64_t)states * d->automaton->degree * sizeof *d->automaton->accepting;
}

static uint64_t fairness_bytes(const struct device_cycles *d) {
  return d->self->search.task->model->transition_count * sizeof *d->automaton->fairness;
}

/* The passes do not need the queue of a complete search. */
static floe_status take(struct device_cycles *d) {
  floe_status status = gpu_search_take(d->self, d->bytes, &d->memory);
  if (status == FLOE_ERROR_MEMORY && !d->partial) {
    queue_free(d->self);
    status = gpu_search_take(d->self, d->bytes, &d->memory);
  }
  return status;
}

static uint32_t automaton_states(const struct device_cycles *d) {
  return (uint32_t)d->self->search.task->model->variables[d->automaton->variable].hi + 1;
}

static floe_status take_memory(struct device_cycles *d) {
  const uint32_t states = automaton_states(d);
  const uint64_t set = set_bytes(d), marks = mark_bytes(d, states), fairness = fairness_bytes(d);
  const uint64_t blocks = (block_bytes(d) + 7) / 8 * 8;
  d->bytes = 5 * set + predecessor_bytes(d) + 2 * blocks + sizeof d->counts + marks + fairness + states;
  FLOE_TRY(take(d));
  gpu_address at = d->memory;
  d->view.z = ON_DEVICE(uint32_t, at);
  d->view.reached = ON_DEVICE(uint32_t, at += set);
  d->view.from = ON_DEVICE(uint32_t, at += set);
  d->view.next = ON_DEVICE(uint32_t, at += set);
  d->view.enabled = ON_DEVICE(uint32_t, at += set);
  d->view.predecessors = ON_DEVICE(uint32_t, at += set);
  d->view.from_blocks = ON_DEVICE(uint32_t, at += predecessor_bytes(d));
  d->view.next_blocks = ON_DEVICE(uint32_t, at += blocks);
  d->view.counts = ON_DEVICE(struct gpu_cycle_counts, at += blocks);
  d->view.marks = ON_DEVICE(uint64_t, at += sizeof d->counts);
  d->view.fairness = ON_DEVICE(uint64_t, at += marks);
  d->view.candidates = ON_DEVICE(unsigned char, at += fairness);
  FLOE_TRY(gpu_upload(d->self->gpu, address_of(d->view.fairness), d->automaton->fairness, fairness));
  FLOE_TRY(gpu_upload(d->self->gpu, address_of(d->view.marks), d->automaton->accepting, marks));
  return gpu_upload(d->self->gpu, address_of(d->view.candidates), d->automaton->candidates, states);
}

static floe_status clear(struct device_cycles *d, const uint32_t *set) {
  return gpu_fill(d->self->gpu, address_of(set), 0, set_bytes(d));
}

static floe_status clear_blocks(struct device_cycles *d, const uint32_t *blocks) {
  return gpu_fill(d->self->gpu, address_of(blocks), 0, block_bytes(d));
}

static floe_status clear_queue(struct device_cycles *d) {
  FLOE_TRY(clear(d, d->view.from));
  FLOE_TRY(clear(d, d->view.next));
  FLOE_TRY(clear_blocks(d, d->view.from_blocks));
  return clear_blocks(d, d->view.next_blocks);
}

/* ---- launches ------------------------------------------------------------------------------------- */

static floe_status absent_target(const struct device_cycles *d) {
  diag_error(d->self->search.log, NULL, NOWHERE, "please report this with the model",
             "internal error: a state that the GPU found is not in its table");
  return FLOE_ERROR_INTERNAL;
}

static void note_use(struct device_cycles *d, const struct gpu_kernel *kernel, double begun) {
  struct kernel_use *use = &d->uses[kernel == &d->kernels->expand ? d->view.work : USE_OTHER];
  use->launches++;
  use->levels += d->counts.levels;
  use->expanded += d->counts.expanded;
  use->seconds += clock_seconds() - begun;
}

/* Returns when the kernel has ended. */
static floe_status launch(struct device_cycles *d, const struct gpu_kernel *kernel, uint64_t threads,
                          void **arguments) {
  const gpu_address counts = address_of(d->view.counts);
  const double begun = clock_seconds();
  if (stop_requested(&d->self->search.stop))
    return FLOE_ERROR_INTERRUPTED;
  FLOE_TRY(gpu_fill(d->self->gpu, counts, 0, sizeof d->counts));
  FLOE_TRY(gpu_kernel_start(d->self->gpu, kernel, threads, arguments));
  FLOE_TRY(gpu_download(d->self->gpu, &d->counts, counts, sizeof d->counts));
  d->expanded += d->counts.expanded;
  note_use(d, kernel, begun);
  return d->counts.absent && !d->partial ? absent_target(d) : FLOE_OK;
}

static floe_status launch_with_table(struct device_cycles *d, const struct gpu_kernel *kernel, uint64_t threads) {
  struct gpu_space space = gpu_search_space(d->self);
  void *arguments[] = {&d->self->visited.table.view, &space, &d->view};
  space.source = ON_DEVICE(const uint64_t, d->self->buffers.source);
  return launch(d, kernel, threads, arguments);
}

static floe_status launch_on_sets(struct device_cycles *d, const struct gpu_kernel *kernel, uint64_t threads) {
  void *arguments[] = {&d->view};
  return launch(d, kernel, threads, arguments);
}

/* Expands the states of Z. */
static floe_status expand_z(struct device_cycles *d, enum gpu_cycles_work work, bool marked) {
  uint32_t *const queue = d->view.from, *const blocks = d->view.from_blocks;
  d->view.from = d->view.z;
  d->view.from_blocks = NULL;
  d->view.work = work;
  d->view.marked = marked;
  d->view.most_levels = 1;
  const floe_status status = launch_with_table(d, &d->kernels->expand, 2 * d->words);
  d->view.from = queue;
  d->view.from_blocks = blocks;
  return status;
}

static void swap_queues(struct device_cycles *d) {
  uint32_t *const queue = d->view.from, *const blocks = d->view.from_blocks;
  d->view.from = d->view.next;
  d->view.from_blocks = d->view.next_blocks;
  d->view.next = queue;
  d->view.next_blocks = blocks;
}

/* Expands the queue: the states that it has now, and then up to most_levels - 1 levels more. */
static floe_status expand_queued(struct device_cycles *d, enum gpu_cycles_work work, uint64_t most_levels) {
  swap_queues(d);
  d->view.work = work;
  d->view.marked = false;
  d->view.queued = d->queued;
  d->view.most_levels = most_levels;
  d->view.most_queued = MOST_QUEUED;
  FLOE_TRY(launch_with_table(d, &d->kernels->expand, 2 * d->words));
  d->queued = most_levels > 1 ? d->counts.left : d->counts.added;
  if (d->counts.levels % 2 == 0)
    swap_queues(d);
  return FLOE_OK;
}

static floe_status expand_queue(struct device_cycles *d, enum gpu_cycles_work work, uint64_t *states) {
  const uint64_t before = d->expanded;
  while (d->queued > 0)
    FLOE_TRY(expand_queued(d, work, MOST_LEVELS));
  *states = d->expanded - before;
  return FLOE_OK;
}

/* ---- the machine ---------------------------------------------------------------------------------- */

static floe_status start(void *user, uint64_t *size) {
  struct device_cycles *d = user;
  FLOE_TRY(clear_queue(d));
  FLOE_TRY(clear(d, d->view.z)); /* the kernel writes no words beyond the slots */
  FLOE_TRY(launch_with_table(d, &d->kernels->candidates, 64 * d->words));
  *size = d->counts.added;
  return FLOE_OK;
}

static floe_status count(void *user, bool *saturated) {
  struct device_cycles *d = user;
  FLOE_TRY(gpu_fill(d->self->gpu, address_of(d->view.predecessors), 0, predecessor_bytes(d)));
  FLOE_TRY(expand_z(d, GPU_CYCLES_COUNT, false));
  *saturated = d->counts.saturated;
  d->view.saturated = *saturated;
  return FLOE_OK;
}

static floe_status remove_uncounted(void *user) {
  struct device_cycles *d = user;
  FLOE_TRY(launch_on_sets(d, &d->kernels->remove, 64 * d->words));
  d->queued = d->counts.added;
  return FLOE_OK;
}

static floe_status uncount(void *user, uint64_t *removed) { return expand_queue(user, GPU_CYCLES_UNCOUNT, removed); }

static floe_status reach_marked(void *user, unsigned condition) {
  struct device_cycles *d = user;
  d->view.condition = condition;
  d->view.weak = d->conditions.weak >> condition & 1;
  d->view.strong = d->conditions.strong >> condition & 1;
  FLOE_TRY(clear(d, d->view.reached));
  if (d->view.strong)
    FLOE_TRY(clear(d, d->view.enabled));
  FLOE_TRY(expand_z(d, GPU_CYCLES_REACH, true));
  d->queued = d->counts.added;
  return FLOE_OK;
}

static floe_status reach(void *user) {
  uint64_t reached;
  return expand_queue(user, GPU_CYCLES_REACH, &reached);
}

/* The condition is that of the last reach_marked. */
static floe_status keep(void *user, unsigned condition, uint64_t *size) {
  struct device_cycles *d = user;
  (void)condition;
  FLOE_TRY(launch_on_sets(d, &d->kernels->keep, 2 * d->words));
  *size = d->counts.added;
  return FLOE_OK;
}

static const struct cycle_machine device = {.start = start,
                                            .count = count,
                                            .remove = remove_uncounted,
                                            .uncount = uncount,
                                            .reach_marked = reach_marked,
                                            .reach = reach,
                                            .keep = keep};

/* ---- the nearest state ---------------------------------------------------------------------------- */

/* The states that are left, on the host. */
struct remaining {
  struct host_graph graph; /* first: `self` of the graph's operations */
  struct device_cycles *device;
  uint64_t *slots; /* [graph.n] ascending */
  uint64_t *set;   /* [device->words] a set of the device */
  bool unfinished; /* the passes: they are to be divided into components */
  bool extract;    /* a cycle, too: not only whether there is one */
};

static bool has(const uint64_t *set, uint64_t slot) { return set[slot / 64] >> slot % 64 & 1; }

static floe_status upload_goals(struct remaining *r, const struct number_set *goals) {
  const struct device_cycles *d = r->device;
  memset(r->set, 0, set_bytes(d));
  for (size_t i = 0; i < r->graph.n; i++)
    if (number_set_has(goals, i))
      r->set[r->slots[i] / 64] |= (uint64_t)1 << r->slots[i] % 64;
  return gpu_upload(d->self->gpu, address_of(d->view.z), r->set, set_bytes(d));
}

/* The root, or the key, of the initial state goes to buffers.source. */
static floe_status upload_initial(struct gpu_search *self) {
  const struct engine_task *task = self->search.task;
  const gpu_address to = self->tree.words ? self->tree.pending : self->buffers.source;
  FLOE_TRY(gpu_upload(self->gpu, to, task->initial, task->layout->key_words * sizeof *task->initial));
  return self->tree.words ? tree_insert(self, 1) : FLOE_OK;
}

/* Breadth first from the initial state, until a level has states of Z, which are in view.next then. */
static floe_status seek(struct device_cycles *d) {
  FLOE_TRY(upload_initial(d->self));
  FLOE_TRY(clear_queue(d));
  FLOE_TRY(clear(d, d->view.reached));
  FLOE_TRY(launch_with_table(d, &d->kernels->start, GPU_BLOCK));
  d->queued = d->counts.added;
  while (!d->counts.found && d->queued > 0)
    FLOE_TRY(expand_queued(d, GPU_CYCLES_SEEK, 1));
  return d->counts.found ? FLOE_OK : absent_target(d);
}

static floe_status nearest(void *user, const struct number_set *goals, uint64_t *number) {
  struct remaining *r = user;
  struct device_cycles *d = r->device;
  bool any = false;
  FLOE_TRY(upload_goals(r, goals));
  FLOE_TRY(seek(d));
  FLOE_TRY(gpu_download(d->self->gpu, r->set, address_of(d->view.next), set_bytes(d)));
  for (size_t i = 0; i < r->graph.n; i++) {
    if (!number_set_has(goals, i) || !has(r->set, r->slots[i]))
      continue;
    if (!any || host_graph_precedes(r, i, *number))
      *number = i;
    any = true;
  }
  return any ? FLOE_OK : absent_target(d);
}

/* ---- the cycle ------------------------------------------------------------------------------------ */

static floe_status download_slots(struct remaining *r) {
  const struct device_cycles *d = r->device;
  size_t n = 0;
  FLOE_TRY(gpu_download(d->self->gpu, r->set, address_of(d->view.z), set_bytes(d)));
  for (uint64_t word = 0; word < d->words; word++)
    for (uint64_t rest = r->set[word]; rest; rest &= rest - 1) {
      if (n == r->graph.n)
        return absent_target(d);
      r->slots[n++] = 64 * word + (uint64_t)__builtin_ctzll(rest);
    }
  return n == r->graph.n ? FLOE_OK : absent_target(d);
}

/* Keys of n states, which the counters' memory has room for. */
static floe_status download_keys(struct remaining *r, size_t first, size_t n) {
  const struct device_cycles *d = r->device;
  struct gpu_search *self = d->self;
  uint64_t *const at = ON_DEVICE(uint64_t, address_of(d->view.predecessors)), count = n;
  uint64_t *const keys = r->graph.states + first * self->search.task->layout->key_words;
  struct gpu_space space = gpu_search_space(self);
  void *arguments[] = {&self->visited.table.view, &space, (void *)&at, (void *)&count};
  FLOE_TRY(gpu_upload(self->gpu, address_of(at), r->slots + first, n * sizeof *r->slots));
  FLOE_TRY(gpu_kernel_start(self->gpu, &d->kernels->keys, n, arguments));
  if (!self->tree.words)
    return gpu_download(self->gpu, keys, address_of(at), n * sizeof *keys);
  FLOE_TRY(gpu_download(self->gpu, r->slots + first, address_of(at), n * sizeof *r->slots));
  gpu_tree_states(self, r->slots + first, n, keys);
  return FLOE_OK;
}

/* (The roots of multiword states replace the slots for a while.) */
static floe_status download_states(struct remaining *r) {
  const size_t most = (size_t)(predecessor_bytes(r->device) / sizeof(uint64_t));
  FLOE_TRY(download_slots(r));
  if (r->device->self->tree.words)
    FLOE_TRY(gpu_tree_copy(r->device->self));
  for (size_t at = 0; at < r->graph.n; at += most)
    FLOE_TRY(download_keys(r, at, least(most, r->graph.n - at)));
  host_graph_make_index(&r->graph);
  return r->device->self->tree.words ? download_slots(r) : FLOE_OK;
}

static floe_status extract(struct remaining *r, struct outcome_cycles *out) {
  const struct device_cycles *d = r->device;
  const struct cycle_graph graph = {.slots = r->graph.n,
                                    .conditions = product_all_conditions(&d->conditions),
                                    .strong = d->conditions.strong,
                                    .expand = host_graph_expand,
                                    .precedes = host_graph_precedes,
                                    .nearest = nearest,
                                    .self = r,
                                    .stop = d->self->search.stop};
  struct number_set all;
  struct cycle cycle = {.states = NULL};
  uint64_t size = r->graph.n;
  floe_status status = FLOE_OK;
  if (!number_set_create(&all, r->graph.n))
    return FLOE_ERROR_MEMORY;
  for (size_t i = 0; i < r->graph.n; i++)
    number_set_add(&all, i);
  if (r->unfinished)
    status = components_keep_accepting(&graph, &all, &size);
  out->exists = status == FLOE_OK && size > 0;
  if (out->exists && r->extract)
    status = cycles_extract(&graph, &all, &cycle);
  if (cycle.states)
    out->cycle = cycle_path(&cycle, d->self->search.task->layout->key_words, host_graph_state, r);
  number_set_free(&all);
  cycle_free(&cycle);
  return out->exists && r->extract && status == FLOE_OK && !out->cycle ? FLOE_ERROR_MEMORY : status;
}

static bool host_has_room(const struct device_cycles *d, uint64_t states) {
  const struct engine_task *task = d->self->search.task;
  return states <= HOST_GRAPH_MOST &&
         host_graph_bytes(task, states) + states * sizeof(uint64_t) + set_bytes(d) <= task->options->memory;
}

/* Looks for an accepting cycle among the states that the passes left. */
static floe_status search_host(struct device_cycles *d, uint64_t states, bool unfinished, bool extracts,
                               struct outcome_cycles *out) {
  struct remaining r = {.device = d, .unfinished = unfinished, .extract = extracts};
  if (!host_has_room(d, states))
    return FLOE_ERROR_MEMORY;
  r.slots = mem_array((size_t)states, sizeof *r.slots);
  r.set = mem_array((size_t)d->words, sizeof *r.set);
  floe_status status = r.slots && r.set
                           ? host_graph_open(d->self->search.task, &d->conditions, (size_t)states, &r.graph)
                           : FLOE_ERROR_MEMORY;
  if (status == FLOE_OK)
    status = download_states(&r);
  if (status == FLOE_OK)
    status = extract(&r, out);
  host_graph_close(&r.graph);
  mem_free(r.slots);
  mem_free(r.set);
  return status;
}

/* After complete passes a cycle exists also if there is no memory to find it. After an attempt the search continues
   then. */
static floe_status add_cycle(struct device_cycles *d, uint64_t states, bool unfinished, struct outcome_cycles *out) {
  const floe_status status = search_host(d, states, unfinished, true, out);
  if (status != FLOE_ERROR_MEMORY || d->partial || (unfinished && !out->exists))
    return status;
  diag_warning(d->self->search.log, NULL, NOWHERE, "raise --memory",
               "no trace of a temporal property: there is no memory to find the cycle");
  return FLOE_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static floe_status reduce(struct device_cycles *d, struct cycle_result *figures, uint64_t *states) {
  const struct stop *stop = &d->self->search.stop;
  uint64_t most = CYCLES_MOST_DIVIDED;
  while (most > 0 && !host_has_room(d, most))
    most /= 2;
  FLOE_TRY(cycles_reduce(&device, d, product_all_conditions(&d->conditions), most, stop, figures, states));
  return stop_requested(stop) ? FLOE_ERROR_INTERRUPTED : FLOE_OK;
}

static bool none_with(void *user, const struct product_conditions *conditions) {
  struct device_cycles *d = user;
  struct cycle_result figures = {.exists = false};
  struct outcome_cycles found = {.exists = false};
  uint64_t states;
  d->conditions = *conditions;
  if (reduce(d, &figures, &states) != FLOE_OK)
    return false;
  return figures.unfinished ? search_host(d, states, true, false, &found) == FLOE_OK && !found.exists : states == 0;
}

static bool same_kind(const struct table_kind *a, const struct table_kind *b) {
  return a->scheme == b->scheme && memcmp(&a->geometry, &b->geometry, sizeof a->geometry) == 0;
}

/* Those of the last attempt, unless the table has changed. */
static floe_status make_kernels(struct device_cycles *d) {
  struct search_kernels *kernels = &d->self->attempts.kernels;
  const struct table_kind kind = kernels_kind(&d->self->visited.table);
  d->kernels = kernels;
  if (kernels->module && same_kind(&kernels->kind, &kind))
    return FLOE_OK;
  kernels_free(kernels);
  *kernels = (struct search_kernels){.module = NULL};
  return kernels_make_cycles(d->self, kernels);
}

static floe_status find(struct device_cycles *d, struct outcome_cycles *out) {
  struct cycle_result figures = {.exists = false};
  uint64_t states = 0;
  FLOE_TRY(take_memory(d));
  FLOE_TRY(make_kernels(d));
  const floe_status status = reduce(d, &figures, &states);
  out->candidates = figures.candidates;
  out->passes = figures.passes;
  out->expanded = d->expanded;
  FLOE_TRY(status);
  out->exists = states > 0 && !figures.unfinished;
  if (states > 0)
    FLOE_TRY(add_cycle(d, states, figures.unfinished, out));
  if (out->cycle && !d->partial && out->candidates <= MOST_FOR_FAIRNESS)
    product_fair_processes(d->automaton, none_with, d, &out->fair_processes, &out->fair_strong);
  return FLOE_OK;
}

bool device_cycles_possible(const struct gpu_search *self) {
  const struct gpu_scheme *scheme = gpu_scheme_find(self->visited.table.config.scheme);
  return !self->host_backed && !gpu_search_in_group(self) && scheme && scheme->slots;
}

static void log_uses(const struct device_cycles *d) {
  static const char *const names[USES] = {"count", "uncount", "reach", "seek", "other"};
  for (unsigned i = 0; i < USES; i++)
    diag_note(d->self->search.log, NULL, NOWHERE, NULL,
              "GPU: work=%s launches=%" PRIu64 " levels=%" PRIu64 " expanded=%" PRIu64 " seconds=%.6f", names[i],
              d->uses[i].launches, d->uses[i].levels, d->uses[i].expanded, d->uses[i].seconds);
}

/* built, begun: seconds of builds, and the time, before the passes. */
static void log_figures(const struct gpu_search *self, const struct outcome_cycles *out, double built, double begun) {
  diag_note(self->search.log, NULL, NOWHERE, NULL,
            "GPU: passes=%" PRIu64 " seconds=%.6f build=%.6f explore=%.6f states=%" PRIu64 " candidates=%" PRIu64
            " expanded=%" PRIu64 " exists=%d",
            out->passes, out->seconds - (self->build.seconds - built), self->build.seconds,
            begun - self->search.begun - (built - self->build.seconds_before), gpu_search_states(self), out->candidates,
            out->expanded, out->exists);
}

void device_cycles_run(struct gpu_search *self, bool partial, struct outcome_cycles *out) {
  const double begun = clock_seconds(), built = self->build.seconds;
  struct device_cycles d = {.self = self, .automaton = self->search.task->model->automaton, .partial = partial};
  *out = (struct outcome_cycles){.status = FLOE_ERROR_UNSUPPORTED};
  if (!device_cycles_possible(self))
    return;
  d.conditions = product_conditions(d.automaton);
  d.view.slots = self->visited.table.shape.slots + 2; /* two keys have slots of their own */
  d.words = d.view.slots / 64 + 1;
  out->status = find(&d, out);
  out->exists = out->exists && out->status == FLOE_OK;
  if (d.memory)
    gpu_search_give(self, d.bytes, &d.memory);
  out->seconds = clock_seconds() - begun;
  if (self->test_settings.tell) {
    log_uses(&d);
    log_figures(self, out, built, begun);
  }
}
