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
  bool within;                /* a transient state is being expanded */
  bool first_only;            /* of its firings only the first one */
  bool exceeded;              /* a limit; by this firing: */
  uint32_t transition, choice;
};

/* A step that ends in this state. */
static void floe_step_to(struct floe_emitter *emitter, uint32_t number, uint32_t which, const uint64_t *words) {
  const uint64_t *const parent = emitter->sequences->parent;
  for (uint32_t i = 0; FLOE_KEY_WORDS > 1 && emitter->changes && i < FLOE_WORDS; i++)
    if (words[i] != parent[i])
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

static void floe_push(struct floe_sequences *self, uint32_t number, uint32_t which, uint32_t site,
                      const uint64_t *words) {
  if (self->exceeded || (self->first_only && self->count > self->base))
    return;
  if (self->length >= FLOE_SEQUENCE_FIRINGS || self->ended + self->count >= FLOE_SEQUENCE_SUCCESSORS - 1 ||
      self->work >= FLOE_SEQUENCE_WORK) {
    self->exceeded = true;
    self->transition = number;
    self->choice = which;
    return;
  }
  self->work++;
  struct floe_pending *const top = &self->stack[self->count++];
  top->transition = number;
  top->choice = which;
  top->site = site;
  top->length = self->length + 1;
  for (uint32_t i = 0; words && i < FLOE_WORDS; i++)
    top->state.w[i] = words[i];
}

/* Replaces a transient state by its firings; returns their number. */
static uint32_t floe_expand_transient(struct floe_emitter *emitter, const struct floe_pending *from) {
  struct floe_sequences *const self = emitter->sequences;
  self->base = self->count;
  self->length = from->length;
  self->first_only = floe_first_only(floe_holder(from->state));
  self->within = true;
  floe_fire_holder(from->state, emitter);
  self->within = false;
  for (uint32_t a = self->base, b = self->count; a + 1 < b; a++) {
    const struct floe_pending swapped = self->stack[a];
    self->stack[a] = self->stack[--b];
    self->stack[b] = swapped;
  }
  return self->count - self->base;
}

static void floe_follow(struct floe_emitter *emitter, uint32_t first, uint32_t first_choice) {
  struct floe_sequences *const self = emitter->sequences;
  struct floe_pending last = self->stack[--self->count];
  const uint32_t holder = last.site == FLOE_NO_SITE ? floe_holder(last.state) : 0;
  if (last.site == FLOE_NO_SITE && holder) {
    const uint32_t firings = floe_expand_transient(emitter, &last);
    if (self->exceeded)
      return;
    if (firings) {
      emitter->fired[last.transition]++;
      return;
    }
    last.site = floe_blocked_site(holder);
    last.state = floe_released(last.state);
  }
  if (last.site != FLOE_NO_SITE) {
    floe_step_fails(emitter, last.transition, last.choice, last.site);
    return;
  }
  emitter->fired[last.transition]++;
  self->ended++;
  floe_step_to(emitter, first, first_choice, last.state.w);
}

/* All sequences that begin with this firing. */
static void floe_sequences_from(struct floe_emitter *emitter, uint32_t number, uint32_t which, const uint64_t *words) {
  struct floe_sequences *const self = emitter->sequences;
  if (self->exceeded)
    return;
  self->length = 0;
  self->first_only = false;
  self->count = 0;
  floe_push(self, number, which, FLOE_NO_SITE, words);
  while (self->count && !self->exceeded)
    floe_follow(emitter, number, which);
  if (self->exceeded)
    floe_step_fails(emitter, self->transition, self->choice, FLOE_SEQUENCE_SITE);
}

static void floe_emit_firing(struct floe_emitter *emitter, uint32_t number, uint32_t which, const uint64_t *words) {
  if (emitter->sequences->within) {
    floe_push(emitter->sequences, number, which, FLOE_NO_SITE, words);
    return;
  }
  if (floe_holder(*(const floe_state *)words)) {
    floe_sequences_from(emitter, number, which, words);
    return;
  }
  emitter->fired[number]++;
  floe_step_to(emitter, number, which, words);
}

static void floe_fail_firing(struct floe_emitter *emitter, uint32_t number, uint32_t which, uint32_t failed_at) {
  if (emitter->sequences->within)
    floe_push(emitter->sequences, number, which, failed_at, NULL);
  else
    floe_fail(emitter, number, which, failed_at, FLOE_WORDS);
}
