#include "gpu/explore/launch.h"

#include "base/numbers.h"
#include "core/system/clock.h"
#include "engine/host_backed/shards.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/sequence_stacks.h"
#include "gpu/engine/state_download.h"

#include <stddef.h>

/* A warp reads the level, and the end of the queue, as one line. */
_Static_assert(GPU_LEVEL_WORDS < 16, "the level does not fit a line");
_Static_assert(offsetof(struct gpu_control, handoff.levels) % 128 == 0, "the line is not aligned");

/* Time slices are short while states are downloaded, so that the device seldom waits. */
#define DOWNLOAD_SLICE_US 5000
/* Also in a group, where other members wait for the states. With mailboxes they seldom do, and a launch that stops all
   warps at once costs 0.13 ms, on two H100s and H200s. */
#define GROUP_SLICE_US 5000
#define MAILBOX_SLICE_US 20000
/* Least size of a level for which several devices are faster. */
#define LARGE_LEVEL 200000

/* ---- progress -------------------------------------------------------------------------------- */

static floe_progress progress_of(const struct gpu_search *self, const struct shards *host) {
  const uint64_t states = gpu_search_states(self);
  const struct collective *collective = &self->group.collective;
  return (floe_progress){.states = states + collective->other_states,
                         .transitions = self->control.results.transitions + collective->other_transitions,
                         .frontier = queue_level_rest(self),
                         .depth = self->control.level.depth,
                         .table_fill = (double)states /
                                       (double)(self->visited.table.shape.slots + (host ? shards_slots(host) : 0)),
                         .bytes = self->budget.used + self->queue.spill.bytes + (host ? shards_bytes(host) : 0)};
}

void gpu_search_poll(struct gpu_search *self, const struct shards *host) {
  const double now = clock_seconds();
  if (search_report_due(&self->search, now))
    search_report(&self->search, progress_of(self, host), now);
  search_check_stop(&self->search);
}

/* ---- conditions that end a launch ------------------------------------------------------------ */

uint64_t gpu_search_large_level(const struct gpu_search *self) {
  return self->test_settings.alone ? self->test_settings.alone : LARGE_LEVEL;
}

/* Longest time of a launch, in nanoseconds. */
static uint64_t next_slice(const struct gpu_search *self) {
  const floe_options *options = self->search.task->options;
  double seconds = 1e-6 * (double)self->test_settings.slice_us;
  if (self->download.states || self->download.log)
    seconds = seconds < 1e-6 * DOWNLOAD_SLICE_US ? seconds : 1e-6 * DOWNLOAD_SLICE_US;
  if (gpu_search_in_group(self)) {
    const double most = 1e-6 * (gpu_search_has_mailboxes(self) ? MAILBOX_SLICE_US : GROUP_SLICE_US);
    seconds = seconds < most ? seconds : most;
  }
  if (options->timeout > 0) {
    double left = options->timeout - (clock_seconds() - self->search.task->limits.started);
    seconds = left < seconds ? left : seconds;
  }
  return seconds > 1e-5 ? (uint64_t)(1e9 * seconds) : 10000;
}

/* Number of states at which more GPUs may take over: a launch ends there. */
static uint64_t escalation_at(const struct gpu_search *self) {
  const uint64_t from = self->search.task->devices.escalate_from,
                 next = gpu_search_states(self) + gpu_search_large_level(self);
  return next > from ? next : from;
}

/* Number of states at which an attempt to find a cycle may be due. */
static uint64_t attempt_at(const struct gpu_search *self) {
  return self->attempts.next ? self->attempts.look_at : UINT64_MAX;
}

/* Levels that a launch closes are downloaded from the queue after it, so all of them must still be there: at most
   `most` states, for which room is kept beside what the current level needs. */
void gpu_search_set_stops(struct gpu_search *self) {
  const floe_options *options = self->search.task->options;
  struct gpu_control *control = &self->control;
  const uint64_t most = self->download.most;
  control->level.requested_properties = search_pending_properties(&self->search);
  control->level.errors_only = search_errors_only(&self->search);
  control->level.properties_only = search_at_bound(&self->search);
  control->level.one_part = control->level.properties_only || queue_in_parts(self) || gpu_search_in_group(self);
  control->level.depth_limit = options->max_depth;
  control->level.max_states = options->max_states;
  if (most)
    control->level.max_states = least(control->level.max_states, gpu_search_states(self) + most);
  control->level.max_states = least(control->level.max_states, attempt_at(self));
  if (self->search.task->devices.may_escalate)
    control->level.max_states = least(control->level.max_states, escalation_at(self));
  control->level.slack = self->grid.slack + most;
  control->level.time_slice = next_slice(self);
  if (self->group.hooks)
    self->group.hooks->set_stops(self);
}

floe_status gpu_search_launch(struct gpu_search *self, const struct search_kernels *kernels, const void *view,
                              const struct gpu_space *space) {
  struct gpu_launch grid = {.blocks = self->grid.blocks, .threads = GPU_BLOCK, .cooperative = true};
  void *arguments[] = {(void *)view, (void *)space, &self->sequences.view}; /* the last: only with transient states */
  FLOE_TRY(gpu_search_upload(self));
  const double start = clock_seconds();
  FLOE_TRY(gpu_start(self->gpu, kernels->explore.function, &grid, arguments));
  self->statistics.launches++;
  download_deliver(self);
  floe_status status = self->group.hooks ? self->group.hooks->while_running(self) : FLOE_OK;
  if (status == FLOE_OK)
    status = gpu_search_download(self);
  self->statistics.kernel_seconds += clock_seconds() - start;
  if (status != FLOE_OK || !self->control.results.broken)
    return status;
  if (self->control.results.broken == GPU_BROKEN_SEQUENCES)
    return sequence_stacks_exceeded(self);
  search_report_unreachable(&self->search);
  return FLOE_ERROR_INTERNAL;
}
