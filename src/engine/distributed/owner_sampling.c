#include "engine/distributed/owner_sampling.h"

#include "base/splitmix64.h"
#include "core/mem.h"
#include "step/stepper.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The sample approximates a breadth-first search: of the successors of POPULATION states of a level those with the
   least hashes are kept as the next level. (Random walks would mostly visit states that a search finds early.) */
#define POPULATION 32
#define LEVELS 128
#define MOST_SAMPLED (POPULATION * LEVELS)
#define LEAST_SAMPLED 512
/* The probability that two drawn states agree in the chosen bits must be at most 1 / (EVENNESS * members). The number
   of states of a member has a relative standard deviation of sqrt(members * probability), here a fourteenth. (Searches
   larger than the sample are more even: results/imbalance.md.) */
#define EVENNESS 200
#define MOST_BYTES ((uint64_t)64 << 20) /* of successors */

/* Bits that are chosen together: an element of a variable; of index keys, all bits from one on. */
struct candidate {
  uint32_t word;
  uint64_t mask;
  double change; /* fraction of the transitions that change it */
  double score;
  uint32_t round; /* in which `score` was computed */
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
  uint64_t *flips; /* [words * 64] transitions that change each bit */
  uint64_t transitions;
  uint64_t *hashes, *tried; /* [sampled] of the bits chosen so far; the same with those of a candidate */
  uint64_t *slots;          /* of count_of */
  uint32_t *counts;
};

static uint64_t hash_of(const uint64_t *state, uint32_t words, uint64_t salt) {
  uint64_t hash = salt;
  for (uint32_t i = 0; i < words; i++)
    hash = splitmix64_mix(hash ^ state[i]) + UINT64_C(0x9e3779b97f4a7c15);
  return hash;
}

/* ---- the sample -------------------------------------------------------------------------------- */

static void count_flips(struct sampling *s, const uint64_t *state, const uint64_t *successor) {
  s->transitions++;
  for (uint32_t i = 0; i < s->words; i++)
    for (uint64_t rest = state[i] ^ successor[i]; rest; rest &= rest - 1)
      s->flips[i * 64 + (uint32_t)__builtin_ctzll(rest)]++;
}

/* Keeps the state for the next level if its hash is among the least; each state once. */
static void keep_least_hash(struct sampling *s, const uint64_t *state) {
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
        keep_least_hash(s, s->successors + successor * s->words);
      }
  }
}

static void take_sample(struct sampling *s, struct step_block *block) {
  for (uint32_t level = 0; level < LEVELS && s->population_count > 0; level++) {
    s->salt = splitmix64_mix(level);
    memcpy(s->sample + s->sampled * s->words, s->population, s->population_count * s->words * sizeof *s->sample);
    s->sampled += s->population_count;
    expand_population(s, block);
    memcpy(s->population, s->next_states, s->next_count * s->words * sizeof *s->population);
    s->population_count = s->next_count;
  }
}

/* ---- evenness of a choice ------------------------------------------------------------------ */

#define SLOTS (4 * MOST_SAMPLED)

/* Counter of this number since clear_counts, in an open-addressing hash table. */
static uint32_t *count_of(struct sampling *s, uint64_t number) {
  size_t at = (size_t)(number % SLOTS);
  while (s->counts[at] && s->slots[at] != number)
    at = (at + 1) % SLOTS;
  s->slots[at] = number;
  return &s->counts[at];
}

static void clear_counts(struct sampling *s) { memset(s->counts, 0, SLOTS * sizeof *s->counts); }

/* A search in a cycle samples the same states again. */
static void remove_duplicates(struct sampling *s) {
  size_t n = 0;
  clear_counts(s);
  for (size_t i = 0; i < s->sampled; i++) {
    const uint64_t *state = s->sample + i * s->words;
    if ((*count_of(s, hash_of(state, s->words, 0)))++ == 0)
      memmove(s->sample + n++ * s->words, state, s->words * sizeof *state);
  }
  s->sampled = n;
}

/* Probability that two states of the sample have the same number. */
static double collision_probability(struct sampling *s, const uint64_t *numbers) {
  uint64_t pairs = 0; /* of equal numbers, each counted twice */
  clear_counts(s);
  for (size_t i = 0; i < s->sampled; i++)
    pairs += 2 * (uint64_t)(*count_of(s, numbers[i]))++;
  return (double)pairs / ((double)s->sampled * (double)(s->sampled - 1));
}

static double try_candidate(struct sampling *s, const struct candidate *candidate) {
  for (size_t i = 0; i < s->sampled; i++)
    s->tried[i] = splitmix64_mix(s->hashes[i] ^ (s->sample[i * s->words + candidate->word] & candidate->mask));
  return collision_probability(s, s->tried);
}

/* ---- the choice -------------------------------------------------------------------------------- */

/* Gain in evenness per change of owner. Both are small numbers; the sample may show no change at all. */
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
  const uint32_t shift = field_shift(field, element);
  const uint64_t bits = field->width == 64 ? UINT64_MAX : (UINT64_C(1) << field->width) - 1;
  struct candidate made = {.word = field_word(field, element), .mask = bits << shift, .score = INFINITY};
  uint64_t most = 0;
  for (uint32_t i = 0; i < field->width; i++) {
    const uint64_t flips = s->flips[made.word * 64 + shift + i];
    most = flips > most ? flips : most; /* a lower bound of the changes */
  }
  made.change = s->transitions ? (double)most / (double)s->transitions : 0;
  return made;
}

/* Lazy greedy choice (Minoux 1978): in each round the candidate with the best score. The gain of a candidate only
   decreases, so a score of an earlier round is an upper bound, and few are computed again. False: all candidates
   together are not even enough. */
static bool choose_elements(struct sampling *s, struct candidate *candidates, size_t n, double bound, uint64_t *mask) {
  double chance = 1;
  for (uint32_t round = 1; chance > bound;) {
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

static bool choose_fields(struct sampling *s, const struct model *model, double bound, struct arena *arena,
                          uint64_t *mask) {
  const size_t n = count_candidates(model, s->layout);
  struct candidate *candidates = arena_array(arena, n, sizeof *candidates);
  size_t at = 0;
  for (size_t i = 0; i < model->variable_count; i++)
    for (uint32_t element = 0; s->layout->fields[i].width && element < model->variables[i].count; element++)
      candidates[at++] = candidate_of(s, &s->layout->fields[i], element);
  memset(mask, 0, s->words * sizeof *mask);
  return choose_elements(s, candidates, n, bound, mask);
}

/* Index keys: a change of a digit seldom carries into the bits above it, so the fewest highest bits that are even
 * enough. */
static bool choose_high_bits(struct sampling *s, double bound, uint64_t *mask) {
  for (unsigned from = s->layout->key_bits; from-- > 0;) {
    const struct candidate candidate = {.mask = UINT64_MAX << from};
    *mask = candidate.mask;
    if (try_candidate(s, &candidate) <= bound)
      return true;
  }
  return false;
}

/* ---- request ----------------------------------------------------------------------------------- */

struct request {
  const struct model *model;
  const struct layout *layout;
  const uint64_t *initial;
  unsigned size;
  uint64_t *mask;
  struct stepper *stepper;
  struct arena arena;
};

static bool choose_bits(struct request *request, uint64_t capacity) {
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
  take_sample(&s, &block);
  remove_duplicates(&s);
  if (s.sampled < LEAST_SAMPLED)
    return false;
  const double bound = 1.0 / (EVENNESS * (double)request->size);
  if (request->layout->encoding)
    return choose_high_bits(&s, bound, request->mask);
  return choose_fields(&s, request->model, bound, arena, request->mask);
}

static void choose_guarded(void *data) {
  struct request *request = data;
  const struct layout *layout = request->layout;
  const uint64_t least = request->stepper->max_successors, capacity = least + 16 * POPULATION;
  const uint64_t bytes = layout->key_words * sizeof(uint64_t);
  const bool chosen =
      bytes <= MOST_BYTES / MOST_SAMPLED && capacity <= MOST_BYTES / bytes && choose_bits(request, capacity);
  if (!chosen)
    memset(request->mask, 0xff, layout->key_words * sizeof *request->mask);
}

floe_status owner_mask_choose(const struct model *model, const struct layout *layout, const uint64_t *initial,
                              unsigned size, uint64_t *mask) {
  struct request request = {.model = model, .layout = layout, .initial = initial, .size = size, .mask = mask};
  assert(size > 0);
  FLOE_TRY(interpreter_create(model, layout, &request.stepper));
  arena_init(&request.arena);
  const floe_status status = arena_guard(&request.arena, choose_guarded, &request) == 0 ? FLOE_OK : FLOE_ERROR_MEMORY;
  arena_free(&request.arena);
  request.stepper->free(request.stepper);
  return status;
}
