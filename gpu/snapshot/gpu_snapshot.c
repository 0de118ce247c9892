#include "gpu/snapshot/gpu_snapshot.h"

#include "base/numbers.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot_engine.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/gpu_tree.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/violations.h"
#include "gpu/engine/visited_growth.h"
#include "gpu/explore/host_backed_set.h"
#include "gpu/snapshot/key_transfer.h"
#include "gpu/snapshot/tree_snapshot.h"
#include "tree/kernel/tree.h"

#include <inttypes.h>
#include <string.h>

enum { AT_ONCE = 256 }; /* multiword states converted together */

struct gpu_snapshot {
  struct gpu_search *self;

  struct snapshot_writer *writers; /* [threads of the pool] */
  enum checkpoint_section section; /* of `states`, which the threads share */
  const uint64_t *states;
  uint64_t n;
  struct tree_expander *expander;      /* multiword states; NULL: states of one word */
  struct engine_violation *violations; /* [property_count] the snapshot points to them until its end */

  struct snapshot_source *source;
  struct tree_restored *tree; /* multiword states; NULL: states of one word */
};

/* ---- saving: states ------------------------------------------------------------------------------ */

/* `keys`: keys of the visited set, not states of the queue. */
static void write_states_to(const struct gpu_snapshot *s, unsigned thread, enum checkpoint_section section, bool keys,
                            const uint64_t *from, uint64_t n) {
  struct snapshot_writer *writer = &s->writers[thread];
  snapshot_writer_section(writer, section);
  if (s->expander)
    tree_expand(s->expander, thread, &(struct tree_span){from, n, keys}, snapshot_writer_put, writer);
  else
    snapshot_writer_put(writer, from, n);
}

static void write_keys(void *user, unsigned thread, const uint64_t *keys, uint64_t n) {
  write_states_to(user, thread, CHECKPOINT_KEYS, true, keys, n);
}

static void write_part(void *data, unsigned thread) {
  const struct gpu_snapshot *s = data;
  const unsigned threads = pool_size(s->self->transfer.pool);
  const uint64_t first = s->n * thread / threads, end = s->n * (thread + 1) / threads;
  write_states_to(s, thread, s->section, false, s->states + first, end - first);
}

static void write_states(void *user, const uint64_t *states, uint64_t n) {
  struct gpu_snapshot *s = user;
  s->states = states;
  s->n = n;
  pool_run(s->self->transfer.pool, write_part, s);
}

static floe_status write_visited(void *user, struct snapshot_writer *writers) {
  struct gpu_snapshot *s = user;
  struct gpu_search *self = s->self;
  uint64_t count;
  s->writers = writers;
  if (self->tree.words) {
    FLOE_TRY(gpu_tree_copy(self));
    FLOE_TRY(tree_expander_create(self, pool_size(self->transfer.pool), &s->expander));
  }
  FLOE_TRY(transfer_export(self, write_keys, s, &count));
  if (count == gpu_search_states(self))
    return FLOE_OK;
  diag_error(self->search.log, NULL, NOWHERE, "please report this with the model",
             "internal error: a table of %" PRIu64 " states had %" PRIu64 " keys for a checkpoint",
             gpu_search_states(self), count);
  return FLOE_ERROR_INTERNAL;
}

/* `count` pending elements of `words` words in device memory. */
static floe_status write_from_device(struct gpu_snapshot *s, gpu_address from, uint64_t count, uint64_t words,
                                     void (*write)(void *user, const uint64_t *states, uint64_t n)) {
  struct gpu_search *self = s->self;
  uint64_t *buffer = self->transfer.host_keys[0];
  const uint64_t room = self->transfer.room / words, bytes = words * sizeof *buffer;
  if (room == 0)
    return FLOE_ERROR_MEMORY;
  for (uint64_t at = 0, n; at < count; at += n) {
    n = least(room, count - at);
    FLOE_TRY(gpu_download(self->gpu, buffer, from + at * bytes, n * bytes));
    write(s, buffer, n);
  }
  return FLOE_OK;
}

/* States without roots, which are stored in full. */
static void write_rootless(void *user, const uint64_t *states, uint64_t n) {
  const struct gpu_snapshot *s = user;
  snapshot_writer_section(&s->writers[0], CHECKPOINT_PENDING);
  snapshot_writer_put(&s->writers[0], states, n);
}

static floe_status write_pending(struct gpu_snapshot *s) {
  struct gpu_search *self = s->self;
  const struct state_list *restored = &self->restored_pending;
  s->section = CHECKPOINT_PENDING;
  FLOE_TRY(write_from_device(s, self->buffers.pending, self->control.pending_count, 1, write_states));
  write_states(s, restored->states + restored->first, restored->count - restored->first);
  if (self->tree.words && self->control.tree_pending_count > 0)
    FLOE_TRY(
        write_from_device(s, self->tree.pending, self->control.tree_pending_count, self->tree.words, write_rootless));
  return restored->status;
}

static floe_status write_waiting(void *user, struct snapshot_writer *writers) {
  struct gpu_snapshot *s = user;
  struct gpu_search *self = s->self;
  const struct key_transfer *transfer = &self->transfer;
  const bool closed = self->search.levels.complete == self->search.levels.count;
  s->writers = writers;
  s->section = closed ? CHECKPOINT_NEXT : CHECKPOINT_REST;
  FLOE_TRY(queue_each(self, false, transfer->host_keys[0], transfer->room, write_states, s));
  s->section = CHECKPOINT_NEXT;
  FLOE_TRY(queue_each(self, true, transfer->host_keys[0], transfer->room, write_states, s));
  write_states(s, self->queue_overflow.states, self->queue_overflow.count);
  return write_pending(s);
}

/* ---- saving: sums -------------------------------------------------------------------------------- */

static floe_status add_violations(struct gpu_snapshot *s, struct snapshot *snapshot) {
  struct gpu_search *self = s->self;
  const struct engine_task *task = self->search.task;
  s->violations = violations_make(task);
  if (!s->violations)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(violations_collect(self, search_depth(&self->search),
                              self->control.level.triggered & search_pending_properties(&self->search), s->violations));
  for (size_t i = 0; i < task->model->property_count; i++)
    if (s->violations[i].violation)
      snapshot_add_violation(snapshot, i, &s->violations[i], task->layout->key_words);
  return FLOE_OK;
}

static floe_status add_sums(void *user, struct snapshot *snapshot) {
  struct gpu_snapshot *s = user;
  const struct gpu_control *control = &s->self->control;
  struct checkpoint_search *sums = &snapshot->sums;
  sums->transitions = control->results.transitions;
  sums->deadlocks = control->results.deadlocks;
  sums->checksum = control->results.checksum;
  sums->max_out_degree = (uint32_t)control->results.max_out_degree;
  sums->failed |= control->results.failed;
  if (!sums->firing_failed && control->results.firing_failed_depth != UINT32_MAX) {
    sums->firing_failed = true;
    sums->firing_failed_depth = control->results.firing_failed_depth;
  }
  FLOE_TRY(gpu_download(s->self->gpu, snapshot->fired, s->self->buffers.fired,
                        sums->transition_count * sizeof *snapshot->fired));
  return add_violations(s, snapshot);
}

/* ---- restoring: states --------------------------------------------------------------------------- */

static floe_status put_multiword(void *user, struct snapshot_source *source) {
  struct gpu_snapshot *s = user;
  return tree_restore_states(s->self, source, &s->tree);
}

/* The thread's next states as keys of the visited set. */
static size_t take_keys(const struct gpu_snapshot *s, unsigned thread, uint64_t *to, size_t most) {
  if (!s->tree)
    return snapshot_take(s->source, thread, to, most);
  const size_t n = tree_restored_take(s->tree, thread, s->source, to, most);
  for (size_t i = 0; i < n; i++)
    to[i] = tree_key(to[i], s->self->tree.bits[0]);
  return n;
}

static uint64_t fill_keys(void *user, unsigned thread, uint64_t *to, uint64_t room) {
  uint64_t filled = 0;
  for (size_t n; filled < room && (n = take_keys(user, thread, to + filled, room - filled)) > 0;)
    filled += n;
  return filled;
}

static floe_status put_visited(void *user, struct snapshot_source *source) {
  struct gpu_snapshot *s = user;
  s->source = source;
  return transfer_load(s->self, source, fill_keys, s);
}

/* Room for `count` further states on the host. NULL: no memory. */
static uint64_t *pending_room(struct gpu_search *self, uint64_t count) {
  struct state_list *list = &self->restored_pending;
  const uint64_t most = self->search.origin.states[CHECKPOINT_PENDING];
  if (!list->states)
    list->states = mem_array(most, sizeof *list->states);
  if (!list->states || count > most - list->count)
    return NULL;
  list->count += count;
  return list->states + list->count - count;
}

static floe_status put_waiting(void *user, enum checkpoint_section section, const uint64_t *states, size_t n) {
  const struct gpu_snapshot *s = user;
  uint64_t roots[AT_ONCE], *pending = NULL;
  if (section == CHECKPOINT_PENDING && !(pending = pending_room(s->self, n)))
    return FLOE_ERROR_MEMORY;
  for (size_t at = 0, some; at < n; at += some) {
    some = s->tree ? least(n - at, AT_ONCE) : n;
    const uint64_t *from = states;
    if (s->tree) {
      tree_restored_roots(s->tree, 0, states + at * s->self->tree.words, some, roots);
      from = roots;
    }
    if (pending)
      memcpy(pending + at, from, some * sizeof *from);
    else
      FLOE_TRY(queue_add(s->self, section == CHECKPOINT_NEXT, from, some));
  }
  return FLOE_OK;
}

/* ---- restoring: sums ----------------------------------------------------------------------------- */

static floe_status put_sums(void *user, const struct checkpoint_search *sums) {
  struct gpu_search *self = ((const struct gpu_snapshot *)user)->self;
  struct gpu_control *control = &self->control;
  control->results.transitions = sums->transitions;
  control->results.deadlocks = sums->deadlocks;
  control->results.checksum = sums->checksum;
  control->results.max_out_degree = sums->max_out_degree;
  control->results.failed = sums->failed;
  if (sums->firing_failed)
    control->results.firing_failed_depth = sums->firing_failed_depth;
  return gpu_upload(self->gpu, self->buffers.fired, sums->fired, sums->transition_count * sizeof *sums->fired);
}

/* A witness is one of the states found, so it has a root, unless inserting them was interrupted. */
static void put_violation(void *user, size_t property, const struct engine_violation *violation) {
  const struct gpu_snapshot *s = user;
  struct gpu_search *self = s->self;
  uint64_t *witness = &self->control.results.witness[property];
  if (self->tree.words && !s->tree) {
    search_add_violation(&self->search, property, violation->state, violation->depth, violation->error);
    search_note_violations(&self->search, UINT64_C(1) << property);
    return;
  }
  if (s->tree)
    tree_restored_roots(s->tree, 0, violation->state, 1, witness);
  else
    *witness = *violation->state;
  self->control.level.triggered |= UINT64_C(1) << property;
}

static uint64_t count_states(void *user) { return gpu_search_states(((const struct gpu_snapshot *)user)->self); }

static void set_states(void *user, uint64_t states) {
  ((const struct gpu_snapshot *)user)->self->control.level.states_before = states;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static const struct snapshot_operations operations = {.write_visited = write_visited,
                                                      .write_waiting = write_waiting,
                                                      .add_sums = add_sums,
                                                      .put_multiword = put_multiword,
                                                      .put_visited = put_visited,
                                                      .put_waiting = put_waiting,
                                                      .put_sums = put_sums,
                                                      .put_violation = put_violation,
                                                      .count_states = count_states,
                                                      .set_states = set_states};

static struct snapshot_engine engine_of(struct gpu_snapshot *s) {
  return (struct snapshot_engine){&s->self->search, &s->self->group.collective, s->self->transfer.pool, &operations, s};
}

void gpu_save(struct gpu_search *self) {
  struct gpu_snapshot s = {.self = self};
  const struct snapshot_engine engine = engine_of(&s);
  const struct checkpoint_order order = snapshot_order(&self->visited.table.config, &self->visited.table.shape);
  if (self->host_backed && !self->search.ended)
    host_backed_drain(self);
  if (self->host_backed && self->search.checkpoints.inexact)
    return;
  snapshot_save(&engine, &order);
  tree_expander_free(s.expander);
  violations_free(s.violations, self->search.task->model->property_count);
}

void gpu_restore(struct gpu_search *self) {
  struct gpu_snapshot s = {.self = self};
  const struct snapshot_engine engine = engine_of(&s);
  snapshot_restore(&engine);
  if (self->search.status == FLOE_OK)
    self->control.level.depth = search_depth(&self->search);
  tree_restored_free(s.tree);
}

/* ---- pending states ------------------------------------------------------------------------------ */

static floe_status insert_some(struct gpu_search *self) {
  const uint64_t most = least(self->grid.slack, self->queue.ring_words / 4);
  const uint64_t n = least(most, self->restored_pending.count - self->restored_pending.first);
  const gpu_address to = self->host_backed ? self->buffers.pending : self->buffers.source;
  FLOE_TRY(
      gpu_upload(self->gpu, to, self->restored_pending.states + self->restored_pending.first, n * sizeof(uint64_t)));
  self->restored_pending.first += n;
  return self->host_backed ? host_backed_put(self, n) : grow_insert(self, n);
}

void gpu_restore_pending(struct gpu_search *self) {
  while (!self->search.ended && self->restored_pending.first < self->restored_pending.count) {
    floe_status status = insert_some(self);
    if (status != FLOE_OK)
      search_fail(&self->search, status);
    if (!self->search.ended)
      host_backed_place_pending(self);
    if (!self->search.ended && self->control.next_end - self->control.level.next > self->queue.ring_words / 2)
      queue_make_room(self);
  }
}
