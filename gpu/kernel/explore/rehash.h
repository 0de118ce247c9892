/* The kernel that moves all keys of a table to another one. The text comes after the visited set's, which gives
   move_content: every key of `from` comes to the warps once and is held in `open`, and is put when that returns. */
#ifndef FLOE_GPU_REHASH_H
#define FLOE_GPU_REHASH_H

struct block_held {
  struct held held[GPU_WARPS];
};

/* What became of the keys that a warp without space put. */
KERNEL_FN void add_moved(const struct warp *w, struct gpu_control *control) {
  if (w->put)
    gpu_add64(&control->rehash.moved, w->put);
  if (w->found)
    gpu_add64(&control->rehash.repeated, w->found);
  if (w->refused)
    gpu_add64(&control->rehash.misplaced, w->refused);
}

#ifdef FLOE_REHASHES

/* Of another scheme, where the text before says so. */
#ifndef FLOE_FROM
#define FLOE_FROM FLOE_VISITED
#endif

GPU_KERNEL(floe_rehash, GPU_BLOCK, 2)
(GPU_PARAMETER FLOE_FROM from, GPU_PARAMETER FLOE_VISITED to, struct gpu_control *control) {
  GPU_SHARED(struct block_held, block);
  struct warp w = {0};
  w.table = &to;
  w.held = &block->held[gpu_thread() / GPU_WARP];
  w.lane = gpu_thread() % GPU_WARP;
#ifdef FLOE_MULTIWORD
  w.from_low_bits = control->from_low_bits;
  w.low_bits = control->low_bits;
#endif
  move_content(&w, &from);
  add_moved(&w, control);
}
#endif

#endif
