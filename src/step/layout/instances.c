#include "step/layout/instances.h"

#include "model/symmetry/symmetry.h"

#include <string.h>

static uint32_t only_set(const struct model *model, const struct symmetric_range *range) {
  const struct symmetric_part *part = range->parts;
  return range->count == 1 && part->first == 0 && !part->nested && !model->symmetry->sets[part->set].places
             ? part->set
             : NO_INSTANCE_SET;
}

uint32_t variable_instance_set(const struct model *model, uint32_t v) {
  const struct variable *variable = &model->variables[v];
  const struct symmetric_variable *symmetric = &model->symmetry->variables[v];
  uint32_t set = NO_INSTANCE_SET;
  if (variable->length == 1 && symmetric->owners.count)
    set = only_set(model, &symmetric->owners);
  else if (variable->length == variable->count && variable_dimensions(variable) == 1 && symmetric->dimensions)
    set = only_set(model, &symmetric->dimensions[0]);
  return set != NO_INSTANCE_SET && model->symmetry->sets[set].size == variable->count ? set : NO_INSTANCE_SET;
}

bool variable_is_plain(const struct model *model, uint32_t v) { return !model->symmetry->variables[v].values.count; }

struct joining {
  const struct model *model;
  struct field *fields;
  uint32_t *order; /* variables with bits */
  uint32_t count;
};

/* Whether variable a comes before b: by word, then as they are side by side. */
static bool precedes(const struct joining *j, uint32_t a, uint32_t b, bool by_set) {
  const struct field *x = &j->fields[a], *y = &j->fields[b];
  if (x->word != y->word)
    return x->word < y->word;
  if (by_set && variable_instance_set(j->model, a) != variable_instance_set(j->model, b))
    return variable_instance_set(j->model, a) < variable_instance_set(j->model, b);
  return x->shift < y->shift;
}

static void sort(struct joining *j, bool by_set) {
  for (uint32_t i = 1; i < j->count; i++) {
    const uint32_t v = j->order[i];
    uint32_t k = i;
    for (; k > 0 && precedes(j, v, j->order[k - 1], by_set); k--)
      j->order[k] = j->order[k - 1];
    j->order[k] = v;
  }
}

/* With one word: variables of the same set follow each other. */
static void sort_by_sets(struct joining *j) {
  uint32_t shift = 0;
  sort(j, true);
  for (uint32_t i = 0; i < j->count; i++) {
    struct field *field = &j->fields[j->order[i]];
    field->shift = shift;
    shift += field->per_word * field->width;
  }
}

/* Variable b is the next one after a, in the same words, with the same instances. */
static bool follows(const struct joining *j, uint32_t a, uint32_t b) {
  const struct field *x = &j->fields[a], *y = &j->fields[b];
  const uint32_t set = variable_instance_set(j->model, a);
  return set != NO_INSTANCE_SET && set == variable_instance_set(j->model, b) && x->word == y->word &&
         x->per_word == y->per_word && x->shift + x->per_word * x->width == y->shift;
}

/* order[first..end): variables that follow each other. */
static void join(struct joining *j, uint32_t first, uint32_t end) {
  uint32_t stride = 0, shift = j->fields[j->order[first]].shift;
  for (uint32_t i = first; i < end; i++)
    stride += j->fields[j->order[i]].width;
  for (unsigned plain = 2; plain-- > 0;)
    for (uint32_t i = first; i < end; i++)
      if (variable_is_plain(j->model, j->order[i]) == plain) {
        struct field *field = &j->fields[j->order[i]];
        field->shift = shift;
        field->stride = stride;
        shift += field->width;
      }
}

void layout_join_instances(const struct model *model, struct arena *arena, struct layout *layout) {
  struct joining j = {.model = model, .fields = arena_array(arena, model->variable_count + 1, sizeof *j.fields)};
  memcpy(j.fields, layout->fields, model->variable_count * sizeof *j.fields);
  j.order = arena_array(arena, model->variable_count + 1, sizeof *j.order);
  for (uint32_t v = 0; v < model->variable_count; v++) {
    if (j.fields[v].shared)
      return;
    if (j.fields[v].width)
      j.order[j.count++] = v;
  }
  if (layout->words == 1)
    sort_by_sets(&j);
  else
    sort(&j, false);
  for (uint32_t first = 0, end; first < j.count; first = end) {
    for (end = first + 1; end < j.count && follows(&j, j.order[end - 1], j.order[end]);)
      end++;
    join(&j, first, end);
  }
  layout->fields = j.fields;
  layout->keys = layout_key_bound(model, layout);
}
