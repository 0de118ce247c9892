/* Emitter of successors on the CPU: defines the macros that the generated text leaves open. The emitter's fields are
   kept in local variables while a function fires. Every firing also writes its edge. expand_block, which needs no
   edges, lets all of them (step 0) overwrite one place: cheaper than a branch, and expand_one needs no second copy of
   the code. */
struct floe_emitter {
  uint64_t *out;                /* next successor */
  struct step_edge *edge;       /* next edge */
  uint64_t *fired;              /* [FLOE_TRANSITIONS], counts */
  size_t step;                  /* 1: keep all edges, 0: none */
  struct step_error error;      /* the first one, or site FLOE_NO_SITE */
  bool broken;                  /* some successor has no key */
  struct step_changes *changes; /* as in step_block; then `out` is not used */
  uint32_t successor;           /* number of the next one there */
  bool moves;                   /* some successor differs from the state; noted if the model is one of stuttering */
#ifdef FLOE_TRANSIENT
  struct floe_sequences *sequences; /* kernel/sequence.h */
  bool within;                      /* a transient state is being expanded: its firings are pushed */
  void *scratch;                    /* the memory of its stack */
#endif
};

/* Words of a key: the state's own, or one for an index key. */
#ifdef FLOE_INDEX_KEYS
#define FLOE_KEY_WORDS 1
#else
#define FLOE_KEY_WORDS FLOE_WORDS
#endif

#define FLOE_EMITTER struct floe_emitter *emitter
#define FLOE_EMITTER_ARGUMENT emitter
#define FLOE_MOVES(differs) (emitter->moves |= (differs)) /* precedes FLOE_EMIT */

/* For a transition that fires only if no other does: whether one has since FLOE_NOTE_FIRINGS, also with an error. */
#define FLOE_NOTE_FIRINGS const struct floe_emitter noted = *emitter;
#define FLOE_NOTHING_FIRED                                                                                             \
  (emitter->out == noted.out && emitter->edge == noted.edge && emitter->successor == noted.successor &&                \
   emitter->error.site == noted.error.site && emitter->broken == noted.broken)

/* Precedes FLOE_EMIT for every word that the transition writes; a transition writes few of many words. Mostly the
   value changes, so the branch is well predicted. */
#define FLOE_CHANGED(word)                                                                                             \
  do {                                                                                                                 \
    if (FLOE_CHANGES && t.w[word] != s.w[word])                                                                        \
      floe_change(&FLOE_CHANGES[word], t.w[word], FLOE_SUCCESSOR);                                                     \
  } while (0)

static inline void floe_change(struct step_changes *changes, uint64_t content, uint32_t successor) {
  changes->contents[changes->count] = content;
  changes->successors[changes->count++] = successor;
}

#ifdef FLOE_TRANSIENT
#define FLOE_SCRATCH(emitter, memory) (emitter)->scratch = (memory)
#else
#define FLOE_SCRATCH(emitter, memory) ((void)(memory))
#endif

#ifdef FLOE_COMPACT
/* For models with many transitions, or a large text: halves the time to compile, at some ns more for each firing. And
   for models with transient states. */
#define FLOE_BEGIN
#define FLOE_END
#define FLOE_CHANGES emitter->changes
#define FLOE_SUCCESSOR emitter->successor
#ifdef FLOE_TRANSIENT
/* Defined in kernel/sequence.h, after the text of the model; `words`: of a floe_state; `written` as below. */
static void floe_emit_firing(struct floe_emitter *emitter, uint32_t number, uint32_t which, const uint64_t *words,
                             uint64_t written);
static void floe_fail_firing(struct floe_emitter *emitter, uint32_t number, uint32_t which, uint32_t failed_at);
/* In place of FLOE_CHANGED and FLOE_EMIT; bits of `written`: words that the transition may write. Code at each
   firing for the choice between a step and a sequence takes twice as long to compile. */
#define FLOE_EMIT_WRITTEN(number, which, t, written) floe_emit_firing(emitter, number, which, (t).w, written)
#define FLOE_FAIL(number, which, failed_at) floe_fail_firing(emitter, number, which, failed_at)
#else
#define FLOE_EMIT(number, which, t) floe_emit(emitter, number, which, (t).w, FLOE_WORDS)
#define FLOE_EMIT_KEY(number, which, key, wrong) floe_emit_key(emitter, number, which, key, wrong)
#define FLOE_FAIL(number, which, failed_at) floe_fail(emitter, number, which, failed_at, FLOE_KEY_WORDS)
#endif

static void floe_edge(struct floe_emitter *emitter, uint32_t number, uint32_t which, uint32_t failed_at) {
  emitter->edge->transition = number;
  emitter->edge->choice = which;
  emitter->edge->site = failed_at;
  emitter->edge += emitter->step;
}

FLOE_DEVICE_SPLIT void floe_emit(struct floe_emitter *emitter, uint32_t number, uint32_t which, const uint64_t *words,
                                 uint32_t word_count) {
  if (word_count == 1 || !emitter->changes)
    for (uint32_t i = 0; i < word_count; i++)
      *emitter->out++ = words[i];
  emitter->successor++;
  emitter->fired[number]++;
  floe_edge(emitter, number, which, FLOE_NO_SITE);
}

#ifdef FLOE_INDEX_KEYS
FLOE_DEVICE_SPLIT void floe_emit_key(struct floe_emitter *emitter, uint32_t number, uint32_t which, uint64_t key,
                                     uint32_t wrong) {
  if (!wrong) {
    floe_emit(emitter, number, which, &key, 1);
    return;
  }
  emitter->broken = true;
  floe_edge(emitter, number, which, FLOE_BROKEN_SITE);
  emitter->out += emitter->step;
}
#endif

FLOE_DEVICE_SPLIT void floe_fail(struct floe_emitter *emitter, uint32_t number, uint32_t which, uint32_t failed_at,
                                 uint32_t word_count) {
  if (emitter->error.site == FLOE_NO_SITE) {
    emitter->error.transition = number;
    emitter->error.site = failed_at;
  }
  floe_edge(emitter, number, which, failed_at);
  emitter->out += word_count * emitter->step;
}

#else
#define FLOE_BEGIN                                                                                                     \
  uint64_t *out = emitter->out, *const fired = emitter->fired;                                                         \
  struct step_edge *edge = emitter->edge;                                                                              \
  const size_t step = emitter->step;                                                                                   \
  struct step_changes *const changes = FLOE_KEY_WORDS > 1 ? emitter->changes : NULL;                                   \
  uint32_t successor = emitter->successor;
#define FLOE_END emitter->out = out, emitter->edge = edge, emitter->successor = successor;
#define FLOE_CHANGES changes
#define FLOE_SUCCESSOR successor

#define FLOE_EDGE(number, which, failed_at)                                                                            \
  (edge->transition = (number), edge->choice = (which), edge->site = (failed_at), edge += step)

/* The words of a state are few and their number is constant: the compiler unrolls the loop. */
#define FLOE_EMIT(number, which, t)                                                                                    \
  do {                                                                                                                 \
    if (FLOE_KEY_WORDS == 1 || !changes) {                                                                             \
      for (int word_ = 0; word_ < FLOE_WORDS; word_++)                                                                 \
        out[word_] = (t).w[word_];                                                                                     \
      out += FLOE_WORDS;                                                                                               \
    }                                                                                                                  \
    successor += FLOE_KEY_WORDS > 1;                                                                                   \
    fired[number]++;                                                                                                   \
    FLOE_EDGE(number, which, FLOE_NO_SITE);                                                                            \
  } while (0)

/* Emits the successor's index key, unless the key is wrong: then an assumption of the index keys does not hold. */
#define FLOE_EMIT_KEY(number, which, key, wrong)                                                                       \
  do {                                                                                                                 \
    if (wrong) {                                                                                                       \
      emitter->broken = true;                                                                                          \
      FLOE_EDGE(number, which, FLOE_BROKEN_SITE);                                                                      \
      out += step;                                                                                                     \
    } else {                                                                                                           \
      *out++ = (key);                                                                                                  \
      fired[number]++;                                                                                                 \
      FLOE_EDGE(number, which, FLOE_NO_SITE);                                                                          \
    }                                                                                                                  \
  } while (0)

/* Keeps the first error. A failing firing takes a place among the successors only if edges are kept. */
#define FLOE_FAIL(number, which, failed_at)                                                                            \
  do {                                                                                                                 \
    if (emitter->error.site == FLOE_NO_SITE) {                                                                         \
      emitter->error.transition = (number);                                                                            \
      emitter->error.site = (failed_at);                                                                               \
    }                                                                                                                  \
    FLOE_EDGE(number, which, failed_at);                                                                               \
    out += FLOE_KEY_WORDS * step;                                                                                      \
  } while (0)
#endif
