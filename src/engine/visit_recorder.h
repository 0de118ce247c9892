/* Whoever wants the states that an exploration looks up, in the order in which it does: the engine knows no more of it
   (api/explore/record_order.c has one that writes files). */
#ifndef FLOE_RECORDER_H
#define FLOE_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDER_MOST_AT_ONCE 256

struct recorder {
  bool lookups; /* every state that is looked up is wanted; else the new ones, and others may come */
  void *user;
  /* What worker `number` hands on goes through this lane, which is that worker's alone. Called before the exploration,
     for each of its workers: numbers from 0 on, below the threads of the task's options; of several devices each is a
     worker, below MOST_DEVICES (engine/engine.h). Not NULL. */
  void *(*lane)(void *user, unsigned number);
  /* n states, RECORDER_MOST_AT_ONCE at most, and an enum visited_answer for each; those of NO_PLACE come again. Errors
     are the recorder's own affair. */
  void (*record)(void *lane, const uint64_t *states, const uint8_t *answers, size_t n);
  /* Of several devices, or processes: what this lane was handed so far comes before all that any is handed later. */
  void (*settle)(void *lane);
  /* Of several devices: forgets all that it was handed, as the search begins anew. No lane is in use. */
  void (*restart)(void *user);
};

#endif
