/* When the passes over the states of a search on one GPU are made: at its end, and between levels before
   (engine/cycles/attempts.h). The last level is not expanded then, so its states have steps to states that are not in
   the table: attempts ignore these steps, as a cycle of the others is one of the whole. States of several words have no
   attempts, because an expansion adds new words to the tree. */
#ifndef FLOE_GPU_CYCLES_DEVICE_ATTEMPTS_H
#define FLOE_GPU_CYCLES_DEVICE_ATTEMPTS_H

struct gpu_search;
struct outcome_cycles;

/* Before the search. */
void device_attempts_begin(struct gpu_search *self);
/* Between launches: if an attempt is due and finds a cycle, the search ends. */
void device_attempts_make(struct gpu_search *self);
/* Of a complete search, or one that an attempt has ended. Sets *out (device_cycles_run). */
void device_attempts_find(struct gpu_search *self, struct outcome_cycles *out);
/* Frees what the others have left. */
void device_attempts_end(struct gpu_search *self);

#endif
