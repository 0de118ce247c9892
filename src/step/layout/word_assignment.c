/* Processes and channels are arrays whose instances mostly act independently. So instance i of all variables of a
   process goes into one word, together with some other instances; so does element i of a global array with as many
   elements. Instances are distributed evenly over the words: two independent halves of a state have about the square
   root of the number of states as contents each, and no other division has fewer. */
#include "step/layout/word_assignment.h"

#include <assert.h>

#define WORD_BITS 64u

/* Variables whose units (instances, channels, elements) go into the same words. */
struct family {
  uint32_t units, width; /* width: bits of a unit */
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

/* Units of a variable: its elements if an instance or channel needs more than a word. */
static uint32_t units_of(const struct word_assignment *assignment, uint32_t v) {
  const struct variable *variable = &assignment->model->variables[v];
  const bool apart =
      variable->kind == VARIABLE_GLOBAL || (uint64_t)variable->length * assignment->fields[v].width > WORD_BITS;
  return apart ? variable->count : variable->count / variable->length;
}

static bool belong_together(const struct variable *a, const struct variable *b) {
  const bool process_a = a->kind == VARIABLE_LOCATION || a->kind == VARIABLE_LOCAL;
  const bool process_b = b->kind == VARIABLE_LOCATION || b->kind == VARIABLE_LOCAL;
  if (process_a && process_b)
    return a->owner == b->owner;
  const bool channel_a = a->kind == VARIABLE_LENGTH || a->kind == VARIABLE_FIELD;
  const bool channel_b = b->kind == VARIABLE_LENGTH || b->kind == VARIABLE_FIELD;
  if (channel_a && channel_b)
    return a->owner == b->owner;
  /* a global array indexed by process: flag[self] */
  return ((process_a && b->kind == VARIABLE_GLOBAL) || (process_b && a->kind == VARIABLE_GLOBAL)) && a->count > 1;
}

static struct family *family_for(struct word_assignment *assignment, uint32_t v) {
  for (uint32_t f = 0; f < assignment->family_count; f++) {
    const struct variable *first = &assignment->model->variables[assignment->families[f].members[0]];
    if (assignment->families[f].units == units_of(assignment, v) &&
        belong_together(first, &assignment->model->variables[v]))
      return &assignment->families[f];
  }
  return NULL;
}

static void add_to_family(struct word_assignment *assignment, struct arena *arena, uint32_t v) {
  const uint32_t units = units_of(assignment, v),
                 width = assignment->model->variables[v].count / units * assignment->fields[v].width;
  struct family *family = family_for(assignment, v);
  if (!family || family->width + width > WORD_BITS) {
    family = &assignment->families[assignment->family_count++];
    *family = (struct family){.units = units};
    family->members = arena_array(arena, assignment->model->variable_count, sizeof *family->members);
  }
  family->members[family->count++] = v;
  family->width += width;
}

/* Families of processes first: other variables join them. */
static void find_families(struct word_assignment *assignment, struct arena *arena) {
  for (unsigned others = 0; others < 2; others++)
    for (uint32_t v = 0; v < assignment->model->variable_count; v++) {
      const enum variable_kind kind = assignment->model->variables[v].kind;
      const bool is_other = kind != VARIABLE_LOCATION && kind != VARIABLE_LOCAL;
      if (assignment->fields[v].width && is_other == others)
        add_to_family(assignment, arena, v);
    }
}

/* The largest first: small families fill the remaining bits. */
static void sort_families(struct word_assignment *assignment) {
  for (uint32_t i = 1; i < assignment->family_count; i++) {
    const struct family family = assignment->families[i];
    uint32_t j = i;
    for (; j > 0 && (uint64_t)assignment->families[j - 1].units * assignment->families[j - 1].width <
                        (uint64_t)family.units * family.width;
         j--)
      assignment->families[j] = assignment->families[j - 1];
    assignment->families[j] = family;
  }
}

static uint32_t most_used(const struct word_assignment *assignment, uint32_t first, uint32_t words) {
  uint32_t max_words = 0;
  for (uint32_t w = first; w < first + words; w++)
    max_words = assignment->used[w] > max_words ? assignment->used[w] : max_words;
  return max_words;
}

/* The run of words with the most free bits. */
static uint32_t emptiest_words(const struct word_assignment *assignment, uint32_t words) {
  uint32_t best = 0, least = most_used(assignment, 0, words);
  for (uint32_t first = 1; least > 0 && first + words <= assignment->words; first++) {
    const uint32_t used = most_used(assignment, first, words);
    if (used < least) {
      best = first;
      least = used;
    }
  }
  return best;
}

static bool place_families(struct word_assignment *assignment, const struct family *family) {
  const uint32_t groups = family->units < assignment->words ? family->units : assignment->words;
  const uint32_t units = (family->units + groups - 1) / groups; /* units in a word */
  if ((uint64_t)units * family->width > WORD_BITS)
    return false;
  const uint32_t words = (family->units + units - 1) / units, first = emptiest_words(assignment, words);
  uint32_t shift = most_used(assignment, first, words);
  if ((uint64_t)shift + (uint64_t)units * family->width > WORD_BITS)
    return false;
  for (uint32_t w = first; w < first + words; w++)
    assignment->used[w] = shift + units * family->width;
  for (uint32_t i = 0; i < family->count; i++) {
    const struct variable *variable = &assignment->model->variables[family->members[i]];
    struct field *field = &assignment->fields[family->members[i]];
    field->word = first;
    field->shift = shift;
    field->per_word = units * (variable->count / family->units);
    shift += field->per_word * field->width;
  }
  return true;
}

static bool deal_all(struct word_assignment *assignment) {
  for (uint32_t w = 0; w < assignment->words; w++)
    assignment->used[w] = 0;
  for (uint32_t f = 0; f < assignment->family_count; f++)
    if (!place_families(assignment, &assignment->families[f]))
      return false;
  return true;
}

bool word_assignment_make(const struct model *model, struct arena *arena, uint32_t max_words, struct field *fields,
                          uint32_t *words) {
  struct word_assignment assignment = {.model = model, .fields = fields};
  uint64_t bits = 0;
  for (size_t v = 0; v < model->variable_count; v++)
    bits += (uint64_t)model->variables[v].count * fields[v].width;
  assignment.families = arena_array(arena, model->variable_count + 1, sizeof *assignment.families);
  assignment.used = arena_array(arena, max_words + 1, sizeof *assignment.used);
  find_families(&assignment, arena);
  sort_families(&assignment);
  for (assignment.words = (uint32_t)((bits + WORD_BITS - 1) / WORD_BITS); assignment.words <= max_words;
       assignment.words += 1 + assignment.words / 16)
    if (deal_all(&assignment)) {
      *words = assignment.words;
      return true;
    }
  return false;
}
