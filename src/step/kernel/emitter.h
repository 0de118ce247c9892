/* Where the successors of a state go on the CPU: the macros that the generated text leaves open.
   The sink's fields are kept in local variables while a function fires. Every firing also writes
   its edge; expand_block, which does not want edges, lets all of them (step 0) overwrite one place:
   cheaper than a branch, and expand_one needs no second copy of the code. */
struct floe_emitter {
  uint64_t *out;                /* next successor */
  struct step_edge *edge;       /* next edge */
  uint64_t *fired;              /* [FLOE_TRANSITIONS], counts */
  size_t step;                  /* 1: keep all edges, 0: none */
  struct step_error error;      /* the first one, or site FLOE_NO_SITE */
  bool broken;                  /* some successor has no key */
  struct step_changes *changes; /* as in step_block; then `out` is not used */
  uint32_t successor;           /* number of the next one there */
};

/* Words of a key: the state's own, or its rank. */
#ifdef FLOE_INDEX_KEYS
#define FLOE_KEY_WORDS 1
#else
#define FLOE_KEY_WORDS FLOE_WORDS
#endif

#define FLOE_EMITTER struct floe_emitter *sink
#define FLOE_EMITTER_ARGUMENT sink

/* Before FLOE_EMIT, for every word that the transition writes: of many words of a state it writes few. Mostly to
   another value, so that a branch is foreseen. */
#define FLOE_CHANGED(word)                                                                                             \
  do {                                                                                                                 \
    if (FLOE_CHANGES && t.w[word] != s.w[word])                                                                        \
      floe_change(&FLOE_CHANGES[word], t.w[word], FLOE_SUCCESSOR);                                                     \
  } while (0)

static inline void floe_change(struct step_changes *changes, uint64_t content, uint32_t successor) {
  changes->contents[changes->count] = content;
  changes->successors[changes->count++] = successor;
}

#ifdef FLOE_COMPACT
/* For models of many transitions: half the time to compile, some ns more for each firing. */
#define FLOE_BEGIN
#define FLOE_END
#define FLOE_CHANGES sink->changes
#define FLOE_SUCCESSOR sink->successor
#define FLOE_EMIT(number, which, t) floe_emit(sink, number, which, (t).w, FLOE_WORDS)
#define FLOE_EMIT_KEY(number, which, key, wrong) floe_emit_key(sink, number, which, key, wrong)
#define FLOE_FAIL(number, which, failed_at) floe_fail(sink, number, which, failed_at, FLOE_KEY_WORDS)

static void floe_edge(struct floe_emitter *sink, uint32_t number, uint32_t which, uint32_t failed_at) {
  sink->edge->transition = number;
  sink->edge->choice = which;
  sink->edge->site = failed_at;
  sink->edge += sink->step;
}

FLOE_DEVICE_SPLIT void floe_emit(struct floe_emitter *sink, uint32_t number, uint32_t which, const uint64_t *words,
                                 uint32_t word_count) {
  if (word_count == 1 || !sink->changes)
    for (uint32_t i = 0; i < word_count; i++)
      *sink->out++ = words[i];
  sink->successor++;
  sink->fired[number]++;
  floe_edge(sink, number, which, FLOE_NO_SITE);
}

#ifdef FLOE_INDEX_KEYS
FLOE_DEVICE_SPLIT void floe_emit_key(struct floe_emitter *sink, uint32_t number, uint32_t which, uint64_t key,
                                     uint32_t wrong) {
  if (!wrong) {
    floe_emit(sink, number, which, &key, 1);
    return;
  }
  sink->broken = true;
  floe_edge(sink, number, which, FLOE_BROKEN_SITE);
  sink->out += sink->step;
}
#endif

FLOE_DEVICE_SPLIT void floe_fail(struct floe_emitter *sink, uint32_t number, uint32_t which, uint32_t failed_at,
                                 uint32_t word_count) {
  if (sink->error.site == FLOE_NO_SITE) {
    sink->error.transition = number;
    sink->error.site = failed_at;
  }
  floe_edge(sink, number, which, failed_at);
  sink->out += word_count * sink->step;
}

#else
#define FLOE_BEGIN                                                                                                     \
  uint64_t *out = sink->out, *const fired = sink->fired;                                                               \
  struct step_edge *edge = sink->edge;                                                                                 \
  const size_t step = sink->step;                                                                                      \
  struct step_changes *const changes = FLOE_KEY_WORDS > 1 ? sink->changes : NULL;                                      \
  uint32_t successor = sink->successor;
#define FLOE_END sink->out = out, sink->edge = edge, sink->successor = successor;
#define FLOE_CHANGES changes
#define FLOE_SUCCESSOR successor

#define FLOE_EDGE(number, which, failed_at)                                                                            \
  (edge->transition = (number), edge->choice = (which), edge->site = (failed_at), edge += step)

/* Words of a state are few and known: the compiler unrolls the loop. */
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

/* Of keys by rank: the successor's, unless something of it is wrong: then what the keys take for certain is not. */
#define FLOE_EMIT_KEY(number, which, key, wrong)                                                                       \
  do {                                                                                                                 \
    if (wrong) {                                                                                                       \
      sink->broken = true;                                                                                             \
      FLOE_EDGE(number, which, FLOE_BROKEN_SITE);                                                                      \
      out += step;                                                                                                     \
    } else {                                                                                                           \
      *out++ = (key);                                                                                                  \
      fired[number]++;                                                                                                 \
      FLOE_EDGE(number, which, FLOE_NO_SITE);                                                                          \
    }                                                                                                                  \
  } while (0)

/* The first error is kept; a failing firing takes a place among the successors only where edges are
 * kept. */
#define FLOE_FAIL(number, which, failed_at)                                                                            \
  do {                                                                                                                 \
    if (sink->error.site == FLOE_NO_SITE) {                                                                            \
      sink->error.transition = (number);                                                                               \
      sink->error.site = (failed_at);                                                                                  \
    }                                                                                                                  \
    FLOE_EDGE(number, which, failed_at);                                                                               \
    out += FLOE_KEY_WORDS * step;                                                                                      \
  } while (0)
#endif
