/* The kernel that moves all keys of a table to another one. The text follows that of the visited set, which defines
   move_content: it stages every key of `from` once in `pending`, and all are put when it returns. */
#ifndef FLOE_GPU_REHASH_H
#define FLOE_GPU_REHASH_H

struct block_staging {
  struct staging staging[GPU_WARPS];
};

/* Adds the counts of a warp without `space`. */
KERNEL_FN void add_moved(const struct warp *w, struct gpu_control *control) {
  if (w->put)
    gpu_add64(&control->rehash.moved, w->put);
  if (w->found)
    gpu_add64(&control->rehash.repeated, w->found);
  if (w->refused)
    gpu_add64(&control->rehash.misplaced, w->refused);
}

#ifdef FLOE_REHASHES

/* The source table has another scheme if the preceding text defines it. */
#ifndef FLOE_FROM
#define FLOE_FROM FLOE_VISITED
#endif

GPU_KERNEL(floe_rehash, GPU_BLOCK, 2)
(GPU_PARAMETER FLOE_FROM from, GPU_PARAMETER FLOE_VISITED to, struct gpu_control *control) {
  GPU_SHARED(struct block_staging, block);
  struct warp w = {0};
  w.table = &to;
  w.staging = &block->staging[gpu_thread() / GPU_WARP];
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
