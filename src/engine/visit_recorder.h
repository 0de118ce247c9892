/* Recorder of the states that an exploration looks up, in order (api/explore/record_order.c writes them to files). */
#ifndef FLOE_ENGINE_VISIT_RECORDER_H
#define FLOE_ENGINE_VISIT_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDER_MOST_AT_ONCE 256

struct recorder {
  bool lookups; /* records every state that is looked up; false: new ones, and possibly others */
  void *user;
  /* Returns the context of worker `number`, which that worker alone uses. Called before the exploration for each
     worker, numbered from 0 and below options->threads; with several GPUs each GPU is a worker, below MOST_DEVICES
     (engine/engine.h). Not NULL. */
  void *(*lane)(void *user, unsigned number);
  /* n states, at most RECORDER_MOST_AT_ONCE, with an enum visited_answer for each; states with NO_PLACE come again.
     The recorder handles its own errors. */
  void (*record)(void *lane, const uint64_t *states, const uint8_t *answers, size_t n);
  /* With several GPUs or processes: the states recorded by this context so far precede all states recorded later by
     any. */
  void (*settle)(void *lane);
  /* With several GPUs: discards everything recorded, because the search restarts. No context is in use. */
  void (*restart)(void *user);
};

#endif
