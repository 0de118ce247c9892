/* `generate` (gpu/kernel/explore/explore.h) for models with transient states: after each group of transitions the lanes
   follow the sequences that it began. A lane whose buffer is full waits until the warp has looked up all keys. */
#ifndef FLOE_GPU_GENERATE_SEQUENCES_H
#define FLOE_GPU_GENERATE_SEQUENCES_H

/* Each lane follows its sequences as far as its buffer has room. True: some lane has not followed all. (After each
   ballot the lanes follow one firing together; without it they might diverge for the whole loop.) */
KERNEL_FN bool follow_sequences(struct floe_emitter *emitter) {
  GPU_ROLLED
  for (;;) {
    const bool follows = emitter->pending > 0 && emitter->used + GPU_WARP <= BUFFER_END;
    if (!gpu_ballot(follows))
      break;
    if (follows)
      floe_follow(emitter);
  }
  return gpu_ballot(emitter->pending > 0) != 0;
}

/* If the buffer is too small for the successors of a group, the group fires again and pushes nothing; its sequences are
   followed after that. */
KERNEL_FN void generate(struct warp *w, const floe_state s, struct sums *sums, const struct batch batch, FLOE_EMITTER) {
  const FLOE_SHARED committed = batch.live ? floe_committed(s) : 0;
  const unsigned groups = group_count(emitter->arcs);
  unsigned group = batch.none ? groups - 1 : first_group(w->level);
  bool follows = false, last = false;
  GPU_ROLLED
  do {
    uint32_t again = 0;
    bool cut = false;
    if (!follows) {
      if (NOTES_START)
        sums->start = emitter->used;
      if (batch.live && group_may_fire(group, emitter))
        fire_group(s, committed, group, emitter);
      cut = group_is_cut(emitter, sums, &again);
      emitter->repeats = cut;
    }
    follows = !cut && follow_sequences(emitter);
    if (!cut && !follows)
      group = next_group(w->level, group);
    last = group >= groups;
    const bool settles = last || cut || follows || gpu_ballot(emitter->used + ROOM_KEYS * GPU_WARP > BUFFER_END);
    if (settles)
      emitter->degree += emitter->used / GPU_WARP;
    if (last) {
      sums->firings += emitter->work;
      if (batch.shared)
        add_up_parts(w->level, sums, emitter);
      if (batch.live && (MOST_PARTS == 1 || part_of_states(w->level) == 0))
        end_state(w, s, sums, emitter);
    }
    gpu_sync_warp();
    if (!settles)
      continue;
    flush_buffer(w, emitter, batch.all && last);
    emitter->used = again;
  } while (!last);
}

#endif
