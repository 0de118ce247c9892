/* The device level of working-set tables (working_set_view.h). A batch has the effect of its operations in sequence,
   but is processed in parallel. An operation sees the result of the last put or delete of its key before it in the
   batch; if there is none, the table's previous content. If a key is in the table at the end, its last operation used
   it: otherwise that operation would have missed or deleted it. So pairs are appended in the order of their last
   operations. */
#ifndef FLOE_GPU_WORKSET_H
#define FLOE_GPU_WORKSET_H

#include "base/splitmix64.h"
#include "gpu/kernel/table/working_set_view.h"

#include "gpu/kernel/base/control.h"

/* Numbers as of enum table_operation and enum table_answer. */
enum { WORKSET_PUT = 2, WORKSET_DELETE = 3, WORKSET_GET = 4, WORKSET_ADD = 5 };
enum { WORKSET_FOUND = 0, WORKSET_NEW = 1, WORKSET_NONE = 2 };
enum { WORKSET_NOT_LAST, WORKSET_STAYS, WORKSET_GOES }; /* end_kinds: what the last operation of a key leaves */
enum { WORKSET_CHUNK = 2048 };                          /* keys of a batch that a block searches for at once */

struct block_work {
  uint32_t generation; /* of the grid's barrier */
  uint32_t warps[GPU_WARPS];
  uint32_t before[WORKSET_BLOCKS + 1]; /* exclusive prefix sums over blocks */
  uint64_t keys[WORKSET_CHUNK];
};

/* ---- the grid barrier ---------------------------------------------------------------------------- */

KERNEL_FN void workset_begin(const struct workset_view *view, struct block_work *block) {
  if (gpu_thread() == 0)
    block->generation = gpu_load32(&view->control->generation); /* cannot change before all arrive */
  gpu_sync_block();
}

/* Grid barrier: writes before it are visible to all blocks afterwards (as grid_barrier of explore.h, which explains
   why). */
KERNEL_FN void workset_barrier(const struct workset_view *view, struct block_work *block) {
  struct workset_control *control = view->control;
  gpu_sync_block();
  if (gpu_thread() == 0) {
    const uint32_t generation = ++block->generation;
    gpu_fence();
    if (gpu_add32(&control->arrived, 1) == gpu_blocks() - 1) {
      gpu_fence();
      gpu_store32(&control->arrived, 0);
      gpu_store32_release(&control->generation, generation);
    } else {
      for (uint32_t times = 0; gpu_load32_acquire(&control->generation) != generation; times++)
        gpu_pause(times);
    }
  }
  gpu_sync_block();
}

KERNEL_FN uint32_t lanes_before(void) { return (UINT32_C(1) << gpu_thread() % GPU_WARP) - 1; }

/* Number of threads of the block before this one with `flag`; *all: of the whole block. */
KERNEL_FN uint32_t block_rank(struct block_work *block, bool flag, uint32_t *all) {
  const unsigned warp = gpu_thread() / GPU_WARP;
  const uint32_t lanes = gpu_ballot(flag);
  uint32_t before = count_bits(lanes & lanes_before()), sum = 0;
  if (gpu_thread() % GPU_WARP == 0)
    block->warps[warp] = count_bits(lanes);
  gpu_sync_block();
  for (unsigned i = 0; i < GPU_WARPS; i++) {
    before += i < warp ? block->warps[i] : 0;
    sum += block->warps[i];
  }
  gpu_sync_block();
  *all = sum;
  return before;
}

KERNEL_FN uint32_t warp_sum(uint32_t value) {
  for (unsigned apart = GPU_WARP / 2; apart; apart /= 2)
    value += gpu_shuffle(value, gpu_thread() % GPU_WARP ^ apart);
  return value;
}

/* Exclusive prefix sum over the warp. */
KERNEL_FN uint32_t warp_before(uint32_t value) {
  const unsigned lane = gpu_thread() % GPU_WARP;
  uint32_t sum = value;
  for (unsigned apart = 1; apart < GPU_WARP; apart *= 2) {
    const uint32_t other = gpu_shuffle(sum, lane >= apart ? lane - apart : lane);
    sum += lane >= apart ? other : 0;
  }
  return sum - value;
}

/* The sum of `value` over the block. */
KERNEL_FN uint32_t block_sum(struct block_work *block, uint32_t value) {
  const uint32_t sum = warp_sum(value);
  uint32_t all = 0;
  if (gpu_thread() % GPU_WARP == 0)
    block->warps[gpu_thread() / GPU_WARP] = sum;
  gpu_sync_block();
  for (unsigned i = 0; i < GPU_WARPS; i++)
    all += block->warps[i];
  gpu_sync_block();
  return all;
}

/* Exclusive prefix sum of `value` over the block; *all: the sum. */
KERNEL_FN uint32_t block_before(struct block_work *block, uint32_t value, uint32_t *all) {
  const unsigned warp = gpu_thread() / GPU_WARP;
  const uint32_t sum = warp_sum(value);
  uint32_t before = warp_before(value), whole = 0;
  if (gpu_thread() % GPU_WARP == 0)
    block->warps[warp] = sum;
  gpu_sync_block();
  for (unsigned i = 0; i < GPU_WARPS; i++) {
    before += i < warp ? block->warps[i] : 0;
    whole += block->warps[i];
  }
  gpu_sync_block();
  *all = whole;
  return before;
}

/* The sum of numbers[0 .. n), written by other blocks. All threads of the block call it. */
KERNEL_FN uint32_t sum_of_some(struct block_work *block, const uint32_t *numbers, uint64_t n) {
  uint32_t sum = 0;
  for (uint64_t i = gpu_thread(); i < n; i += GPU_BLOCK)
    sum += gpu_load32(&numbers[i]);
  return block_sum(block, sum);
}

/* Assigns consecutive numbers to the lanes with `takes`, with one atomic operation. All lanes call it. */
KERNEL_FN uint32_t take_tickets(uint32_t *counter, bool takes) {
  const uint32_t lanes = gpu_ballot(takes);
  uint32_t first = 0;
  if (gpu_thread() % GPU_WARP == 0 && lanes)
    first = gpu_add32(counter, count_bits(lanes));
  return gpu_shuffle(first, 0) + count_bits(lanes & lanes_before());
}

/* ---- keys and places ----------------------------------------------------------------------------- */

/* As workset_hash and workset_place on the host. */
KERNEL_FN uint64_t key_hash(const struct workset_view *view, uint64_t key) { return splitmix64_mix(key ^ view->seed); }

KERNEL_FN uint64_t next_of(uint64_t at, uint64_t n) { return at + 1 == n ? 0 : at + 1; }

KERNEL_FN unsigned operation_of(const struct workset_work *work, uint64_t i) {
  return work->operations ? work->operations[i] : (unsigned)work->operation;
}
KERNEL_FN bool does_put(unsigned operation) { return operation == WORKSET_PUT || operation == WORKSET_ADD; }
KERNEL_FN bool does_write(unsigned operation) { return does_put(operation) || operation == WORKSET_DELETE; }

/* Each bit is set and cleared once per pair, so adding and subtracting suffices. */
KERNEL_FN void set_live(const struct workset_view *view, uint64_t place) {
  gpu_add32(&view->live[place / WORKSET_WORD], UINT32_C(1) << place % WORKSET_WORD);
}
KERNEL_FN void clear_live(const struct workset_view *view, uint64_t place) {
  gpu_add32(&view->live[place / WORKSET_WORD], 0 - (UINT32_C(1) << place % WORKSET_WORD));
}

/* False: the key is absent. The index must not be written concurrently. */
KERNEL_FN bool index_find(const struct workset_view *view, uint64_t key, uint64_t *slot, uint64_t *place) {
  const uint64_t hash = key_hash(view, key);
  uint64_t entry;
  for (uint64_t at = multiply_high(hash, view->slots); (entry = gpu_load64(&view->index[at])) != WORKSET_EMPTY;
       at = next_of(at, view->slots)) {
    if (entry == WORKSET_GONE || entry >> 32 != (uint32_t)hash ||
        gpu_load64(&view->log[WORKSET_PLACE(entry)].key) != key)
      continue;
    *slot = at;
    *place = WORKSET_PLACE(entry);
    return true;
  }
  return false;
}

/* Enters a key that is absent. Entries of removed keys are not reused until a compaction. The search ends at an empty
   entry: at most half of the entries are ever used. */
KERNEL_FN void index_put(const struct workset_view *view, uint64_t key, uint64_t place) {
  const uint64_t hash = key_hash(view, key);
  uint64_t at = multiply_high(hash, view->slots);
  while (slot_swap(view->index, at, 64, WORKSET_EMPTY, WORKSET_ENTRY(hash, place)) != WORKSET_EMPTY)
    at = next_of(at, view->slots);
}

/* Removes the entry of a key that is present, at this place. */
KERNEL_FN void index_drop(const struct workset_view *view, uint64_t key, uint64_t place) {
  const uint64_t hash = key_hash(view, key), entry = WORKSET_ENTRY(hash, place);
  uint64_t at = multiply_high(hash, view->slots);
  while (gpu_load64(&view->index[at]) != entry)
    at = next_of(at, view->slots);
  gpu_store64(&view->index[at], WORKSET_GONE);
}

/* ---- ask: groups --------------------------------------------------------------------------------- */

/* Finds the group of a key: the first operation to arrive claims it with its number. */
KERNEL_FN uint32_t find_group(const struct workset_view *view, const struct workset_work *work, uint64_t i) {
  const uint64_t key = work->keys[i];
  uint64_t at = multiply_high(key_hash(view, key), view->group_count);
  for (;; at = next_of(at, view->group_count)) {
    uint32_t *const owner = &view->groups[at].owner;
    uint32_t seen = gpu_load32(owner);
    if (seen == 0)
      seen = (uint32_t)slot_claim(owner, 0, 32, i + 1);
    if (seen == 0 || work->keys[seen - 1] == key)
      return (uint32_t)at;
  }
}

KERNEL_FN void join_group(const struct workset_view *view, const struct workset_work *work, uint64_t i) {
  const uint32_t at = find_group(view, work, i);
  struct workset_group *group = &view->groups[at];
  view->group_of[i] = at;
  word_max(&group->last, 0, 32, i + 1);
  if (!does_write(operation_of(work, i)))
    return;
  gpu_add32(&group->writers, 1);
  word_max(&group->last_writer, 0, 32, i + 1);
  word_max(&group->first_writer, 0, 32, ~(uint32_t)i);
}

/* Called by the owner: looks up the key's place. Other threads read what it writes to the group after the next
   barrier. */
KERNEL_FN bool look_up_group(const struct workset_view *view, const struct workset_work *work, uint64_t i) {
  struct workset_group *group = &view->groups[view->group_of[i]];
  uint64_t slot = 0, place;
  if (view->searched)
    return gpu_load32(&group->at) != 0;
  if (!index_find(view, work->keys[i], &slot, &place))
    return false;
  gpu_store32(&group->at, (uint32_t)place + 1);
  gpu_store32(&group->slot, (uint32_t)slot);
  return true;
}

KERNEL_FN bool owns_group(const struct workset_view *view, uint64_t i) {
  return gpu_load32(&view->groups[view->group_of[i]].owner) == i + 1;
}

/* All lanes call it. */
KERNEL_FN void look_up(const struct workset_view *view, const struct workset_work *work, uint64_t i) {
  const bool owner = i < work->n && owns_group(view, i);
  const bool misses = owner && !look_up_group(view, work, i);
  const uint32_t number = take_tickets(&view->control->missing, misses);
  if (!owner)
    return;
  struct workset_group *group = &view->groups[view->group_of[i]];
  const uint32_t writers = gpu_load32(&group->writers);
  if (misses) {
    work->missing[number] = work->keys[i];
    gpu_store32(&group->missing, number + 1);
  }
  if (writers > 1)
    gpu_store32(&group->segment, gpu_add32(&view->control->segments, writers));
}

/* Lists the writers of keys that have several, key by key in any order. */
KERNEL_FN void list_writer(const struct workset_view *view, const struct workset_work *work, uint64_t i) {
  struct workset_group *group = &view->groups[view->group_of[i]];
  if (does_write(operation_of(work, i)) && gpu_load32(&group->writers) > 1)
    view->writers[gpu_load32(&group->segment) + gpu_add32(&group->filled, 1)] = (uint32_t)i;
}

/* ---- ask: the paper's search, a warp for each pair ------------------------------------------------- */

KERNEL_FN void search_for(const struct workset_view *view, const struct block_work *block, uint64_t first, uint64_t n,
                          uint64_t place) {
  const uint64_t key = gpu_load64(&view->log[place].key);
  for (uint64_t i = gpu_thread() % GPU_WARP; i < n; i += GPU_WARP)
    if (block->keys[i] == key)
      gpu_store32(&view->groups[view->group_of[first + i]].at, (uint32_t)place + 1);
}

KERNEL_FN void search_chunk(const struct workset_view *view, const struct workset_work *work, struct block_work *block,
                            uint64_t first, uint64_t head) {
  const uint64_t n = work->n - first < WORKSET_CHUNK ? work->n - first : (uint64_t)WORKSET_CHUNK;
  const uint64_t warps = (uint64_t)gpu_blocks() * GPU_WARPS;
  gpu_sync_block();
  for (uint64_t i = gpu_thread(); i < n; i += GPU_BLOCK)
    block->keys[i] = work->keys[first + i];
  gpu_sync_block();
  for (uint64_t place = (uint64_t)gpu_block() * GPU_WARPS + gpu_thread() / GPU_WARP; place < head; place += warps)
    if (gpu_load32(&view->live[place / WORKSET_WORD]) >> place % WORKSET_WORD & 1)
      search_for(view, block, first, n, place);
}

KERNEL_FN void search_all(const struct workset_view *view, const struct workset_work *work, struct block_work *block) {
  const uint64_t head = gpu_load64(&view->control->head);
  for (uint64_t first = 0; first < work->n; first += WORKSET_CHUNK)
    search_chunk(view, work, block, first, head);
}

/* ---- ask ----------------------------------------------------------------------------------------- */

/* Operations are distributed in tiles of a block's threads; a thread has the same operations in each phase. */
KERNEL_FN uint64_t tiles_of(const struct workset_work *work) { return (work->n + GPU_BLOCK - 1) / GPU_BLOCK; }

GPU_KERNEL(floe_workset_lookup, GPU_BLOCK, 1)
(GPU_PARAMETER struct workset_view view, GPU_PARAMETER struct workset_work work) {
  GPU_SHARED(struct block_work, block);
  const uint64_t tiles = tiles_of(&work);
  workset_begin(&view, block);
  for (uint64_t tile = gpu_block(); tile < tiles; tile += gpu_blocks())
    if (tile * GPU_BLOCK + gpu_thread() < work.n)
      join_group(&view, &work, tile * GPU_BLOCK + gpu_thread());
  workset_barrier(&view, block);
  if (view.searched) {
    search_all(&view, &work, block);
    workset_barrier(&view, block);
  }
  for (uint64_t tile = gpu_block(); tile < tiles; tile += gpu_blocks())
    look_up(&view, &work, tile * GPU_BLOCK + gpu_thread());
  workset_barrier(&view, block);
  for (uint64_t tile = gpu_block(); tile < tiles; tile += gpu_blocks())
    if (tile * GPU_BLOCK + gpu_thread() < work.n)
      list_writer(&view, &work, tile * GPU_BLOCK + gpu_thread());
  if (gpu_block() == 0 && gpu_thread() == 0) {
    work.result->missing = gpu_load32(&view.control->missing);
    gpu_store32(&view.control->missing, 0);
    gpu_store32(&view.control->segments, 0);
  }
}

/* ---- settle: what an operation finds ------------------------------------------------------------- */

struct workset_state {
  bool present;
  uint64_t value;
};

/* State of the key before the batch. */
KERNEL_FN struct workset_state state_before(const struct workset_view *view, const struct workset_work *work,
                                            const struct workset_group *group) {
  const uint32_t at = gpu_load32(&group->at);
  struct workset_state state;
  if (at) {
    state.present = true;
    state.value = gpu_load64(&view->log[at - 1].value);
  } else {
    const uint32_t number = gpu_load32(&group->missing) - 1;
    state.present = work->found[number] != 0;
    state.value = state.present ? work->found_values[number] : 0;
  }
  return state;
}

/* State of the key after writer i. */
KERNEL_FN struct workset_state state_after(const struct workset_work *work, uint64_t i) {
  struct workset_state state;
  state.present = operation_of(work, i) != WORKSET_DELETE;
  state.value = state.present && work->values ? work->values[i] : 0;
  return state;
}

/* The last writer before operation i, which comes after the first writer. */
KERNEL_FN uint32_t writer_before(const struct workset_view *view, const struct workset_group *group, uint64_t i) {
  const uint32_t last = gpu_load32(&group->last_writer) - 1, n = gpu_load32(&group->writers);
  const uint32_t *writers = view->writers + gpu_load32(&group->segment);
  uint32_t found = ~gpu_load32(&group->first_writer);
  if (i > last)
    return last;
  for (uint32_t k = 0; k < n; k++)
    if (writers[k] < i && writers[k] > found)
      found = writers[k];
  return found;
}

KERNEL_FN struct workset_state state_at(const struct workset_view *view, const struct workset_work *work,
                                        const struct workset_group *group, uint64_t i) {
  if (gpu_load32(&group->writers) == 0 || i <= (uint32_t)~gpu_load32(&group->first_writer))
    return state_before(view, work, group);
  return state_after(work, writer_before(view, group, i));
}

/* Computes the answer, and what the key's last operation leaves. Values of gets are written to the places of get
   operations, which no thread reads: only puts have values. */
KERNEL_FN unsigned do_operation(const struct workset_view *view, const struct workset_work *work, uint64_t i) {
  const struct workset_group *group = &view->groups[view->group_of[i]];
  const unsigned operation = operation_of(work, i);
  struct workset_state state = state_at(view, work, group, i);
  work->answers[i] = state.present ? WORKSET_FOUND : does_put(operation) ? WORKSET_NEW : WORKSET_NONE;
  if (operation == WORKSET_GET && state.present && work->values)
    work->values[i] = state.value;
  if (gpu_load32(&group->last) != i + 1)
    return WORKSET_NOT_LAST;
  if (does_write(operation))
    state = state_after(work, i);
  view->ends[i] = state.value;
  return state.present ? WORKSET_STAYS : WORKSET_GOES;
}

KERNEL_FN void do_tile(const struct workset_view *view, const struct workset_work *work, struct block_work *block,
                       uint64_t tile) {
  const uint64_t i = tile * GPU_BLOCK + gpu_thread();
  unsigned kind = WORKSET_NOT_LAST;
  uint32_t all;
  if (i < work->n) {
    kind = do_operation(view, work, i);
    view->end_kinds[i] = (uint8_t)kind;
  }
  block_rank(block, kind == WORKSET_STAYS, &all);
  if (gpu_thread() == 0) {
    gpu_store32(&view->tiles[tile], all);
    gpu_add32(&view->control->appended, all);
  }
}

/* ---- settle: the log ----------------------------------------------------------------------------- */

KERNEL_FN void append(const struct workset_view *view, const struct workset_work *work, uint64_t i, uint64_t place) {
  const struct workset_group *group = &view->groups[view->group_of[i]];
  const uint32_t at = gpu_load32(&group->at);
  const uint64_t key = work->keys[i];
  gpu_store64(&view->log[place].key, key);
  gpu_store64(&view->log[place].value, view->ends[i]);
  set_live(view, place);
  if (at)
    clear_live(view, at - 1);
  if (view->searched)
    return;
  if (at)
    gpu_store64(&view->index[gpu_load32(&group->slot)], WORKSET_ENTRY(key_hash(view, key), place));
  else
    index_put(view, key, place);
}

/* Removes a key that is no longer in the table. False: the log had no pair of it. */
KERNEL_FN bool leave_log(const struct workset_view *view, uint64_t i) {
  const struct workset_group *group = &view->groups[view->group_of[i]];
  const uint32_t at = gpu_load32(&group->at);
  if (!at)
    return false;
  clear_live(view, at - 1);
  if (!view->searched)
    gpu_store64(&view->index[gpu_load32(&group->slot)], WORKSET_GONE);
  return true;
}

/* All threads of the block call it. */
KERNEL_FN void append_tile(const struct workset_view *view, const struct workset_work *work, struct block_work *block,
                           uint64_t tile) {
  const uint64_t i = tile * GPU_BLOCK + gpu_thread();
  const unsigned kind = i < work->n ? view->end_kinds[i] : (unsigned)WORKSET_NOT_LAST;
  uint32_t all;
  const uint64_t first = gpu_load64(&view->control->head) + sum_of_some(block, view->tiles, tile);
  const uint32_t rank = block_rank(block, kind == WORKSET_STAYS, &all);
  const bool fresh = kind == WORKSET_STAYS && gpu_load32(&view->groups[view->group_of[i]].at) == 0;
  bool gone = false;
  if (kind == WORKSET_STAYS)
    append(view, work, i, first + rank);
  else if (kind == WORKSET_GOES)
    gone = leave_log(view, i);
  const uint32_t more = count_bits(gpu_ballot(fresh)), less = count_bits(gpu_ballot(gone));
  if (gpu_thread() % GPU_WARP == 0 && more != less)
    gpu_add64(&view->control->live, (uint64_t)more - less);
}

KERNEL_FN void clear_group(const struct workset_view *view, uint64_t i) {
  struct workset_group *group = &view->groups[view->group_of[i]];
  if (gpu_load32(&group->owner) != i + 1)
    return;
  gpu_store32(&group->last, 0);
  gpu_store32(&group->writers, 0);
  gpu_store32(&group->last_writer, 0);
  gpu_store32(&group->first_writer, 0);
  gpu_store32(&group->segment, 0);
  gpu_store32(&group->filled, 0);
  gpu_store32(&group->at, 0);
  gpu_store32(&group->missing, 0);
  gpu_store32(&group->slot, 0);
  gpu_store32(&group->owner, 0);
}

/* ---- settle: room -------------------------------------------------------------------------------- */

/* For a window of `live` words from `first` on, one word per thread of the grid: prefix sums of pairs within each
   block, and each block's sum. */
KERNEL_FN void count_window(const struct workset_view *view, struct block_work *block, uint64_t first, uint64_t words,
                            uint32_t *sums) {
  const uint64_t number = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread();
  const uint32_t word = first + number < words ? gpu_load32(&view->live[first + number]) : 0;
  uint32_t all;
  const uint32_t before = block_before(block, count_bits(word), &all);
  gpu_store32(&view->ranks[number], before);
  if (gpu_thread() == 0)
    gpu_store32(&sums[gpu_block()], all);
}

/* block->before[b]: pairs in the blocks before b; [blocks]: in all blocks. */
KERNEL_FN void sum_blocks(struct block_work *block, const uint32_t *sums) {
  const unsigned blocks = gpu_blocks();
  uint32_t carry = 0;
  for (unsigned first = 0; first < blocks; first += GPU_BLOCK) {
    const unsigned b = first + gpu_thread();
    uint32_t all;
    const uint32_t before = block_before(block, b < blocks ? gpu_load32(&sums[b]) : 0, &all);
    if (b < blocks)
      block->before[b] = carry + before;
    carry += all;
  }
  if (gpu_thread() == 0)
    block->before[blocks] = carry;
  gpu_sync_block();
}

/* Evicts the pair at `place`, the rank-th one. */
KERNEL_FN void drop_pair(const struct workset_view *view, const struct workset_work *work, uint64_t place,
                         uint64_t rank) {
  struct workset_pair pair;
  pair.key = gpu_load64(&view->log[place].key);
  pair.value = gpu_load64(&view->log[place].value);
  work->old[rank] = pair;
  clear_live(view, place);
  if (!view->searched)
    index_drop(view, pair.key, place);
}

/* Eviction proceeds in windows of as many words of `live` as the grid has threads. */
struct eviction {
  uint64_t excess;       /* pairs to be evicted */
  uint64_t done;         /* evicted before the current window */
  uint64_t first, words; /* the window's first word; number of words of `live` */
};

/* Each warp handles a word, each lane one slot of it. */
KERNEL_FN void drop_window(const struct workset_view *view, const struct workset_work *work, struct block_work *block,
                           const struct eviction *eviction) {
  const uint64_t first = eviction->first, words = eviction->words, excess = eviction->excess;
  const uint64_t threads = (uint64_t)gpu_blocks() * GPU_BLOCK, warps = threads / GPU_WARP;
  const unsigned lane = gpu_thread() % GPU_WARP;
  for (uint64_t number = (uint64_t)gpu_block() * GPU_WARPS + gpu_thread() / GPU_WARP;
       number < threads && first + number < words; number += warps) {
    const uint64_t begin = eviction->done + block->before[number / GPU_BLOCK] + gpu_load32(&view->ranks[number]);
    if (begin >= excess)
      break; /* all later words have larger ranks */
    const uint32_t word = gpu_load32(&view->live[first + number]);
    gpu_sync_warp();
    const uint64_t rank = begin + count_bits(word & lanes_before()), place = (first + number) * WORKSET_WORD + lane;
    if (!(word >> lane & 1) || rank >= excess)
      continue;
    drop_pair(view, work, place, rank);
    if (rank + 1 == excess)
      gpu_store64(&view->control->tail, place + 1);
  }
}

/* Evicts the oldest pairs until `capacity` remain. Returns their number. */
KERNEL_FN uint64_t make_room(const struct workset_view *view, const struct workset_work *work,
                             struct block_work *block) {
  const uint64_t live = gpu_load64(&view->control->live), tail = gpu_load64(&view->control->tail);
  const uint64_t excess = live > view->capacity ? live - view->capacity : 0;
  const uint64_t words = (view->places + WORKSET_WORD - 1) / WORKSET_WORD;
  struct eviction eviction = {excess, 0, tail / WORKSET_WORD, words};
  unsigned parity = 0;
  for (; eviction.done < excess; parity ^= 1) {
    uint32_t *const sums = view->sums + parity * WORKSET_BLOCKS; /* the sums of the previous window may still be read */
    count_window(view, block, eviction.first, words, sums);
    workset_barrier(view, block);
    sum_blocks(block, sums);
    drop_window(view, work, block, &eviction);
    eviction.done += block->before[gpu_blocks()];
    eviction.first += (uint64_t)gpu_blocks() * GPU_BLOCK;
    if (eviction.done < excess)
      workset_barrier(view, block); /* ranks are written again */
  }
  return excess;
}

GPU_KERNEL(floe_workset_apply, GPU_BLOCK, 1)
(GPU_PARAMETER struct workset_view view, GPU_PARAMETER struct workset_work work) {
  GPU_SHARED(struct block_work, block);
  const uint64_t tiles = tiles_of(&work);
  workset_begin(&view, block);
  for (uint64_t tile = gpu_block(); tile < tiles; tile += gpu_blocks())
    do_tile(&view, &work, block, tile);
  workset_barrier(&view, block);
  for (uint64_t tile = gpu_block(); tile < tiles; tile += gpu_blocks())
    append_tile(&view, &work, block, tile);
  workset_barrier(&view, block);
  for (uint64_t tile = gpu_block(); tile < tiles; tile += gpu_blocks())
    if (tile * GPU_BLOCK + gpu_thread() < work.n)
      clear_group(&view, tile * GPU_BLOCK + gpu_thread());
  const uint64_t dropped = make_room(&view, &work, block);
  if (gpu_block() == 0 && gpu_thread() == 0) {
    struct workset_control *control = view.control;
    const uint64_t head = gpu_load64(&control->head) + gpu_load32(&control->appended);
    const uint64_t live = gpu_load64(&control->live) - dropped;
    gpu_store64(&control->head, head);
    gpu_store64(&control->live, live); /* it changes only after a barrier that all its readers have passed */
    gpu_store32(&control->appended, 0);
    work.result->head = head;
    work.result->live = live;
    work.result->old = dropped;
  }
}

/* ---- compaction ---------------------------------------------------------------------------------- */

/* Moves the pairs of a word, one per lane. */
KERNEL_FN void move_word(const struct workset_view *from, const struct workset_view *to, uint64_t number, uint32_t word,
                         uint64_t rank) {
  const unsigned lane = gpu_thread() % GPU_WARP;
  const uint64_t place = number * WORKSET_WORD + lane, new_place = rank + count_bits(word & lanes_before());
  if (!(word >> lane & 1))
    return;
  const uint64_t key = gpu_load64(&from->log[place].key);
  gpu_store64(&to->log[new_place].key, key);
  gpu_store64(&to->log[new_place].value, gpu_load64(&from->log[place].value));
  set_live(to, new_place);
  if (!to->searched)
    index_put(to, key, new_place);
}

/* Counts one word per thread; then the thread's whole warp moves each word. Returns the number of pairs. */
KERNEL_FN uint32_t move_words(const struct workset_view *from, const struct workset_view *to, struct block_work *block,
                              uint64_t first, uint64_t end, uint64_t rank) {
  const uint64_t number = first + gpu_thread(), of_warp = number - gpu_thread() % GPU_WARP;
  const uint32_t word = number < end ? gpu_load32(&from->live[number]) : 0;
  uint32_t all;
  const uint32_t before = block_before(block, count_bits(word), &all);
  for (unsigned i = 0; i < GPU_WARP; i++)
    move_word(from, to, of_warp + i, gpu_shuffle(word, i), rank + gpu_shuffle(before, i));
  return all;
}

GPU_KERNEL(floe_workset_compact, GPU_BLOCK, 1)
(GPU_PARAMETER struct workset_view from, GPU_PARAMETER struct workset_view to) {
  GPU_SHARED(struct block_work, block);
  workset_begin(&from, block);
  struct workset_control *control = from.control;
  const uint64_t begin = gpu_load64(&control->tail) / WORKSET_WORD;
  const uint64_t end = (gpu_load64(&control->head) + WORKSET_WORD - 1) / WORKSET_WORD;
  const uint64_t each = (end - begin + gpu_blocks() - 1) / gpu_blocks();
  const uint64_t mine = begin + each * gpu_block();
  const uint64_t mine_end = mine + each < end ? mine + each : end;
  uint32_t sum = 0;
  for (uint64_t i = mine + gpu_thread(); i < mine_end; i += GPU_BLOCK)
    sum += count_bits(gpu_load32(&from.live[i]));
  sum = block_sum(block, sum);
  if (gpu_thread() == 0)
    gpu_store32(&from.sums[gpu_block()], sum);
  workset_barrier(&from, block);
  uint64_t rank = sum_of_some(block, from.sums, gpu_block());
  for (uint64_t first = mine; first < mine_end; first += GPU_BLOCK)
    rank += move_words(&from, &to, block, first, mine_end, rank);
  if (gpu_block() == 0 && gpu_thread() == 0) {
    gpu_store64(&control->tail, 0); /* all have read them before the barrier */
    gpu_store64(&control->head, gpu_load64(&control->live));
  }
}

#endif
