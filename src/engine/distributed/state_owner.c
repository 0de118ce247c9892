#include "engine/distributed/state_owner.h"

#include "core/mem.h"
#include "step/stepper.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The sample is of states of each distance from the initial state, as nearly as few states can tell: the successors of
   POPULATION states of a level are the next level, of which those with the least hashes are kept. (Random walks would
   see far more of what a search soon has seen all of.) */
#define POPULATION 32
#define LEVELS 128
#define MOST_SAMPLED (POPULATION * LEVELS)
#define LEAST_SAMPLED 512
/* Of two states that are drawn, the chance to have the same of the bits that are chosen is to be no more than 1 in so
   many for each member: as the share of a member has a standard deviation of sqrt(size * chance) of itself, that is a
   fourteenth. (Of searches that are larger than the sample shows the shares are more even: results/imbalance.md.) */
#define EVENNESS 200
#define MOST_BYTES ((uint64_t)64 << 20) /* of successors */

/* Bits that go together: an element of a variable; of ranks, all from one on. */
struct candidate {
  uint32_t word;
  uint64_t mask;
  double change; /* the part of all transitions that change it */
  double score;
  uint32_t round; /* in which that was computed */
};

struct kept_state {
  uint64_t hash;
  uint64_t *state;
};

struct sampling {
  const struct layout *layout;
  struct stepper *stepper;
  uint32_t words;
  uint64_t salt;
  uint64_t *population, *successors, *sample; /* states */
  struct kept_state *next;                    /* [POPULATION] */
  uint64_t *next_states;
  size_t population_count, next_count, sampled;
  uint64_t *flips; /* [words * 64] transitions that change this bit */
  uint64_t transitions;
  uint64_t *hashes, *tried; /* [sampled] of the bits chosen so far; with a candidate's */
  uint64_t *slots;          /* of count_of */
  uint32_t *counts;
};

/* The last steps of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static uint64_t hash_of(const uint64_t *state, uint32_t words, uint64_t salt) {
  uint64_t hash = salt;
  for (uint32_t i = 0; i < words; i++)
    hash = mixed(hash ^ state[i]) + UINT64_C(0x9e3779b97f4a7c15);
  return hash;
}

/* ---- the sample -------------------------------------------------------------------------------- */

static void count_flips(struct sampling *s, const uint64_t *state, const uint64_t *successor) {
  s->transitions++;
  for (uint32_t i = 0; i < s->words; i++)
    for (uint64_t rest = state[i] ^ successor[i]; rest; rest &= rest - 1)
      s->flips[i * 64 + (uint32_t)__builtin_ctzll(rest)]++;
}

/* The next level has the states with the least hashes, each once. */
static void offer(struct sampling *s, const uint64_t *state) {
  const uint64_t hash = hash_of(state, s->words, s->salt);
  size_t greatest = 0;
  for (size_t i = 0; i < s->next_count; i++) {
    if (s->next[i].hash == hash)
      return;
    if (s->next[i].hash > s->next[greatest].hash)
      greatest = i;
  }
  struct kept_state *place = &s->next[greatest];
  if (s->next_count < POPULATION) {
    place = &s->next[s->next_count];
    place->state = s->next_states + s->next_count++ * s->words;
  } else if (hash > place->hash) {
    return;
  }
  place->hash = hash;
  memcpy(place->state, state, s->words * sizeof *state);
}

static void expand_population(struct sampling *s, struct step_block *block) {
  block->states = s->population;
  block->count = s->population_count;
  block->next = 0;
  s->next_count = 0;
  while (block->next < block->count) {
    size_t at = block->next, successor = 0;
    block->produced = 0;
    s->stepper->expand_block(s->stepper, block);
    for (; at < block->next; at++)
      for (; successor < block->ends[at]; successor++) {
        count_flips(s, s->population + at * s->words, s->successors + successor * s->words);
        offer(s, s->successors + successor * s->words);
      }
  }
}

static void take_sample(struct sampling *s, struct step_block *block, const atomic_bool *needless) {
  for (uint32_t level = 0; level < LEVELS && s->population_count > 0; level++) {
    /* Relaxed: a flag without data. */
    if (needless && atomic_load_explicit(needless, memory_order_relaxed))
      return;
    s->salt = mixed(level);
    memcpy(s->sample + s->sampled * s->words, s->population, s->population_count * s->words * sizeof *s->sample);
    s->sampled += s->population_count;
    expand_population(s, block);
    memcpy(s->population, s->next_states, s->next_count * s->words * sizeof *s->population);
    s->population_count = s->next_count;
  }
}

/* ---- how even shares would be ------------------------------------------------------------------ */

#define SLOTS (4 * MOST_SAMPLED)

/* How often this number was asked for since they were forgotten. */
static uint32_t *count_of(struct sampling *s, uint64_t number) {
  size_t at = (size_t)(number % SLOTS);
  while (s->counts[at] && s->slots[at] != number)
    at = (at + 1) % SLOTS;
  s->slots[at] = number;
  return &s->counts[at];
}

static void forget_counts(struct sampling *s) { memset(s->counts, 0, SLOTS * sizeof *s->counts); }

/* Each state once: a search that is in a circle meets the same ones again. */
static void drop_equal(struct sampling *s) {
  size_t n = 0;
  forget_counts(s);
  for (size_t i = 0; i < s->sampled; i++) {
    const uint64_t *state = s->sample + i * s->words;
    if ((*count_of(s, hash_of(state, s->words, 0)))++ == 0)
      memmove(s->sample + n++ * s->words, state, s->words * sizeof *state);
  }
  s->sampled = n;
}

/* The chance of two states to have the same number of these. */
static double chance_of(struct sampling *s, const uint64_t *numbers) {
  uint64_t pairs = 0; /* of equal ones, each counted twice */
  forget_counts(s);
  for (size_t i = 0; i < s->sampled; i++)
    pairs += 2 * (uint64_t)(*count_of(s, numbers[i]))++;
  return (double)pairs / ((double)s->sampled * (double)(s->sampled - 1));
}

static double try_candidate(struct sampling *s, const struct candidate *candidate) {
  for (size_t i = 0; i < s->sampled; i++)
    s->tried[i] = mixed(s->hashes[i] ^ (s->sample[i * s->words + candidate->word] & candidate->mask));
  return chance_of(s, s->tried);
}

/* ---- the choice -------------------------------------------------------------------------------- */

/* What is to be gained by changes: both are small numbers, and the latter may be none in the sample. */
static double score_of(double before, double after, double change) {
  const double least = 0.5 / ((double)MOST_SAMPLED * MOST_SAMPLED);
  return log(fmax(before, least) / fmax(after, least)) / (change + 0.01);
}

static size_t count_candidates(const struct model *model, const struct layout *layout) {
  size_t n = 0;
  for (size_t i = 0; i < model->variable_count; i++)
    n += layout->fields[i].width ? model->variables[i].count : 0;
  return n;
}

static struct candidate candidate_of(const struct sampling *s, const struct field *field, uint32_t element) {
  const uint32_t shift = field->shift + element % field->per_word * field->width;
  const uint64_t bits = field->width == 64 ? UINT64_MAX : (UINT64_C(1) << field->width) - 1;
  struct candidate made = {.word = field->word + element / field->per_word, .mask = bits << shift, .score = INFINITY};
  uint64_t most = 0;
  for (uint32_t i = 0; i < field->width; i++) {
    const uint64_t flips = s->flips[made.word * 64 + shift + i];
    most = flips > most ? flips : most; /* the least that it can be */
  }
  made.change = s->transitions ? (double)most / (double)s->transitions : 0;
  return made;
}

/* One after the other, each time the one with the best score. As what a candidate gains only gets less, a score of an
   earlier round is a bound, and few are computed anew (Minoux 1978). False: all together are not enough. */
static bool choose_elements(struct sampling *s, struct candidate *candidates, size_t n, double wanted, uint64_t *mask) {
  double chance = 1;
  for (uint32_t round = 1; chance > wanted;) {
    struct candidate *best = NULL;
    for (size_t i = 0; i < n; i++)
      if (candidates[i].mask && (!best || candidates[i].score > best->score))
        best = &candidates[i];
    if (!best || best->score <= 0)
      return false;
    const double with = try_candidate(s, best);
    if (best->round < round) {
      best->score = score_of(chance, with, best->change);
      best->round = round;
      continue;
    }
    chance = with;
    memcpy(s->hashes, s->tried, s->sampled * sizeof *s->hashes);
    mask[best->word] |= best->mask;
    best->mask = 0;
    round++;
  }
  return true;
}

static bool choose_of_fields(struct sampling *s, const struct model *model, double wanted, struct arena *arena,
                             uint64_t *mask) {
  const size_t n = count_candidates(model, s->layout);
  struct candidate *candidates = arena_array(arena, n, sizeof *candidates);
  size_t at = 0;
  for (size_t i = 0; i < model->variable_count; i++)
    for (uint32_t element = 0; s->layout->fields[i].width && element < model->variables[i].count; element++)
      candidates[at++] = candidate_of(s, &s->layout->fields[i], element);
  memset(mask, 0, s->words * sizeof *mask);
  return choose_elements(s, candidates, n, wanted, mask);
}

/* A digit changes what is below its weight, and carries seldom: the fewest of the highest bits that are enough. */
static bool choose_of_ranks(struct sampling *s, double wanted, uint64_t *mask) {
  for (unsigned from = s->layout->key_bits; from-- > 0;) {
    const struct candidate candidate = {.mask = UINT64_MAX << from};
    *mask = candidate.mask;
    if (try_candidate(s, &candidate) <= wanted)
      return true;
  }
  return false;
}

/* ---- numbers of a member's own ------------------------------------------------------------------- */

#define MOST_KEYS (UINT64_C(1) << 48) /* of a set with a place for each (tables/bitmap/bitmap.h) */
#define APART 3                       /* bits that are hashed between the digit and those that are not */
#define LEAST_BLOCKS 64               /* for each member, so that what is rounded up is little */
#define DIGIT_BITS 6 /* of fields: enough for a digit whose values are nearly as many for each member */
#define MOST_WASTE 4 /* 1 in so many numbers may be nobody's */

/* Where all bits from `from` on say whose a key is: those of the digit begin there, or a little above: what changes the
   lowest of them is as good as any hash then, and does not go to the next member each time. */
static uint32_t digit_above(uint32_t from, uint64_t keys, unsigned size) {
  uint32_t below = from;
  while (below < from + APART && keys >> (below + 1) >= (uint64_t)LEAST_BLOCKS * size)
    below++;
  return below;
}

/* The most bits of `mask` side by side, of equally many the highest: from *from on. */
static uint32_t longest_run(uint64_t mask, uint32_t *from) {
  uint32_t most = 0, run = 0;
  for (uint32_t i = 0; i < 64; i++) {
    run = mask >> i & 1 ? run + 1 : 0;
    if (run && run >= most) {
      most = run;
      *from = i + 1 - run;
    }
  }
  return most;
}

/* False: there is no such digit. */
static bool choose_digit(const struct layout *layout, uint64_t bits, struct local_index *out) {
  const uint64_t keys = layout->keys;
  uint32_t from = 0;
  const uint32_t run = longest_run(bits, &from);
  if (from + run == layout->key_bits && bits >> from << from == bits) {
    out->below = digit_above(from, keys, out->members);
    out->width = 64 - out->below;
  } else {
    out->width = run < DIGIT_BITS ? run : DIGIT_BITS;
    out->below = from + run - out->width;
    out->groups = ((UINT64_C(1) << out->width) + out->members - 1) / out->members;
    if (UINT64_C(1) << out->width < out->members)
      return false;
  }
  return local_index_numbers(out, keys) <= (keys + keys / MOST_WASTE) / out->members + 1;
}

void state_owner_make(const struct layout *layout, const uint64_t *mask, unsigned size, struct state_owner *out) {
  *out = (struct state_owner){.mask = mask, .words = layout->key_words, .size = size};
  if (layout->key_words > 1 || size < 2 || layout->keys == 0 || layout->keys > MOST_KEYS)
    return;
  const uint64_t all = UINT64_MAX >> (64 - layout->key_bits);
  struct local_index shares = {.mask = mask ? *mask & all : all, .members = size};
  if (choose_digit(layout, shares.mask, &shares))
    out->shares = shares;
}

/* ---- the whole --------------------------------------------------------------------------------- */

struct request {
  const struct model *model;
  const struct layout *layout;
  const uint64_t *initial;
  unsigned size;
  const atomic_bool *needless;
  uint64_t *mask;
  struct stepper *stepper;
  struct arena arena;
};

static bool choose(struct request *request, uint64_t capacity) {
  struct arena *arena = &request->arena;
  const uint32_t words = request->layout->key_words;
  struct sampling s = {.layout = request->layout,
                       .stepper = request->stepper,
                       .words = words,
                       .population = arena_array(arena, POPULATION * (size_t)words, sizeof *s.population),
                       .next_states = arena_array(arena, POPULATION * (size_t)words, sizeof *s.next_states),
                       .next = arena_array(arena, POPULATION, sizeof *s.next),
                       .sample = arena_array(arena, MOST_SAMPLED * (size_t)words, sizeof *s.sample),
                       .successors = arena_array(arena, capacity * words, sizeof *s.successors),
                       .flips = arena_array(arena, 64 * (size_t)words, sizeof *s.flips),
                       .hashes = arena_array(arena, MOST_SAMPLED, sizeof *s.hashes),
                       .tried = arena_array(arena, MOST_SAMPLED, sizeof *s.tried),
                       .slots = arena_array(arena, SLOTS, sizeof *s.slots),
                       .counts = arena_array(arena, SLOTS, sizeof *s.counts),
                       .population_count = 1};
  struct step_block block = {.successors = s.successors,
                             .capacity = capacity,
                             .ends = arena_array(arena, POPULATION, sizeof *block.ends),
                             .fired = arena_array(arena, request->model->transition_count, sizeof *block.fired)};
  memcpy(s.population, request->initial, words * sizeof *s.population);
  take_sample(&s, &block, request->needless);
  drop_equal(&s);
  if (s.sampled < LEAST_SAMPLED)
    return false;
  const double wanted = 1.0 / (EVENNESS * (double)request->size);
  if (request->layout->encoding)
    return choose_of_ranks(&s, wanted, request->mask);
  return choose_of_fields(&s, request->model, wanted, arena, request->mask);
}

static void choose_guarded(void *data) {
  struct request *request = data;
  const struct layout *layout = request->layout;
  const uint64_t least = request->stepper->max_successors, capacity = least + 16 * POPULATION;
  const uint64_t bytes = layout->key_words * sizeof(uint64_t);
  const bool chosen = bytes <= MOST_BYTES / MOST_SAMPLED && capacity <= MOST_BYTES / bytes && choose(request, capacity);
  if (!chosen)
    memset(request->mask, 0xff, layout->key_words * sizeof *request->mask);
}

floe_status state_owner_choose(const struct model *model, const struct layout *layout, const uint64_t *initial,
                          unsigned size, const atomic_bool *needless, uint64_t *mask) {
  struct request request = {
      .model = model, .layout = layout, .initial = initial, .size = size, .needless = needless, .mask = mask};
  assert(size > 0);
  FLOE_TRY(interpreter_create(model, layout, &request.stepper));
  arena_init(&request.arena);
  const floe_status status = arena_guard(&request.arena, choose_guarded, &request) == 0 ? FLOE_OK : FLOE_ERROR_MEMORY;
  arena_free(&request.arena);
  request.stepper->free(request.stepper);
  return status;
}
