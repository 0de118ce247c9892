#include "step/layout/index_key.h"

#include "step/layout/layout.h"

#include <assert.h>
#include <string.h>

#define MAX_KEYS ((uint64_t)1 << 63)

/* ---- what elements are -------------------------------------------------------------------------- */

enum role { ROLE_PLAIN, ROLE_CONSTANT, ROLE_DEPENDENT, ROLE_GROUPED };

struct encoding_job {
  const struct model *model;
  const struct layout *layout;
  const struct invariants *invariants;
  struct arena *arena;
  enum role *roles; /* [value_count] */
  struct index_group *groups;
  uint32_t group_count;
  bool too_many;
  struct encoding *encoding;
};

/* Values of a range; 0: none. No range has 2^64. */
static uint64_t values_of(struct value_interval range) {
  return range.lo > range.hi ? 0 : (uint64_t)range.hi - (uint64_t)range.lo + 1;
}

static bool has_free_selector(const struct encoding_job *m, const struct ranges_by_selector *by) {
  return m->roles[by->selector] != ROLE_DEPENDENT;
}

/* An element without a field has one value; otherwise the host's key would contain it and the generated code's key
   would not. */
static void check_fields(const struct encoding_job *m) {
  for (size_t v = 0; v < m->model->variable_count; v++)
    for (uint32_t i = 0; m->layout->fields[v].width == 0 && i < m->model->variables[v].count; i++)
      assert(m->roles[m->model->variables[v].first + i] == ROLE_CONSTANT);
}

static void find_roles(struct encoding_job *m) {
  const struct invariants *invariants = m->invariants;
  m->roles = arena_array(m->arena, m->model->value_count, sizeof *m->roles);
  for (uint32_t e = 0; e < m->model->value_count; e++)
    m->roles[e] = values_of(invariants->ranges[e]) == 1 ? ROLE_CONSTANT : ROLE_PLAIN;
  check_fields(m);
  for (uint32_t i = 0; i < invariants->dependent_count; i++)
    if (m->roles[invariants->dependent[i].element] == ROLE_PLAIN)
      m->roles[invariants->dependent[i].element] = ROLE_DEPENDENT;
  for (uint32_t i = 0; i < invariants->by_selector_count; i++) {
    const struct ranges_by_selector *by = &invariants->by_selector[i];
    if (!has_free_selector(m, by))
      continue;
    m->roles[by->selector] = ROLE_GROUPED;
    for (uint32_t j = 0; j < by->element_count; j++)
      if (m->roles[by->elements[j]] == ROLE_PLAIN)
        m->roles[by->elements[j]] = ROLE_GROUPED;
  }
}

/* ---- numbers ------------------------------------------------------------------------------------ */

/* Product; 0 and too_many if it exceeds MAX_KEYS. */
static uint64_t key_product(struct encoding_job *m, uint64_t a, uint64_t b) {
  uint64_t result;
  if (__builtin_mul_overflow(a, b, &result) || result > MAX_KEYS)
    m->too_many = true;
  return m->too_many ? 0 : result;
}

/* Sets the weights from the last digit on; returns the size of the case. */
static uint64_t set_digit_weights(struct encoding_job *m, struct index_digit *digits, uint32_t count) {
  uint64_t size = 1;
  for (uint32_t i = count; i-- > 0;) {
    digits[i].weight = size;
    size = key_product(m, size, digits[i].radix);
  }
  return size;
}

static struct index_digit make_digit(uint32_t element, struct value_interval range) {
  return (struct index_digit){.element = element, .lo = range.lo, .radix = values_of(range)};
}

/* ---- groups ------------------------------------------------------------------------------------- */

static struct index_case make_case(struct encoding_job *m, const struct ranges_by_selector *by,
                                   const struct value_interval *ranges) {
  struct index_digit *digits = arena_array(m->arena, by->element_count, sizeof *digits);
  uint32_t count = 0;
  for (uint32_t i = 0; i < by->element_count; i++) {
    if (values_of(ranges[i]) == 0)
      return (struct index_case){.size = 0};
    if (m->roles[by->elements[i]] == ROLE_GROUPED)
      digits[count++] = make_digit(by->elements[i], ranges[i]);
  }
  return (struct index_case){.size = set_digit_weights(m, digits, count), .digits = digits, .digit_count = count};
}

static void append_group(struct encoding_job *m, struct index_group group) { m->groups[m->group_count++] = group; }

static void add_selector_group(struct encoding_job *m, const struct ranges_by_selector *by) {
  const struct value_interval selected = m->invariants->ranges[by->selector];
  const uint32_t count = (uint32_t)values_of(selected);
  struct index_case *cases = arena_array(m->arena, count, sizeof *cases);
  uint64_t size = 0;
  for (uint32_t i = 0; i < count && !m->too_many; i++) {
    cases[i] = make_case(m, by, by->ranges + (size_t)i * by->element_count);
    cases[i].offset = size;
    size += cases[i].size; /* both are at most 2^63 */
    m->too_many = m->too_many || size > MAX_KEYS;
  }
  append_group(
      m, (struct index_group){
             .selector = by->selector, .selector_lo = selected.lo, .cases = cases, .case_count = count, .size = size});
}

static void add_plain_group(struct encoding_job *m) {
  uint32_t count = 0;
  for (uint32_t e = 0; e < m->model->value_count; e++)
    count += m->roles[e] == ROLE_PLAIN;
  if (count == 0)
    return;
  struct index_digit *digits = arena_array(m->arena, count, sizeof *digits);
  struct index_case *only = arena_alloc(m->arena, sizeof *only);
  count = 0;
  for (uint32_t e = 0; e < m->model->value_count; e++)
    if (m->roles[e] == ROLE_PLAIN)
      digits[count++] = make_digit(e, m->invariants->ranges[e]);
  *only = (struct index_case){.size = set_digit_weights(m, digits, count), .digits = digits, .digit_count = count};
  append_group(m, (struct index_group){.selector = NO_SELECTOR, .cases = only, .case_count = 1, .size = only->size});
}

static uint64_t set_group_weights(struct encoding_job *m) {
  uint64_t keys = 1;
  for (uint32_t i = m->group_count; i-- > 0;) {
    m->groups[i].weight = keys;
    keys = key_product(m, keys, m->groups[i].size);
  }
  return keys;
}

/* ---- for the host ------------------------------------------------------------------------------- */

static void add_places(struct encoding_job *m, const struct variable *variable, const struct field *field,
                       struct index_place *places, uint64_t *state) {
  for (uint32_t i = 0; field->width && i < variable->count; i++) {
    const uint32_t element = variable->first + i;
    const struct index_place place = {.element = element,
                                      .word = field_word(field, i),
                                      .shift = field_shift(field, i),
                                      .lo = variable->lo,
                                      .mask = field->shared ? 1 : ((uint64_t)1 << field->width) - 1,
                                      .factor = field_bits(field, 1)};
    if (m->roles[element] == ROLE_CONSTANT)
      state[place.word] |= (uint64_t)(m->invariants->ranges[element].lo - place.lo) * place.factor << place.shift;
    else
      places[m->encoding->place_count++] = place;
  }
}

static void fill_host_tables(struct encoding_job *m) {
  const struct model *model = m->model;
  struct index_place *places = arena_array(m->arena, model->value_count, sizeof *places);
  uint64_t *state = arena_array(m->arena, m->layout->words, sizeof *state);
  int64_t *values = arena_array(m->arena, model->value_count, sizeof *values);
  for (uint32_t e = 0; e < model->value_count; e++)
    values[e] = m->invariants->ranges[e].lo;
  for (size_t v = 0; v < model->variable_count; v++)
    add_places(m, &model->variables[v], &m->layout->fields[v], places, state);
  m->encoding->value_count = (uint32_t)model->value_count;
  m->encoding->values = values;
  m->encoding->state = state;
  m->encoding->places = places;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static unsigned bit_length(uint64_t key) { return key ? 64 - (unsigned)__builtin_clzll(key) : 1; }

static void make_encoding(void *data) {
  struct encoding_job *m = data;
  find_roles(m);
  m->groups = arena_array(m->arena, m->invariants->by_selector_count + 1, sizeof *m->groups);
  for (uint32_t i = 0; i < m->invariants->by_selector_count && !m->too_many; i++)
    if (has_free_selector(m, &m->invariants->by_selector[i]))
      add_selector_group(m, &m->invariants->by_selector[i]);
  add_plain_group(m);
  const uint64_t keys = set_group_weights(m);
  if (m->too_many || keys == 0)
    return;
  m->encoding = arena_alloc(m->arena, sizeof *m->encoding);
  *m->encoding = (struct encoding){.groups = m->groups,
                                   .group_count = m->group_count,
                                   .invariants = m->invariants,
                                   .keys = keys,
                                   .bits = bit_length(keys - 1)};
  fill_host_tables(m);
}

floe_status encoding_make(const struct model *model, const struct layout *layout, const struct invariants *invariants,
                          struct arena *arena, const struct encoding **out) {
  struct encoding_job m = {.model = model, .layout = layout, .invariants = invariants, .arena = arena};
  if (arena_guard(arena, make_encoding, &m))
    return FLOE_ERROR_MEMORY;
  if (!m.encoding)
    return FLOE_ERROR_UNSUPPORTED;
  *out = m.encoding;
  return FLOE_OK;
}

/* ---- keys --------------------------------------------------------------------------------------- */

static const struct index_case *find_case(const struct index_group *group, const int64_t *values) {
  if (group->selector == NO_SELECTOR)
    return group->cases;
  const uint64_t number = (uint64_t)values[group->selector] - (uint64_t)group->selector_lo;
  return number < group->case_count && group->cases[number].size ? &group->cases[number] : NULL;
}

static bool number_of_case(const struct index_group *group, const int64_t *values, uint64_t *number) {
  const struct index_case *chosen = find_case(group, values);
  if (!chosen)
    return false;
  *number = chosen->offset;
  for (uint32_t i = 0; i < chosen->digit_count; i++) {
    const struct index_digit *digit = &chosen->digits[i];
    const uint64_t above = (uint64_t)values[digit->element] - (uint64_t)digit->lo;
    if (above >= digit->radix)
      return false;
    *number += digit->weight * above;
  }
  return true;
}

/* Elements of index groups are checked with their digits. */
static bool all_in_range(const struct encoding *encoding, const int64_t *values) {
  const struct value_interval *ranges = encoding->invariants->ranges;
  for (uint32_t e = 0; e < encoding->value_count; e++)
    if (values[e] < ranges[e].lo || values[e] > ranges[e].hi)
      return false;
  return true;
}

bool encoding_encode(const struct encoding *encoding, const int64_t *values, uint64_t *key) {
  const struct invariants *invariants = encoding->invariants;
  uint64_t sum = 0;
  if (!all_in_range(encoding, values))
    return false;
  for (uint32_t i = 0; i < invariants->dependent_count; i++)
    if (values[invariants->dependent[i].element] != invariants_value(invariants, &invariants->dependent[i], values))
      return false;
  for (uint32_t i = 0; i < encoding->group_count; i++) {
    uint64_t number;
    if (!number_of_case(&encoding->groups[i], values, &number))
      return false;
    sum += encoding->groups[i].weight * number;
  }
  assert(sum < encoding->keys);
  *key = sum;
  return true;
}

/* The last case that begins at or before `number`; cases of size 0 begin where the next one does. */
static uint32_t case_at(const struct index_group *group, uint64_t number) {
  uint32_t first = 0, end = group->case_count;
  while (end - first > 1) {
    const uint32_t middle = first + (end - first) / 2;
    if (group->cases[middle].offset <= number)
      first = middle;
    else
      end = middle;
  }
  while (first > 0 && group->cases[first].size == 0)
    first--;
  return first;
}

static void decode_group(const struct index_group *group, uint64_t number, int64_t *values) {
  const uint32_t at = case_at(group, number);
  const struct index_case *chosen = &group->cases[at];
  if (group->selector != NO_SELECTOR)
    values[group->selector] = group->selector_lo + (int64_t)at;
  uint64_t rest = number - chosen->offset;
  for (uint32_t i = 0; i < chosen->digit_count; i++) {
    const struct index_digit *digit = &chosen->digits[i];
    const uint64_t above = digit->radix == 1 ? 0 : rest / digit->weight;
    rest -= above * digit->weight;
    values[digit->element] = digit->lo + (int64_t)(above < digit->radix ? above : digit->radix - 1);
  }
}

void encoding_decode(const struct encoding *encoding, uint64_t key, int64_t *values) {
  const struct invariants *invariants = encoding->invariants;
  memcpy(values, encoding->values, encoding->value_count * sizeof *values);
  for (uint32_t i = 0; i < encoding->group_count; i++) {
    const uint64_t number = key / encoding->groups[i].weight;
    key -= number * encoding->groups[i].weight;
    decode_group(&encoding->groups[i], number, values);
  }
  for (uint32_t i = 0; i < invariants->dependent_count; i++)
    values[invariants->dependent[i].element] = invariants_value(invariants, &invariants->dependent[i], values);
}
