#include "step/layout/layout.h"

#include "step/layout/word_assignment.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define WORD_BITS 64u
/* A limit on the size of a state, far beyond states that can be explored; keeps all sums in 32 bits. */
#define MAX_BITS ((uint64_t)1 << 30)

static uint32_t variable_bits(const struct variable *variable) {
  if (!variable->assigned)
    return 0;
  uint32_t width = 0;
  for (uint64_t top = (uint64_t)(variable->hi - variable->lo); top; top >>= 1)
    width++;
  return width;
}

static uint32_t bit_length(uint64_t n) { return n ? 64 - (uint32_t)__builtin_clzll(n) : 0; }

/* The first variable of a set stands for all of them while fields are placed. */
static void join_exclusive(const struct model *model, struct field *fields) {
  for (size_t i = 0; i < model->exclusive_count; i++) {
    const struct exclusive_set *set = &model->exclusive[i];
    for (size_t k = 0; k < set->count; k++)
      fields[set->variables[k]].width = 0;
    struct field *field = &fields[set->variables[0]];
    field->width = field->stride = bit_length(set->one ? set->count - 1 : set->count);
  }
}

static void share_exclusive(const struct model *model, struct field *fields) {
  for (size_t i = 0; i < model->exclusive_count; i++) {
    const struct exclusive_set *set = &model->exclusive[i];
    for (size_t k = 0; k < set->count; k++) {
      struct field *field = &fields[set->variables[k]];
      *field = fields[set->variables[0]];
      field->shared = true;
      field->code = (uint32_t)k + !set->one;
    }
  }
}

/* Words in use: `used` bits of each. */
struct packing {
  uint32_t *used;
  uint32_t words, capacity;
  struct field *fields;
};

/* The first word with `bits` free bits: small variables fill gaps that larger ones left. */
static uint32_t word_with_room(struct packing *packing, uint32_t bits) {
  uint32_t word = 0;
  while (word < packing->words && packing->used[word] + bits > WORD_BITS)
    word++;
  if (word == packing->words)
    packing->words++;
  assert(packing->words <= packing->capacity);
  return word;
}

static void place_in_one(struct packing *packing, struct field *field, uint32_t count) {
  uint32_t bits = count * field->width;
  field->word = word_with_room(packing, bits);
  field->shift = packing->used[field->word];
  field->per_word = count;
  packing->used[field->word] += bits;
  assert(packing->used[field->word] <= WORD_BITS);
}

static void place_in_many(struct packing *packing, struct field *field, uint32_t count) {
  field->word = packing->words;
  field->shift = 0;
  field->per_word = WORD_BITS / field->width;
  for (uint32_t left = count; left;) {
    uint32_t here = left < field->per_word ? left : field->per_word;
    assert(packing->words < packing->capacity);
    packing->used[packing->words++] = here * field->width;
    left -= here;
  }
}

static void place_variable(struct packing *packing, const struct model *model, uint32_t v) {
  const struct variable *variable = &model->variables[v];
  struct field *field = &packing->fields[v];
  if (!field->width)
    field->per_word = variable->count;
  else if ((uint64_t)variable->count * field->width <= WORD_BITS)
    place_in_one(packing, field, variable->count);
  else
    place_in_many(packing, field, variable->count);
}

/* The location and the variables of a process change in one step, so they are placed side by side; then shared
   variables. */
static void place_all(struct packing *packing, const struct model *model) {
  for (uint32_t p = 0; p < model->process_count; p++)
    for (uint32_t v = 0; v < model->variable_count; v++) {
      const struct variable *variable = &model->variables[v];
      if (variable->owner == p && (variable->kind == VARIABLE_LOCATION || variable->kind == VARIABLE_LOCAL))
        place_variable(packing, model, v);
    }
  for (uint32_t v = 0; v < model->variable_count; v++) {
    enum variable_kind kind = model->variables[v].kind;
    if (kind != VARIABLE_LOCATION && kind != VARIABLE_LOCAL)
      place_variable(packing, model, v);
  }
}

/* An upper bound of the words that placing can open. */
static uint32_t max_words(const struct model *model, const struct field *fields) {
  uint32_t words = 1;
  for (size_t v = 0; v < model->variable_count; v++)
    if (fields[v].width)
      words += model->variables[v].count / (WORD_BITS / fields[v].width) + 1;
  return words;
}

/* Assigning more words takes too long. */
#define MAX_ASSIGNED_WORDS 256

/* Assignment for tree compression. It may use one and a half times the words plus one, because distinct word contents
   cost more than words. */
static void assign_words(struct packing *packing, const struct model *model, struct arena *arena) {
  struct field *assigned = arena_array(arena, model->variable_count + 1, sizeof *assigned);
  memcpy(assigned, packing->fields, model->variable_count * sizeof *assigned);
  uint32_t words;
  if (word_assignment_make(model, arena, packing->words + packing->words / 2 + 1, assigned, &words)) {
    memcpy(packing->fields, assigned, model->variable_count * sizeof *assigned);
    packing->words = words;
  }
}

/* The last variable of a set has its greatest code. */
static uint64_t with_greatest(uint64_t key, const struct variable *variable, const struct field *field,
                              uint32_t element) {
  const uint32_t shift = field_shift(field, element);
  const uint64_t others = field->shared ? key & ~((((uint64_t)1 << field->width) - 1) << shift) : key;
  return others | field_bits(field, (uint64_t)(variable->hi - variable->lo)) << shift;
}

uint64_t layout_key_bound(const struct model *model, const struct layout *layout) {
  uint64_t greatest = 0;
  for (size_t v = 0; v < model->variable_count && layout->words == 1; v++) {
    const struct variable *variable = &model->variables[v];
    const struct field *field = &layout->fields[v];
    for (uint32_t i = 0; field->width && i < variable->count; i++)
      greatest = with_greatest(greatest, variable, field, i);
  }
  return layout->words == 1 ? greatest + 1 : 0;
}

struct layout_job {
  const struct model *model;
  struct arena *arena;
  struct layout *layout;
  uint64_t bits;
};

static void build_layout(void *data) {
  struct layout_job *job = data;
  const struct model *model = job->model;
  struct field *fields = arena_array(job->arena, model->variable_count + 1, sizeof *fields);
  for (size_t v = 0; v < model->variable_count; v++) {
    fields[v].width = fields[v].stride = variable_bits(&model->variables[v]);
    assert(fields[v].width < WORD_BITS); /* needed by mask_of */
  }
  join_exclusive(model, fields);
  for (size_t v = 0; v < model->variable_count; v++)
    job->bits += (uint64_t)fields[v].width * model->variables[v].count;
  if (job->bits > MAX_BITS)
    return;
  struct packing packing = {.fields = fields, .capacity = max_words(model, fields)};
  packing.used = arena_array(job->arena, packing.capacity, sizeof *packing.used);
  place_all(&packing, model);
  if (packing.words > 1 && packing.words <= MAX_ASSIGNED_WORDS)
    assign_words(&packing, model, job->arena);
  share_exclusive(model, fields);
  job->layout = arena_alloc(job->arena, sizeof *job->layout);
  job->layout->fields = fields;
  job->layout->bits = job->bits ? (uint32_t)job->bits : 1;
  job->layout->words = packing.words ? packing.words : 1;
  assert(job->layout->bits <= (uint64_t)job->layout->words * WORD_BITS);
  job->layout->key_bits = job->layout->bits;
  job->layout->key_words = job->layout->words;
  job->layout->keys = layout_key_bound(model, job->layout);
}

floe_status layout_make(const struct model *model, struct arena *arena, const struct layout **out) {
  struct layout_job job = {.model = model, .arena = arena};
  if (arena_guard(arena, build_layout, &job))
    return FLOE_ERROR_MEMORY;
  if (!job.layout)
    return FLOE_ERROR_UNSUPPORTED;
  *out = job.layout;
  return FLOE_OK;
}

static uint64_t mask_of(const struct field *field) { return ((uint64_t)1 << field->width) - 1; }

void layout_pack(const struct model *model, const struct layout *layout, const int64_t *values, uint64_t *state) {
  memset(state, 0, layout->words * sizeof *state);
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    const struct field *field = &layout->fields[v];
    for (uint32_t i = 0; field->width && i < variable->count; i++) {
      int64_t value = values[variable->first + i];
      assert(variable->lo <= value && value <= variable->hi);
      state[field_word(field, i)] |= field_bits(field, (uint64_t)(value - variable->lo)) << field_shift(field, i);
    }
  }
}

void layout_unpack(const struct model *model, const struct layout *layout, const uint64_t *state, int64_t *values) {
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    const struct field *field = &layout->fields[v];
    int64_t *to = values + variable->first;
    if (!field->width) { /* constant: the value of the initial state */
      memcpy(to, variable->init, variable->count * sizeof *to);
      continue;
    }
    for (uint32_t i = 0; i < variable->count; i++) {
      const uint64_t word = state[field_word(field, i)] >> field_shift(field, i) & mask_of(field);
      to[i] = variable->lo + (int64_t)field_value(field, word);
    }
  }
}

void layout_initial(const struct model *model, const struct layout *layout, uint64_t *state) {
  memset(state, 0, layout->words * sizeof *state);
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    const struct field *field = &layout->fields[v];
    for (uint32_t i = 0; field->width && i < variable->count; i++)
      state[field_word(field, i)] |= field_bits(field, (uint64_t)(variable->init[i] - variable->lo))
                                     << field_shift(field, i);
  }
}

/* Factors beyond the range of a double may cancel out. */
struct wide_number {
  double mantissa;
  long exponent;
};

static void multiply(struct wide_number *number, double by) {
  int exponent;
  number->mantissa = frexp(number->mantissa * by, &exponent);
  number->exponent += exponent;
}

double layout_state_bound(const struct model *model) {
  struct wide_number bound = {1, 0};
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    if (variable->assigned)
      multiply(&bound, pow((double)(variable->hi - variable->lo) + 1, variable->count));
  }
  for (size_t i = 0; i < model->exclusive_count; i++) {
    multiply(&bound, (double)model->exclusive[i].count + !model->exclusive[i].one);
    bound.exponent -= (long)model->exclusive[i].count; /* 2 values of each variable */
  }
  return ldexp(bound.mantissa, bound.exponent < INT_MAX ? (int)bound.exponent : INT_MAX);
}
