/* Closing a level: what one thread does between levels while all others wait. Part of explore.h, whose constants it
   uses.

   Measured on an H200, and kept as it is: with shared functions called instead of inlined, and a single barrier call
   site, floe_explore is a tenth smaller, but 11 to 16 % slower on counters, lamport and bakery. */
#ifndef FLOE_GPU_LEVELS_H
#define FLOE_GPU_LEVELS_H

#include "gpu/kernel/multi/owner_routing.h"

KERNEL_FN bool slice_is_over(const struct level *level, uint64_t started) {
  return gpu_nanoseconds() - started >= level->now.time_slice;
}

/* Positions of next_end that end the launch. */
KERNEL_FN uint64_t ring_limit(const struct gpu_space *space, const struct gpu_level *now) {
#ifdef FLOE_DEVICE_CACHE
  return now->next + space->candidate_room;
#else
  const uint64_t room = space->ring_mask + 1;
  return now->current + (room > now->slack ? room - now->slack : 0);
#endif
}

KERNEL_FN uint64_t grow_limit(const struct gpu_level *now) {
  const uint64_t room = now->grow_at > now->states_before ? now->grow_at - now->states_before : 0;
  return room > UINT64_MAX - now->next ? UINT64_MAX : now->next + room;
}

/* Derives the schedule of the level from `now`. A level of one round is within the slack: each warp fetches at most
   32 of its states. A single block fetches more at a time, but never more than all blocks would. States are shared
   only if one iteration then suffices. */
KERNEL_FN void plan_level(const struct gpu_space *space, struct level *level) {
  const struct gpu_level *now = &level->now;
  const uint64_t size = now->current_end - now->current;
  const uint32_t all = gpu_blocks() * GPU_WARPS;
  level->ring_limit = ring_limit(space, now);
  level->grow_limit = grow_limit(now);
  level->appended = level->stop = 0;
  level->one_round = size <= (uint64_t)all * GPU_WARP;
  level->single_block = level->one_round && size <= FLOE_SMALL_LEVEL && !LINKED_MEMBERS;
  level->share = GPU_WARP;
  level->parts = 1;
  level->parts_log = 0;
  level->one_iteration = level->one_round && !(level->single_block && size > GPU_BLOCK);
  if (level->one_round) {
    uint32_t warps = level->single_block ? (uint32_t)GPU_WARPS : all;
    while (level->parts < MOST_PARTS && size * 2 <= (uint64_t)warps * GPU_WARP) {
      level->parts *= 2;
      level->parts_log++;
      warps /= 2;
    }
    const uint32_t share = level->single_block ? ((uint32_t)size + warps - 1) >> (GPU_WARPS_LOG - level->parts_log)
                                               : ((uint32_t)size + warps - 1) / warps;
    if (share < GPU_WARP)
      level->share = share > GPU_LEAST_SHARE ? share : (uint32_t)GPU_LEAST_SHARE;
  }
}

/* Reasons not to continue with the new level, of `size` states. Reading the clock is slow: after small levels it is
   read only now and then. In large levels the warps read it. */
KERNEL_FN uint32_t exit_reasons_of(const struct gpu_space *space, const struct level *level, uint64_t size,
                                   uint64_t started) {
  const struct gpu_level *now = &level->now;
  uint32_t why = 0;
  if (size == 0)
    why |= GPU_EXIT_EMPTY;
  if (now->triggered & now->requested_properties)
    why |= GPU_EXIT_TRIGGERED;
  if (now->depth == now->depth_limit)
    why |= GPU_EXIT_DEPTH;
  if (now->states_before > now->max_states)
    why |= GPU_EXIT_STATES;
  if (now->level_count >= space->level_capacity)
    why |= GPU_EXIT_LEVELS;
  if ((!level->one_round || now->depth % LEVELS_PER_CLOCK == 0) && slice_is_over(level, started))
    why |= GPU_EXIT_TIME;
  return why;
}

/* The level has `size` states, of which this device holds those up to `end`. */
KERNEL_FN void open_next_level(const struct gpu_space *space, struct level *level, uint64_t end, uint64_t size,
                               uint64_t started) {
  struct gpu_level *now = &level->now;
  now->states_before += end - now->next;
  now->current = now->next;
  now->current_end = now->next = end;
  now->depth++;
  if (size && now->level_count < space->level_capacity)
    gpu_store64(&space->level_states[now->level_count++], size);
  now->exit_reasons |= exit_reasons_of(space, level, size, started);
}

#ifdef FLOE_LINKED
/* ---- closing with other members --------------------------------------------------------------- */

/* Whether the hosts must close the level: they need its results, or states are still in outboxes. */
KERNEL_FN bool needs_host(const struct gpu_space *space, const struct gpu_level *now, uint64_t size) {
  const struct gpu_control *control = space->control;
  const uint64_t failed = gpu_load64(&control->results.failed), left_out = gpu_load64(&control->mailbox.to_outbox);
  const bool cut = gpu_load32(&control->results.firing_failed_depth) != UINT32_MAX;
  return control->group.host_closes || now->triggered & now->requested_properties ||
         failed & ~control->group.failed_known || (cut && !control->group.firing_failed_known) || left_out ||
         size > PHASE_STATES;
}

/* Whether the search continues after this level; all members compute the same answer. */
KERNEL_FN bool level_continues(const struct gpu_level *now, uint64_t all_states,
                               const struct phase_results *phase_results) {
  return !phase_results->host && phase_results->states > 0 && now->depth + 1 < now->depth_limit &&
         all_states + phase_results->states <= now->max_states;
}

/* This member has finished its work in the level and receives nothing more. It publishes its results; the results of
   all members decide. A member that is not running now decides in another launch. Returns exit reasons:
   GPU_EXIT_PART, for all members, if the hosts close the level; 0 or others: the next level is current; GPU_EXIT_TIME
   alone: or it is not known yet. */
KERNEL_FN_APART uint32_t close_collectively(const struct gpu_space *space, struct level *level, uint64_t next_end,
                                            uint64_t started) {
  struct gpu_control *control = space->control;
  struct gpu_level *now = &level->now;
  const uint32_t phase = phase_of(space, level);
  const uint64_t size = next_end - now->next, all_states = gpu_load64(&control->group.total_states);
  struct phase_results phase_results;
  if (gpu_load32(&control->group.published_phase) != phase) {
    publish_phase(space, phase, needs_host(space, now, size), (uint32_t)size & PHASE_STATES);
    gpu_store32(&control->group.published_phase, phase);
  }
  GPU_ROLLED
  for (uint32_t times = 0;; times++) {
    read_phases(space, phase, &phase_results);
    if (phase_results.host)
      return GPU_EXIT_PART;
    if (phase_results.all)
      break;
    if (control->group.close_only)
      gpu_store32(&control->group.without_host, phase_results.without_host);
    if (control->group.close_only || (times % LEVELS_PER_CLOCK == 0 && slice_is_over(level, started)))
      return GPU_EXIT_TIME;
    gpu_pause(times);
  }
  if (!level_continues(now, all_states, &phase_results))
    return GPU_EXIT_PART;
  gpu_store64(&control->group.total_states, all_states + phase_results.states);
  open_next_level(space, level, next_end, phase_results.states, started);
  return now->exit_reasons;
}
#endif

/* Does not begin a level if the ring has no room for its successors. */
KERNEL_FN void check_room(const struct gpu_space *space, struct gpu_level *now, uint64_t next_end) {
  if (now->current != now->current_end && next_end >= ring_limit(space, now))
    now->exit_reasons |= GPU_EXIT_QUEUE;
}

/* All states of the level are expanded here. */
KERNEL_FN void end_level(const struct gpu_space *space, struct level *level, uint64_t next_end, uint64_t started) {
  struct gpu_level *now = &level->now;
#ifdef FLOE_LINKED
  if (space->mailboxes.closes_phase && now->exit_reasons == 0) {
    now->exit_reasons = close_collectively(space, level, next_end, started);
    return;
  }
#endif
  if (now->one_part)
    now->exit_reasons |= GPU_EXIT_PART;
  else
    open_next_level(space, level, next_end, next_end - now->next, started);
}

/* After every warp has finished: all states before `position` are expanded. The level stays open if keys found no
   slot. */
KERNEL_FN void close_level(const struct gpu_space *space, struct level *level, uint64_t position, uint64_t next_end,
                           uint64_t started) {
  struct gpu_level *now = &level->now;
  now->current = position;
  if (position == now->current_end && !(now->exit_reasons & (GPU_EXIT_FULL | GPU_EXIT_TREE)))
    end_level(space, level, next_end, started);
  check_room(space, now, next_end);
}

/* Writes the fields that the kernel advances, for the host. */
KERNEL_FN void export_level(struct gpu_control *control, const struct gpu_level *now) {
  gpu_store64(&control->level.current, now->current);
  gpu_store64(&control->level.current_end, now->current_end);
  gpu_store64(&control->level.next, now->next);
  gpu_store64(&control->level.states_before, now->states_before);
  gpu_store32(&control->level.depth, now->depth);
  gpu_store32(&control->level.level_count, now->level_count);
  gpu_store32(&control->level.exit_reasons, now->exit_reasons);
}

/* Publishes the level to all blocks, after the barrier of this generation. */
KERNEL_FN void publish_level(struct gpu_control *control, const struct level *level, uint64_t next_end,
                             uint32_t generation) {
  uint64_t *const line = control->handoff.levels[generation % 2];
  for (unsigned i = 0; i < GPU_LEVEL_WORDS; i++)
    gpu_store64(&line[i], level->words[i]);
  gpu_store64(&line[GPU_LEVEL_WORDS], next_end);
  gpu_store64(&control->ticket, level->now.current);
  if (level->now.exit_reasons)
    export_level(control, &level->now);
}

/* The block has the level as it began; the fields that changed since are loaded together, because each load is slow. */
KERNEL_FN void close_for_all(const struct gpu_space *space, struct level *level, uint64_t started,
                             uint32_t generation) {
  struct gpu_control *control = space->control;
  struct gpu_level *now = &level->now;
  const uint64_t ticket = gpu_load64(&control->ticket);
  const uint64_t next_end = gpu_load64(&control->next_end);
  const uint64_t resume = gpu_load64(&control->handoff.resume);
  const uint64_t triggered = gpu_load64(&control->level.triggered);
  const uint32_t stop = gpu_load32(&control->handoff.stop);
  uint64_t position = now->current_end;
  if (!level->one_round && ticket & TICKET_STOP)
    position = resume;
  else if (!level->one_round && ticket < position)
    position = ticket;
  now->triggered = triggered;
  now->exit_reasons = stop;
  close_level(space, level, position, next_end, started);
  publish_level(control, level, next_end, generation);
}

KERNEL_FN void begin_launch(const struct gpu_space *space, struct level *level, uint32_t generation) {
  struct gpu_control *control = space->control;
  const uint64_t next_end = gpu_load64(&control->next_end);
  for (unsigned i = 0; i < GPU_LEVEL_WORDS; i++)
    level->words[i] = gpu_load64((const uint64_t *)&control->level.current + i);
  level->now.exit_reasons = 0;
  gpu_store32(&control->handoff.stop, 0);
#ifdef FLOE_LINKED
  if (space->mailboxes.closes_phase && gpu_load32(&control->group.published_phase) == phase_of(space, level))
    level->now.exit_reasons = close_collectively(space, level, next_end, gpu_nanoseconds());
  if (control->group.close_only)
    level->now.exit_reasons |= GPU_EXIT_TIME;
#endif
  check_room(space, &level->now, next_end);
  publish_level(control, level, next_end, generation);
}

#endif
