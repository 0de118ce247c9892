#include "model/symmetry/symmetry.h"

#include <string.h>

uint32_t symmetry_instances(const struct symmetry *symmetry) {
  uint32_t count = 0;
  for (size_t s = 0; s < symmetry->set_count; s++)
    count += symmetry->sets[s].size;
  return count;
}

uint32_t symmetry_named_sets(const struct symmetry *symmetry) {
  uint32_t count = 0;
  while (count < symmetry->set_count && !symmetry->sets[count].places)
    count++;
  return count;
}

double symmetry_permutations(const struct symmetry *symmetry) {
  double count = 1;
  for (size_t s = 0; s < symmetry_named_sets(symmetry); s++)
    for (uint32_t i = 2; i <= symmetry->sets[s].size; i++)
      count *= i;
  return count;
}

static uint32_t first_instance(const struct symmetry *symmetry, uint32_t set) {
  uint32_t first = 0;
  for (uint32_t s = 0; s < set; s++)
    first += symmetry->sets[s].size;
  return first;
}

/* The number that `number` becomes. `before`: the number of the indices before it. */
static uint64_t permuted(const struct symmetry *symmetry, const struct symmetric_range *range,
                         const uint32_t *permutation, uint64_t number, uint32_t before) {
  for (size_t i = 0; i < range->count; i++) {
    const struct symmetric_part *part = &range->parts[i];
    if (number >= part->first && number - part->first < symmetry->sets[part->set].size)
      return part->first +
             permutation[first_instance(symmetry, part->set + (part->nested ? before : 0)) + (number - part->first)];
  }
  return number;
}

static uint32_t permuted_element(const struct model *model, uint32_t v, const uint32_t *permutation, uint32_t element) {
  static const struct symmetric_range none;
  const struct variable *variable = &model->variables[v];
  const struct symmetric_variable *symmetric = &model->symmetry->variables[v];
  uint32_t stride = 1, result = 0;
  for (uint32_t d = variable_dimensions(variable); d-- > 0;) {
    const uint32_t size = variable->dimensions ? variable->dimensions[d].size : variable->length;
    const struct symmetric_range *range = symmetric->dimensions ? &symmetric->dimensions[d] : &none;
    const uint64_t index = element / stride % size;
    result += stride * (uint32_t)permuted(model->symmetry, range, permutation, index, element / stride / size);
    stride *= size;
  }
  if (stride < variable->length) { /* a buffer has no dimensions */
    result += element % variable->length;
    stride = variable->length;
  }
  return result + stride * (uint32_t)permuted(model->symmetry, &symmetric->owners, permutation, element / stride, 0);
}

void symmetry_apply(const struct model *model, const uint32_t *permutation, const int64_t *from, int64_t *to) {
  for (uint32_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    const struct symmetric_variable *symmetric = &model->symmetry->variables[v];
    for (uint32_t i = 0; i < variable->count; i++) {
      const uint32_t target = permuted_element(model, v, permutation, i);
      const uint64_t number = (uint64_t)(from[variable->first + i] - variable->lo);
      to[variable->first + target] =
          variable->lo + (int64_t)permuted(model->symmetry, &symmetric->values, permutation, number, 0);
    }
  }
}

/* Exchanges of neighbours generate all permutations. */
bool symmetry_keeps_initial(const struct model *model, struct arena *arena) {
  const struct symmetry *symmetry = model->symmetry;
  const uint32_t instances = symmetry_instances(symmetry);
  const size_t bytes = model->value_count * sizeof(int64_t);
  int64_t *values = arena_array(arena, model->value_count + 1, sizeof *values);
  int64_t *after = arena_array(arena, model->value_count + 1, sizeof *after);
  uint32_t *permutation = arena_array(arena, instances + 1, sizeof *permutation);
  model_initial_values(model, values);
  for (uint32_t set = 0, first = 0; set < symmetry->set_count; first += symmetry->sets[set++].size)
    for (uint32_t i = 0; i < symmetry->sets[set].size; i++)
      permutation[first + i] = i;
  for (uint32_t set = 0, first = 0; set < symmetry_named_sets(symmetry); first += symmetry->sets[set++].size)
    for (uint32_t i = 0; i + 1 < symmetry->sets[set].size; i++) {
      permutation[first + i] = i + 1;
      permutation[first + i + 1] = i;
      symmetry_apply(model, permutation, values, after);
      permutation[first + i] = i;
      permutation[first + i + 1] = i + 1;
      if (memcmp(values, after, bytes) != 0)
        return false;
    }
  return true;
}
