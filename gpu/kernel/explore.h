/* The exploration: all warps take states of a level 32 at a time, expand one a lane, and look their successors up;
   block 0 alone does small levels. The text comes after table.h, sink.h and the generated code of a model. */
#ifndef FLOE_GPU_EXPLORE_H
#define FLOE_GPU_EXPLORE_H

enum {
  /* Keys that a lane can hold before the warp has to look them up */
  COLUMN_KEYS = (int)FLOE_MAX_SUCCESSORS < 12 ? (int)FLOE_MAX_SUCCESSORS : 12,
  GROUP_KEYS = (int)FLOE_GROUP_SUCCESSORS, /* most that one group of transitions can give */
  IN_ONE_GO = (int)FLOE_MAX_SUCCESSORS <= COLUMN_KEYS,
  SHARED_COUNTS = 1024, /* transitions counted in shared memory; a model with more counts in global memory */
  COUNT_IN_SHARED = (int)FLOE_TRANSITIONS <= SHARED_COUNTS,
  BLOCK_COUNTS = COUNT_IN_SHARED && FLOE_TRANSITIONS ? (int)FLOE_TRANSITIONS : 1,
  TURNS_PER_CLOCK = 8,        /* a warp looks at the clock when it has taken states so many times */
  MOST_FIRINGS = 1 << 22      /* of a lane in one launch: the block's counts have 32 bits */
};

/* What a lane sums up over a launch. */
struct sums {
  uint64_t checksum;
  uint32_t transitions, deadlocks, max_out_degree;
};

struct block_space {
  const struct iceberg *table; /* the kernel's parameters, for look_up_alone */
  const struct gpu_space *space;
  uint64_t begun; /* nanoseconds */
  struct level level;
  struct sums sums[GPU_BLOCK]; /* here, as registers are short */
  struct held held[GPU_WARPS];
  uint64_t columns[GPU_WARPS][COLUMN_KEYS * GPU_WARP];
  uint32_t fired[BLOCK_COUNTS];
#if FLOE_FILTER
  uint64_t recent[FLOE_FILTER];
#endif
};

/* ---- the generated code's way out ---------------------------------------------------------------- */

/* find-or-put by one lane, wherever it is: for a column that is full. */
KERNEL_FN_APART void look_up_alone(const struct block_space *block, uint64_t key) {
  const struct gpu_space *space = block->space;
  struct gpu_control *control = space->control;
  const unsigned answer = iceberg_answer_one(block->table, key, table_geometry(), true);
  if (answer == ICEBERG_PUT) {
    const uint64_t position = gpu_add64(&control->next_end, 1);
    space->ring[position & space->ring_mask] = key;
    gpu_add64(&control->checksum, state_mix(key));
    const uint32_t why = beyond_limits(&block->level, position + 1);
    if (why)
      request_stop(control, &block->level, why);
  }
  if (answer == ICEBERG_FULL) {
    space->pending[gpu_add64(&control->pending_count, 1)] = key;
    request_stop(control, &block->level, GPU_LEFT_FULL);
    return;
  }
#ifdef FLOE_LOG
  const uint64_t logged = gpu_add64(&control->log_count, 1);
  space->log[logged] = key;
  if (log_is_nearly_full(space, logged + 1))
    request_stop(control, &block->level, GPU_LEFT_LOG);
#endif
}

KERNEL_FN void floe_emit(struct floe_sink *sink, uint32_t number, uint64_t key) {
  sink->degree++;
  if (COUNT_IN_SHARED)
    gpu_count(&sink->block->fired[number]);
  else
    gpu_add64(&sink->block->space->fired[number], 1);
  if (GROUP_KEYS > COLUMN_KEYS && sink->held == COLUMN_KEYS) {
    look_up_alone(sink->block, key);
    return;
  }
  sink->column[sink->held * GPU_WARP] = key;
  sink->held++;
}

/* ---- one state a lane ---------------------------------------------------------------------------- */

/* Bits are few and soon known: most lanes find nothing to be written. */
KERNEL_FN void trigger(struct gpu_control *control, uint64_t properties, uint64_t key) {
  if (properties & ~gpu_load64(&control->triggered))
    gpu_or64(&control->triggered, properties);
  for (unsigned i = 0; properties; i++, properties >>= 1)
    if ((properties & 1) && key < gpu_load64(&control->least[i]))
      gpu_min64(&control->least[i], key);
}

KERNEL_FN void begin_state(const struct warp *w, const floe_state s, FLOE_SINK) {
  const uint64_t wanted = w->level->wanted;
  sink->degree = 0;
  sink->failed = false;
  if (!(wanted & ~(FLOE_DEADLOCK | FLOE_ERRORS)))
    return;
  uint32_t site;
  uint64_t triggered = floe_properties(s, wanted, &site);
  if (site != FLOE_NO_SITE)
    triggered |= wanted & FLOE_ERRORS;
  if (triggered)
    trigger(w->space->control, triggered, s.w[0]);
}

/* Is it a deadlock of `wanted`? As on the CPU (step/kernel/expand.h). */
KERNEL_FN uint64_t no_successors(const floe_state s, uint64_t wanted) {
  uint32_t site;
  if (!(wanted & FLOE_DEADLOCK))
    return 0;
  const bool excused = floe_excused(s, &site);
  if (site != FLOE_NO_SITE)
    return wanted & FLOE_ERRORS;
  return excused ? 0 : FLOE_DEADLOCK;
}

/* All firings of the state are known. */
KERNEL_FN void end_state(const struct warp *w, const floe_state s, struct sums *sums, FLOE_SINK) {
  const uint64_t wanted = w->level->wanted;
  uint64_t triggered = sink->failed ? wanted & FLOE_ERRORS : 0;
  sums->transitions += sink->degree;
  if (sink->degree > sums->max_out_degree)
    sums->max_out_degree = sink->degree;
  if (sink->degree == 0 && !sink->failed) {
    sums->deadlocks++;
    triggered |= no_successors(s, wanted);
  }
  if (triggered)
    trigger(w->space->control, triggered, s.w[0]);
}

KERNEL_FN void fire_group(const floe_state s, int32_t committed, unsigned group, FLOE_SINK) {
#define FIRE_GROUP(number, first)                                                                  \
  case number:                                                                                     \
    floe_fire_##first(s, committed, sink);                                                         \
    break;
  switch (group) {
    FLOE_GROUPS(FIRE_GROUP)
  default:
    break;
  }
#undef FIRE_GROUP
}

/* All successors of the lanes' states (`live`: the lane has one) into the table. Groups of transitions are fired until
   some column might overflow. `all`: no lane has a state, and what the warp holds back is to be done as well. */
KERNEL_FN void generate(struct warp *w, const floe_state s, struct sums *sums, bool live, bool all,
                        FLOE_SINK) {
  const int32_t committed = live && !IN_ONE_GO ? floe_committed(s) : 0;
  const unsigned last = IN_ONE_GO ? 0 : (unsigned)FLOE_GROUP_COUNT - 1;
  GPU_ROLLED
  for (unsigned group = all ? last : 0; group <= last; group++) {
    if (live) {
      if (IN_ONE_GO)
        floe_successors(s, sink);
      else
        fire_group(s, committed, group, sink);
      if (group == last)
        end_state(w, s, sums, sink);
    }
    gpu_sync_warp();
    if (group < last && !gpu_ballot(sink->held + GROUP_KEYS > COLUMN_KEYS))
      continue;
    warp_settle(w, sink->column - w->lane, sink->held, all);
    sink->held = 0;
  }
}

/* Expands the state `key` of every live lane. */
KERNEL_FN void expand(struct warp *w, struct floe_sink *sink, struct sums *sums, uint64_t key,
                      bool live, bool all) {
  floe_state s;
  s.w[0] = key;
  if (live)
    begin_state(w, s, sink);
  generate(w, s, sums, live && !w->level->properties_only, all, sink);
}

/* ---- one level ------------------------------------------------------------------------------------- */

/* Position of the next 32 states for this warp: at or beyond the level's end when there are none. A small level is
   dealt out to the warps of its one block at once. */
KERNEL_FN uint64_t take_states(const struct warp *w, uint32_t turn) {
  if (w->level->alone)
    return turn ? UINT64_MAX : w->level->current + gpu_thread() / GPU_WARP * GPU_WARP;
  return keys_append(&w->space->control->ticket, GPU_WARP, w->lane);
}

KERNEL_FN bool slice_is_over(const struct gpu_control *control, uint64_t begun) {
  return gpu_nanoseconds() - begun >= gpu_load64(&control->slice);
}

KERNEL_FN void expand_level(struct warp *w, struct floe_sink *sink, struct sums *sums,
                            const struct block_space *block) {
  struct gpu_control *control = w->space->control;
  bool more = true;
  GPU_ROLLED
  for (uint32_t turn = 0; more; turn++) {
    const uint64_t first = take_states(w, turn), end = w->level->end;
    more = first < end;
    const bool live = more && w->lane < end - first;
    const uint64_t key =
        live ? gpu_load64(&w->space->ring[(first + w->lane) & w->space->ring_mask]) : 0;
    expand(w, sink, sums, key, live, !more);
    if (more && w->lane == 0 && turn % TURNS_PER_CLOCK == TURNS_PER_CLOCK - 1 &&
        slice_is_over(control, block->begun))
      request_stop(control, w->level, GPU_LEFT_TIME);
    if (sums->transitions >= MOST_FIRINGS)
      request_stop(control, w->level, GPU_LEFT_TIME);
    gpu_sync_warp();
  }
}

/* ---- between levels: one thread, when all others wait ------------------------------------------------ */

KERNEL_FN uint64_t expanded_up_to(struct gpu_control *control, bool alone) {
  const uint64_t ticket = gpu_load64(&control->ticket), end = gpu_load64(&control->current_end);
  if (alone)
    return end;
  if (ticket & TICKET_STOP)
    return gpu_load64(&control->resume);
  return ticket < end ? ticket : end;
}

/* Positions of next_end that end the launch. */
KERNEL_FN uint64_t ring_limit(const struct gpu_space *space) {
  const uint64_t slack = gpu_load64(&space->control->slack);
  return gpu_load64(&space->control->current) +
         (space->ring_mask + 1 > slack ? space->ring_mask + 1 - slack : 0);
}

KERNEL_FN uint64_t grow_limit(const struct gpu_control *control) {
  const uint64_t before = gpu_load64(&control->states_before);
  const uint64_t at = gpu_load64(&control->grow_at), next = gpu_load64(&control->next);
  const uint64_t room = at > before ? at - before : 0;
  return room > UINT64_MAX - next ? UINT64_MAX : next + room;
}

/* Why not to go on with the new level, of `size` states. */
KERNEL_FN uint32_t reasons_to_leave(const struct gpu_space *space, uint64_t size,
                                    uint64_t begun) {
  struct gpu_control *control = space->control;
  uint32_t why = 0;
  if (size == 0)
    why |= GPU_LEFT_EMPTY;
  if (gpu_load64(&control->triggered) & gpu_load64(&control->wanted))
    why |= GPU_LEFT_TRIGGERED;
  if (gpu_load32(&control->depth) == gpu_load32(&control->depth_limit))
    why |= GPU_LEFT_DEPTH;
  if (gpu_load64(&control->states_before) > gpu_load64(&control->max_states))
    why |= GPU_LEFT_STATES;
  if (gpu_load32(&control->level_count) >= space->level_capacity)
    why |= GPU_LEFT_LEVELS;
  if (slice_is_over(control, begun))
    why |= GPU_LEFT_TIME;
  return why;
}

KERNEL_FN void open_next_level(const struct gpu_space *space, uint64_t begun) {
  struct gpu_control *control = space->control;
  const uint64_t next = gpu_load64(&control->next), end = gpu_load64(&control->next_end);
  const uint32_t count = gpu_load32(&control->level_count);
  gpu_store64(&control->states_before, gpu_load64(&control->states_before) + (end - next));
  gpu_store64(&control->current, next);
  gpu_store64(&control->current_end, end);
  gpu_store64(&control->next, end);
  gpu_store32(&control->depth, gpu_load32(&control->depth) + 1);
  if (end != next && count < space->level_capacity) {
    gpu_store64(&space->level_states[count], end - next);
    gpu_store32(&control->level_count, count + 1);
  }
  uint32_t why = reasons_to_leave(space, end - next, begun);
  gpu_store32(&control->left, gpu_load32(&control->left) | why);
}

/* After every warp has come to the end of its work. */
KERNEL_FN void close_level(const struct gpu_space *space, bool alone, uint64_t begun) {
  struct gpu_control *control = space->control;
  const uint64_t position = expanded_up_to(control, alone);
  gpu_store64(&control->current, position);
  if (position == gpu_load64(&control->current_end) && gpu_load64(&control->pending_count) == 0) {
    if (gpu_load32(&control->one_part))
      gpu_store32(&control->left, gpu_load32(&control->left) | GPU_LEFT_PART);
    else
      open_next_level(space, begun);
  }
  gpu_store64(&control->ticket, gpu_load64(&control->current));
}

/* A level that leaves no room in the ring for what it may find is not begun. */
KERNEL_FN void check_room(const struct gpu_space *space) {
  struct gpu_control *control = space->control;
  if (gpu_load64(&control->current) != gpu_load64(&control->current_end) &&
      gpu_load64(&control->next_end) >= ring_limit(space))
    gpu_store32(&control->left, gpu_load32(&control->left) | GPU_LEFT_QUEUE);
}

KERNEL_FN void begin_launch(const struct gpu_space *space) {
  struct gpu_control *control = space->control;
  gpu_store32(&control->left, 0);
  gpu_store64(&control->ticket, gpu_load64(&control->current));
}

/* ---- the grid ----------------------------------------------------------------------------------------- */

enum at_barrier { BARRIER_BEGIN, BARRIER_CLOSE, BARRIER_ONLY };

/* All blocks wait for the last one, whose first thread does what is to be done between. Its stores, and all that the
   others did before, are seen by all after: each arrival is preceded by a fence, which orders what the block did
   (it came through the block's barrier first); the one who waits acquires what the last one released. */
KERNEL_FN void grid_barrier(const struct gpu_space *space, enum at_barrier work, uint64_t begun) {
  struct gpu_control *control = space->control;
  gpu_sync_block();
  if (gpu_thread() == 0) {
    const uint32_t generation = gpu_load32(&control->generation); /* cannot change before all arrive */
    gpu_fence();
    if (gpu_add32(&control->arrived, 1) == gpu_blocks() - 1) {
      gpu_fence();
      if (work == BARRIER_BEGIN)
        begin_launch(space);
      if (work == BARRIER_CLOSE)
        close_level(space, false, begun);
      if (work != BARRIER_ONLY)
        check_room(space);
      gpu_store32(&control->arrived, 0);
      gpu_fence();
      gpu_store32_release(&control->generation, generation + 1);
    } else {
      while (gpu_load32_acquire(&control->generation) == generation)
        gpu_pause();
    }
    gpu_fence();
  }
  gpu_sync_block();
}

/* Every warp of the block gets to know the level. */
KERNEL_FN void look_at_level(const struct gpu_space *space, struct level *level) {
  struct gpu_control *control = space->control;
  if (gpu_thread() == 0) {
    level->current = gpu_load64(&control->current);
    level->end = gpu_load64(&control->current_end);
    level->ring_limit = ring_limit(space);
    level->grow_limit = grow_limit(control);
    level->wanted = gpu_load64(&control->wanted);
    level->left = gpu_load32(&control->left);
    level->properties_only = gpu_load32(&control->properties_only);
    level->alone = level->end - level->current <= GPU_SMALL_LEVEL;
  }
  gpu_sync_block();
}

/* Block 0 goes on with small levels while the others wait at the grid's barrier. True: that one came to its end as
   well, and the next level is for all. */
KERNEL_FN bool alone_goes_on(const struct gpu_space *space, struct level *level, uint64_t begun) {
  gpu_sync_block();
  if (gpu_thread() == 0) {
    close_level(space, true, begun);
    check_room(space);
  }
  gpu_sync_block();
  look_at_level(space, level);
  return level->left == 0 && level->alone;
}

KERNEL_FN void explore_levels(struct warp *w, struct floe_sink *sink, struct sums *sums,
                              struct block_space *block) {
  const struct gpu_space *space = w->space;
  struct level *const level = &block->level;
  grid_barrier(space, BARRIER_BEGIN, block->begun);
  look_at_level(space, level);
  GPU_ROLLED
  while (level->left == 0) {
    const bool alone = level->alone;
    if (!alone || gpu_block() == 0)
      expand_level(w, sink, sums, block);
    if (alone && gpu_block() == 0 && alone_goes_on(space, level, block->begun))
      continue;
    grid_barrier(space, alone ? BARRIER_ONLY : BARRIER_CLOSE, block->begun);
    look_at_level(space, level);
  }
}

/* ---- the kernel ----------------------------------------------------------------------------------------- */

KERNEL_FN uint64_t sum_of_lanes(uint64_t value, unsigned lane) {
  for (unsigned apart = GPU_WARP / 2; apart; apart /= 2)
    value += gpu_shuffle64(value, lane ^ apart);
  return value;
}

KERNEL_FN uint32_t max_of_lanes(uint32_t value, unsigned lane) {
  for (unsigned apart = GPU_WARP / 2; apart; apart /= 2) {
    const uint32_t other = gpu_shuffle(value, lane ^ apart);
    value = other > value ? other : value;
  }
  return value;
}

KERNEL_FN void clear_sums(struct sums *sums) {
  sums->checksum = 0;
  sums->transitions = sums->deadlocks = sums->max_out_degree = 0;
}

KERNEL_FN void add_sums(const struct warp *w, const struct sums *sums) {
  struct gpu_control *control = w->space->control;
  const uint64_t transitions = sum_of_lanes(sums->transitions, w->lane);
  const uint64_t deadlocks = sum_of_lanes(sums->deadlocks, w->lane);
  const uint64_t checksum = sum_of_lanes(sums->checksum, w->lane);
  const uint32_t max_out_degree = max_of_lanes(sums->max_out_degree, w->lane);
  if (w->lane != 0)
    return;
  if (transitions)
    gpu_add64(&control->transitions, transitions);
  if (deadlocks)
    gpu_add64(&control->deadlocks, deadlocks);
  if (checksum)
    gpu_add64(&control->checksum, checksum);
  if (max_out_degree)
    gpu_max64(&control->max_out_degree, max_out_degree);
}

/* Clears the block's counts of firings, or adds them to the run's. */
KERNEL_FN void clear_fired(struct block_space *block) {
  for (unsigned i = gpu_thread(); i < BLOCK_COUNTS; i += GPU_BLOCK)
    block->fired[i] = 0;
}

KERNEL_FN void add_fired(const struct gpu_space *space, const struct block_space *block) {
  if (COUNT_IN_SHARED)
    for (unsigned i = gpu_thread(); i < FLOE_TRANSITIONS; i += GPU_BLOCK)
      if (block->fired[i])
        gpu_add64(&space->fired[i], block->fired[i]);
}

GPU_KERNEL(floe_explore, GPU_BLOCK, FLOE_LEAST_BLOCKS)
(GPU_PARAMETER struct iceberg table, GPU_PARAMETER struct gpu_space space) {
  GPU_SHARED(struct block_space, block);
  const unsigned number = gpu_thread() / GPU_WARP, lane = gpu_thread() % GPU_WARP;
  struct warp w = {0};
  w.table = &table;
  w.space = &space;
  w.level = &block->level;
  w.held = &block->held[number];
  w.lane = lane;
  struct floe_sink sink = {0};
  sink.column = &block->columns[number][lane];
  sink.block = block;
  struct sums *const sums = &block->sums[gpu_thread()];
  clear_sums(sums);
  w.checksum = &sums->checksum;
  if (gpu_thread() == 0) {
    block->table = &table;
    block->space = &space;
    block->begun = gpu_nanoseconds();
  }
#if FLOE_FILTER
  w.recent = block->recent;
  for (unsigned i = gpu_thread(); i < FLOE_FILTER; i += GPU_BLOCK)
    block->recent[i] = NO_KEY;
#endif
  clear_fired(block);
  gpu_sync_block();
  explore_levels(&w, &sink, sums, block);
  add_sums(&w, sums);
  gpu_sync_block();
  add_fired(&space, block);
}

struct block_insert {
  struct sums sums[GPU_BLOCK];
  struct held held[GPU_WARPS];
};

/* Keys given by the host. */
GPU_KERNEL(floe_insert, GPU_BLOCK, 2)
(GPU_PARAMETER struct iceberg table, GPU_PARAMETER struct gpu_space space) {
  GPU_SHARED(struct block_insert, block);
  const unsigned number = gpu_thread() / GPU_WARP, lane = gpu_thread() % GPU_WARP;
  const uint64_t warps = (uint64_t)gpu_blocks() * GPU_WARPS;
  struct warp w = {0};
  w.table = &table;
  w.space = &space;
  w.held = &block->held[number];
  w.lane = lane;
  struct sums *const sums = &block->sums[gpu_thread()];
  clear_sums(sums);
  w.checksum = &sums->checksum;
  for (uint64_t at = ((uint64_t)gpu_block() * GPU_WARPS + number) * GPU_WARP;
       at < space.source_count; at += warps * GPU_WARP) {
    const bool mine = lane < space.source_count - at;
    w.open = keys_hold(w.held->open, w.open, mine ? space.source[at + lane] : 0, mine, lane);
    warp_settle(&w, 0, 0, false);
  }
  warp_settle(&w, 0, 0, true);
  add_sums(&w, sums);
}

#endif
