/* Entry points of a model's generated code on the CPU. Compiled after kernel/shim.h, kernel/abi.h, the macros of
   kernel/emitter.h and the generated text. */

#if defined(__GNUC__)
#define FLOE_EXPORT __attribute__((visibility("default")))
#define FLOE_NOINLINE __attribute__((noinline))
#else
#define FLOE_EXPORT
#define FLOE_NOINLINE
#endif

/* One compiled copy of the successor code serves both entry points. */
static FLOE_NOINLINE void floe_successors_to(const floe_state s, struct floe_emitter *emitter) {
  struct floe_emitter local = *emitter; /* its address does not escape: it stays in registers */
#ifdef FLOE_TRANSIENT
  struct floe_sequences sequences = {(struct floe_pending *)local.scratch, s.w};
  local.sequences = &sequences;
#endif
  floe_successors(s, &local);
  *emitter = local;
}

static floe_state floe_load(const uint64_t *words) {
#ifdef FLOE_INDEX_KEYS
  return floe_decode(*words);
#else
  floe_state s;
  for (int i = 0; i < FLOE_WORDS; i++)
    s.w[i] = words[i];
  return s;
#endif
}

FLOE_EXPORT uint64_t floe_code_properties(const uint64_t *state, struct step_error *error) {
  uint64_t failed = 0;
  error->transition = FLOE_NO_TRANSITION;
  return floe_properties(floe_load(state), ~(uint64_t)0, &failed, &error->site);
}

/* `scratch`, here and below: memory for a model with transient states. */
FLOE_EXPORT size_t floe_code_expand_one(const uint64_t *state, uint64_t *successors, struct step_edge *edges,
                                        void *scratch) {
  uint64_t fired[FLOE_TRANSITIONS + 1]; /* not used here */
  struct floe_emitter emitter = {0};
  emitter.out = successors;
  emitter.edge = edges;
  emitter.fired = fired;
  emitter.step = 1;
  FLOE_SCRATCH(&emitter, scratch);
  floe_successors_to(floe_load(state), &emitter);
  return (size_t)(emitter.edge - edges);
}

/* Whether a state none of whose firings has failed is a deadlock. The text of a model of stuttering says otherwise. */
#ifndef FLOE_IS_DEADLOCK
#define FLOE_IS_DEADLOCK(emitter, degree) ((degree) == 0)
#endif

/* The deadlock violation of a state that is a deadlock, if any. */
static inline uint64_t floe_deadlock(const floe_state s, struct step_block *block, struct step_error *error) {
  uint32_t site;
  if (!((block->requested_properties | block->errors_only) & FLOE_DEADLOCK))
    return 0;
  const bool excused = floe_excused(s, &site);
  if (site == FLOE_NO_SITE)
    return excused ? 0 : FLOE_DEADLOCK & block->requested_properties;
  block->failed |= FLOE_DEADLOCK;
  if (error->site == FLOE_NO_SITE) {
    error->transition = FLOE_NO_TRANSITION;
    error->site = site;
  }
  return 0;
}

/* Generates the successors of one state; returns the triggered properties, and sets *error if an error occurred. */
static inline uint64_t floe_generate(const floe_state s, struct step_block *block, struct step_error *error,
                                     void *scratch) {
  struct step_edge unused;
  const bool by_changes = FLOE_KEY_WORDS > 1 && block->changes;
  uint64_t *const out = by_changes ? NULL : block->successors + block->produced * FLOE_KEY_WORDS;
  struct floe_emitter emitter = {0};
  emitter.out = out;
  emitter.changes = block->changes;
  emitter.successor = (uint32_t)block->produced;
  emitter.edge = &unused;
  emitter.fired = block->fired;
  emitter.error.site = FLOE_NO_SITE;
  FLOE_SCRATCH(&emitter, scratch);
  floe_successors_to(s, &emitter);
  const size_t degree = by_changes ? emitter.successor - block->produced : (size_t)(emitter.out - out) / FLOE_KEY_WORDS;
  block->produced += degree;
  if (degree > block->max_out_degree)
    block->max_out_degree = (uint32_t)degree;
  if (emitter.broken)
    block->broken = true;
  if (emitter.error.site != FLOE_NO_SITE) {
    block->firing_failed = true;
    if (error->site == FLOE_NO_SITE)
      *error = emitter.error;
    return 0;
  }
  if (!FLOE_IS_DEADLOCK(&emitter, degree))
    return 0;
  block->deadlocks++;
  return floe_deadlock(s, block, error);
}

FLOE_EXPORT void floe_code_expand_block(struct step_block *block, uint32_t max_successors, void *scratch) {
  for (; block->next < block->count; block->next++) {
    if (!block->properties_only && block->capacity - block->produced < max_successors)
      break;
    const floe_state s = floe_load(block->states + block->next * FLOE_KEY_WORDS);
    struct step_error error = {FLOE_NO_TRANSITION, FLOE_NO_SITE};
    uint64_t triggered =
        floe_properties(s, block->requested_properties | block->errors_only, &block->failed, &error.site) &
        block->requested_properties;
    if (!block->properties_only)
      triggered |= floe_generate(s, block, &error, scratch);
    if (block->ends)
      block->ends[block->next] = (uint32_t)block->produced;
    if (error.site != FLOE_NO_SITE)
      triggered |= block->requested_properties & FLOE_ERRORS;
    if (triggered) {
      block->triggered |= triggered;
      block->on_trigger(block->user, block->next, triggered, error);
    }
  }
}
