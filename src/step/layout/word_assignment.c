/* Processes and channels come in arrays, whose instances act by themselves most of the time: instance i of all of a
   process's variables lies in one word, with a part of the other instances; so does element i of a global array of as
   many elements. The instances are dealt out evenly over all words, as halves of a state that are independent of each
   other have as many contents as is the square root of the number of states, and none is less. */
#include "step/layout/word_assignment.h"

#include <assert.h>

#define WORD_BITS 64u

/* Variables whose units (instances, channels, elements) go together. */
struct family {
  uint32_t units, width; /* bits of a unit */
  uint32_t *members;     /* [count] variables */
  uint32_t count;
};

struct word_assignment {
  const struct model *model;
  struct field *fields;
  struct family *families;
  uint32_t family_count;
  uint32_t *used; /* bits of each word */
  uint32_t words;
};

/* The elements, where an instance or a channel has more than a word. */
static uint32_t units_of(const struct word_assignment *d, uint32_t v) {
  const struct variable *variable = &d->model->variables[v];
  const bool apart = variable->kind == VARIABLE_GLOBAL || (uint64_t)variable->length * d->fields[v].width > WORD_BITS;
  return apart ? variable->count : variable->count / variable->length;
}

static bool are_of_one(const struct variable *a, const struct variable *b) {
  const bool process_a = a->kind == VARIABLE_LOCATION || a->kind == VARIABLE_LOCAL;
  const bool process_b = b->kind == VARIABLE_LOCATION || b->kind == VARIABLE_LOCAL;
  if (process_a && process_b)
    return a->owner == b->owner;
  const bool channel_a = a->kind == VARIABLE_LENGTH || a->kind == VARIABLE_FIELD;
  const bool channel_b = b->kind == VARIABLE_LENGTH || b->kind == VARIABLE_FIELD;
  if (channel_a && channel_b)
    return a->owner == b->owner;
  /* flag[self] */
  return ((process_a && b->kind == VARIABLE_GLOBAL) || (process_b && a->kind == VARIABLE_GLOBAL)) && a->count > 1;
}

static struct family *family_for(struct word_assignment *d, uint32_t v) {
  for (uint32_t f = 0; f < d->family_count; f++) {
    const struct variable *first = &d->model->variables[d->families[f].members[0]];
    if (d->families[f].units == units_of(d, v) && are_of_one(first, &d->model->variables[v]))
      return &d->families[f];
  }
  return NULL;
}

static void join(struct word_assignment *d, struct arena *arena, uint32_t v) {
  const uint32_t units = units_of(d, v), width = d->model->variables[v].count / units * d->fields[v].width;
  struct family *family = family_for(d, v);
  if (!family || family->width + width > WORD_BITS) {
    family = &d->families[d->family_count++];
    *family = (struct family){.units = units};
    family->members = arena_array(arena, d->model->variable_count, sizeof *family->members);
  }
  family->members[family->count++] = v;
  family->width += width;
}

/* Those of processes first: what joins them comes after. */
static void find_families(struct word_assignment *d, struct arena *arena) {
  for (unsigned others = 0; others < 2; others++)
    for (uint32_t v = 0; v < d->model->variable_count; v++) {
      const enum variable_kind kind = d->model->variables[v].kind;
      const bool is_other = kind != VARIABLE_LOCATION && kind != VARIABLE_LOCAL;
      if (d->fields[v].width && is_other == others)
        join(d, arena, v);
    }
}

/* The largest first, each once: the small ones fill what is left. */
static void sort_families(struct word_assignment *d) {
  for (uint32_t i = 1; i < d->family_count; i++) {
    const struct family family = d->families[i];
    uint32_t j = i;
    for (;
         j > 0 && (uint64_t)d->families[j - 1].units * d->families[j - 1].width < (uint64_t)family.units * family.width;
         j--)
      d->families[j] = d->families[j - 1];
    d->families[j] = family;
  }
}

static uint32_t most_used(const struct word_assignment *d, uint32_t first, uint32_t words) {
  uint32_t most = 0;
  for (uint32_t w = first; w < first + words; w++)
    most = d->used[w] > most ? d->used[w] : most;
  return most;
}

/* Where neighbouring words have most room. */
static uint32_t best_place(const struct word_assignment *d, uint32_t words) {
  uint32_t best = 0, least = most_used(d, 0, words);
  for (uint32_t first = 1; least > 0 && first + words <= d->words; first++) {
    const uint32_t used = most_used(d, first, words);
    if (used < least) {
      best = first;
      least = used;
    }
  }
  return best;
}

static bool deal(struct word_assignment *d, const struct family *family) {
  const uint32_t groups = family->units < d->words ? family->units : d->words;
  const uint32_t units = (family->units + groups - 1) / groups; /* in a word */
  if ((uint64_t)units * family->width > WORD_BITS)
    return false;
  const uint32_t words = (family->units + units - 1) / units, first = best_place(d, words);
  uint32_t shift = most_used(d, first, words);
  if ((uint64_t)shift + (uint64_t)units * family->width > WORD_BITS)
    return false;
  for (uint32_t w = first; w < first + words; w++)
    d->used[w] = shift + units * family->width;
  for (uint32_t i = 0; i < family->count; i++) {
    const struct variable *variable = &d->model->variables[family->members[i]];
    struct field *field = &d->fields[family->members[i]];
    field->word = first;
    field->shift = shift;
    field->per_word = units * (variable->count / family->units);
    shift += field->per_word * field->width;
  }
  return true;
}

static bool deal_all(struct word_assignment *d) {
  for (uint32_t w = 0; w < d->words; w++)
    d->used[w] = 0;
  for (uint32_t f = 0; f < d->family_count; f++)
    if (!deal(d, &d->families[f]))
      return false;
  return true;
}

bool word_assignment_make(const struct model *model, struct arena *arena, uint32_t most, struct field *fields,
                          uint32_t *words) {
  struct word_assignment d = {.model = model, .fields = fields};
  uint64_t bits = 0;
  for (size_t v = 0; v < model->variable_count; v++)
    bits += (uint64_t)model->variables[v].count * fields[v].width;
  d.families = arena_array(arena, model->variable_count + 1, sizeof *d.families);
  d.used = arena_array(arena, most + 1, sizeof *d.used);
  find_families(&d, arena);
  sort_families(&d);
  for (d.words = (uint32_t)((bits + WORD_BITS - 1) / WORD_BITS); d.words <= most; d.words += 1 + d.words / 16)
    if (deal_all(&d)) {
      *words = d.words;
      return true;
    }
  return false;
}
