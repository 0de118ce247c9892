/* Sequences of firings through transient states (struct transient in model/model.h) as one step, on the CPU. Compiled
   after the text of a model that has them, whose macros FLOE_EMIT and FLOE_FAIL (kernel/emitter.h) call the functions
   at the end. The interpreter's version is model/interpreter/sequence.c; both have the same order, counts and limits.

   A firing that leads to a transient state is pushed on a stack; then the state on top is replaced by its firings, the
   first one uppermost, until the stack is empty. */

/* A firing whose successor has not been expanded. */
struct floe_pending {
  uint32_t transition, choice, site;
  uint32_t length;  /* firings of the sequence up to this one */
  floe_state state; /* after it */
};

/* The sequences of the steps of one state. */
struct floe_sequences {
  struct floe_pending *stack; /* [FLOE_SEQUENCE_SUCCESSORS] */
  const uint64_t *parent;     /* words of the expanded state */
  uint32_t count;             /* on the stack */
  uint32_t ended, work;       /* sequences; firings within them */
  uint32_t base, length;      /* of the transient state being expanded: stack below its firings, firings up to it */
  bool first_only;            /* of its firings only the first one */
  bool exceeded;              /* a limit; by this firing: */
  uint32_t transition, choice;
};

/* A step that ends in this state. Mostly a word that is written changes: the branch is well predicted. */
static inline void floe_step_to(struct floe_emitter *emitter, uint32_t number, uint32_t which, const uint64_t *words,
                                uint64_t written) {
  const uint64_t *const parent = emitter->sequences->parent;
  for (uint32_t i = 0; FLOE_KEY_WORDS > 1 && emitter->changes && i < FLOE_WORDS; i++)
    if ((i >= 64 || (written >> i & 1)) && words[i] != parent[i])
      floe_change(&emitter->changes[i], words[i], emitter->successor);
  if (FLOE_KEY_WORDS == 1 || !emitter->changes)
    for (uint32_t i = 0; i < FLOE_WORDS; i++)
      *emitter->out++ = words[i];
  emitter->successor++;
  floe_edge(emitter, number, which, FLOE_NO_SITE);
}

static void floe_step_fails(struct floe_emitter *emitter, uint32_t number, uint32_t which, uint32_t site) {
  emitter->sequences->ended++;
  floe_fail(emitter, number, which, site, FLOE_WORDS);
}

/* Counts one more firing within sequences. False: it exceeds a limit. */
static bool floe_count_firing(struct floe_sequences *self, uint32_t number, uint32_t which) {
  if (self->length >= FLOE_SEQUENCE_FIRINGS || self->ended + self->count >= FLOE_SEQUENCE_SUCCESSORS - 1 ||
      self->work >= FLOE_SEQUENCE_WORK) {
    self->exceeded = true;
    self->transition = number;
    self->choice = which;
    return false;
  }
  self->work++;
  return true;
}

static void floe_push(struct floe_sequences *self, uint32_t number, uint32_t which, uint32_t site,
                      const uint64_t *words) {
  if (self->exceeded || (self->first_only && self->count > self->base) || !floe_count_firing(self, number, which))
    return;
  struct floe_pending *const top = &self->stack[self->count++];
  top->transition = number;
  top->choice = which;
  top->site = site;
  top->length = self->length + 1;
  for (uint32_t i = 0; words && i < FLOE_WORDS; i++)
    top->state.w[i] = words[i];
}

/* Pushes the firings of a transient state after `length` firings; returns their number. */
static uint32_t floe_expand_transient(struct floe_emitter *emitter, const floe_state *from, uint32_t length) {
  struct floe_sequences *const self = emitter->sequences;
  self->base = self->count;
  self->length = length;
  self->first_only = floe_first_only(floe_holder(*from));
  emitter->within = true;
  floe_fire_holder(*from, emitter);
  emitter->within = false;
  for (uint32_t a = self->base, b = self->count; a + 1 < b; a++) {
    const struct floe_pending swapped = self->stack[a];
    self->stack[a] = self->stack[--b];
    self->stack[b] = swapped;
  }
  return self->count - self->base;
}

struct floe_firing {
  uint32_t transition, choice;
};

/* `first`, here and below: the first firing of the sequence, which the edge of the step has. */
static void floe_end_sequence(struct floe_emitter *emitter, struct floe_firing first, uint32_t transition,
                              const floe_state *state) {
  emitter->fired[transition]++;
  emitter->sequences->ended++;
  floe_step_to(emitter, first.transition, first.choice, state->w, ~(uint64_t)0);
}

/* Replaces the transient state after `last` by its firings. It may be just above the stack: they overwrite it. */
static void floe_continue(struct floe_emitter *emitter, struct floe_firing first, struct floe_firing last,
                          uint32_t length, const floe_state *state) {
  const uint32_t holder = floe_holder(*state), firings = floe_expand_transient(emitter, state, length);
  if (emitter->sequences->exceeded)
    return;
  if (firings) {
    emitter->fired[last.transition]++;
    return;
  }
  const uint32_t site = floe_blocked_site(holder);
  const floe_state released = floe_released(*state);
  if (site == FLOE_NO_SITE)
    floe_end_sequence(emitter, first, last.transition, &released);
  else
    floe_step_fails(emitter, last.transition, last.choice, site);
}

/* Follows the top of the stack. */
static void floe_follow(struct floe_emitter *emitter, struct floe_firing first) {
  struct floe_sequences *const self = emitter->sequences;
  const struct floe_pending *const top = &self->stack[--self->count];
  if (top->site != FLOE_NO_SITE)
    floe_step_fails(emitter, top->transition, top->choice, top->site);
  else if (floe_holder(top->state))
    floe_continue(emitter, first, (struct floe_firing){top->transition, top->choice}, top->length, &top->state);
  else
    floe_end_sequence(emitter, first, top->transition, &top->state);
}

/* All sequences that begin with a firing that leads to a transient state. The first one is not pushed: to read a state
   that has just been written field by field costs more than to expand it. */
static void floe_sequences_from(struct floe_emitter *emitter, struct floe_firing first, const floe_state *state) {
  struct floe_sequences *const self = emitter->sequences;
  if (self->exceeded)
    return;
  self->length = 0;
  self->count = 0;
  if (floe_count_firing(self, first.transition, first.choice))
    floe_continue(emitter, first, first, 1, state);
  while (self->count && !self->exceeded)
    floe_follow(emitter, first);
  if (self->exceeded)
    floe_step_fails(emitter, self->transition, self->choice, FLOE_SEQUENCE_SITE);
}

static void floe_emit_firing(struct floe_emitter *emitter, uint32_t number, uint32_t which, const uint64_t *words,
                             uint64_t written) {
  const floe_state *const state = (const floe_state *)words;
  if (emitter->within) {
    floe_push(emitter->sequences, number, which, FLOE_NO_SITE, words);
    return;
  }
  if (floe_holder(*state)) {
    floe_sequences_from(emitter, (struct floe_firing){number, which}, state);
    return;
  }
  emitter->fired[number]++;
  floe_step_to(emitter, number, which, words, written);
}

static void floe_fail_firing(struct floe_emitter *emitter, uint32_t number, uint32_t which, uint32_t failed_at) {
  if (emitter->within)
    floe_push(emitter->sequences, number, which, failed_at, NULL);
  else
    floe_fail(emitter, number, which, failed_at, FLOE_WORDS);
}
