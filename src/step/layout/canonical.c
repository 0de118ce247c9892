#include "step/layout/canonical.h"

#include "step/layout/instances.h"

#include <string.h>

/* ---- the interpreter's copy of the shared text ------------------------------------------------------ */

#define FLOE_SYMMETRY(name) (tables->name)
#define FLOE_SYMMETRY_PARAMETER const struct canonical_tables *tables,
#define FLOE_SYMMETRY_ARGUMENT tables,
#define FLOE_SYMMETRY_INSTANCES CANONICAL_INSTANCES
#define FLOE_SYMMETRY_SETS CANONICAL_INSTANCES
#define FLOE_SYMMETRY_WORDS CANONICAL_WORDS
#define FLOE_SYMMETRY_FUNCTION static inline
#define FLOE_SYMMETRY_INLINE static inline
#define FLOE_SYMMETRY_ENTRY static
#define FLOE_SYMMETRY_EACH(X)                                                                                          \
  for (uint32_t number = 0; number < tables->elements; number++)                                                       \
  X(number)
#define FLOE_SYMMETRY_EACH_INSTANCE(X)                                                                                 \
  for (uint32_t number = 0; number < tables->set_begin[tables->named_sets]; number++) {                                \
    X(number)                                                                                                          \
  }
#define FLOE_SYMMETRY_EACH_EXCHANGE(X)                                                                                 \
  for (uint32_t set = 0; set < tables->named_sets; set++)                                                              \
    for (uint32_t least = tables->set_begin[set]; least < tables->set_begin[set + 1]; least++)                         \
      for (uint32_t other = least + 1; other < tables->set_begin[set + 1]; other++) {                                  \
        X(least, other)                                                                                                \
      }
#include "step/kernel/canonical.h"

_Static_assert(CANONICAL_DIMENSIONS == FLOE_SYMMETRY_DIMENSIONS, "the tables have the text's dimensions");

void canonical_form(const struct canonical_tables *tables, uint64_t *state) { floe_canonical(tables, state); }

/* ---- tables --------------------------------------------------------------------------------------- */

struct making {
  const struct model *model;
  const struct symmetry *symmetry;
  const struct layout *layout;
  struct arena *arena;
  struct canonical_tables tables;
  uint64_t *fixed;
  uint32_t *place, *base, *family, *sign_shift, *relation_shift;
  unsigned char *instance;
  uint32_t *width, *dimensions, *stride, *part_begin, *origin, *per_word, *bit_stride, *words_of;
  uint32_t *part_value, *part_size, *part_instance;
};

static bool refers(const struct model *model, uint32_t v) {
  const struct symmetric_variable *symmetric = &model->symmetry->variables[v];
  for (uint32_t d = 0; symmetric->dimensions && d < variable_dimensions(&model->variables[v]); d++)
    if (symmetric->dimensions[d].count)
      return true;
  return symmetric->values.count > 0 || symmetric->owners.count > 0;
}

/* Elements of variables that have bits and refer to instances. */
static uint64_t count_elements(const struct making *m) {
  uint64_t count = 0;
  for (uint32_t v = 0; v < m->model->variable_count; v++)
    if (m->layout->fields[v].width && refers(m->model, v))
      count += m->model->variables[v].count;
  return count;
}

/* The part that holds the number; NULL: none. */
static const struct symmetric_part *part_of(const struct making *m, const struct symmetric_range *range,
                                            uint32_t number) {
  for (size_t i = 0; i < range->count; i++)
    if (number >= range->parts[i].first && number - range->parts[i].first < m->symmetry->sets[range->parts[i].set].size)
      return &range->parts[i];
  return NULL;
}

/* Instances as indices of an element. */
struct indices {
  uint32_t count, instance[CANONICAL_DIMENSIONS], stride[CANONICAL_DIMENSIONS], offset;
};

/* Of an index; `before`: the number of the indices before it. False: there are too many. */
static bool add_index(const struct making *m, const struct symmetric_range *range, uint32_t index, uint32_t before,
                      uint32_t stride, struct indices *out) {
  const struct symmetric_part *part = part_of(m, range, index);
  if (!part)
    return true;
  if (out->count == CANONICAL_DIMENSIONS)
    return false;
  out->instance[out->count] = m->tables.set_begin[part->set + (part->nested ? before : 0)] + index - part->first;
  out->stride[out->count++] = stride;
  out->offset += stride * (index - part->first);
  return true;
}

static bool indices_of(const struct making *m, uint32_t v, uint32_t element, struct indices *out) {
  const struct variable *variable = &m->model->variables[v];
  const struct symmetric_variable *symmetric = &m->symmetry->variables[v];
  uint32_t stride = 1;
  *out = (struct indices){0};
  for (uint32_t d = variable_dimensions(variable); symmetric->dimensions && d-- > 0;) {
    const uint32_t size = variable->dimensions ? variable->dimensions[d].size : variable->length;
    if (!add_index(m, &symmetric->dimensions[d], element / stride % size, element / stride / size, stride, out))
      return false;
    stride *= size;
  }
  const uint32_t length = variable->length;
  return add_index(m, &symmetric->owners, element / length, 0, length, out);
}

/* The family of the variable, whose first element and family are `origin` and `first`, that has these strides; a new
   one if there is none. */
static uint32_t family_of(struct making *m, uint32_t v, uint32_t width, uint32_t origin, uint32_t first,
                          const struct indices *indices) {
  const struct symmetric_range *values = &m->symmetry->variables[v].values;
  const struct field *field = &m->layout->fields[v];
  uint32_t f = first;
  for (; f < m->tables.families; f++)
    if (m->dimensions[f] == indices->count &&
        memcmp(m->stride + f * CANONICAL_DIMENSIONS, indices->stride, sizeof indices->stride) == 0)
      return f;
  m->tables.families++;
  m->width[f] = width;
  m->dimensions[f] = indices->count;
  m->origin[f] = origin;
  m->per_word[f] = field->per_word;
  m->bit_stride[f] = field->stride;
  m->words_of[f] = (m->model->variables[v].count + field->per_word - 1) / field->per_word;
  memcpy(m->stride + f * CANONICAL_DIMENSIONS, indices->stride, sizeof indices->stride);
  for (size_t i = 0; i < values->count; i++) {
    const uint32_t part = m->tables.parts++;
    m->part_value[part] = values->parts[i].first;
    m->part_size[part] = m->symmetry->sets[values->parts[i].set].size;
    m->part_instance[part] = m->tables.set_begin[values->parts[i].set];
  }
  m->part_begin[f + 1] = m->tables.parts;
  return f;
}

/* Variable v and those that follow it in each instance: `width` bits. */
static bool add_variables(struct making *m, uint32_t v, uint32_t width) {
  const struct field *field = &m->layout->fields[v];
  const uint32_t first = m->tables.elements, families = m->tables.families;
  for (uint32_t i = 0; i < m->model->variables[v].count; i++) {
    struct indices indices;
    const uint32_t e = first + i, word = field_word(field, i), shift = field_shift(field, i);
    if (!indices_of(m, v, i, &indices))
      return false;
    m->place[e] = word * 64 + shift;
    m->base[e] = e - indices.offset;
    m->family[e] = family_of(m, v, width, first, families, &indices);
    for (uint32_t d = 0; d < CANONICAL_DIMENSIONS; d++)
      m->instance[e * CANONICAL_DIMENSIONS + d] = (unsigned char)indices.instance[d];
    m->fixed[word] &= ~((((uint64_t)1 << width) - 1) << shift);
    m->tables.elements++;
  }
  return true;
}

/* Variable b has, in each instance, the bits after those of a. */
static bool is_next(const struct making *m, uint32_t a, uint32_t b) {
  const struct field *x = &m->layout->fields[a], *y = &m->layout->fields[b];
  const uint32_t set = variable_instance_set(m->model, a);
  return set != NO_INSTANCE_SET && set == variable_instance_set(m->model, b) && variable_is_plain(m->model, a) &&
         variable_is_plain(m->model, b) && x->word == y->word && x->per_word == y->per_word && x->stride == y->stride &&
         x->shift + x->width == y->shift && y->width;
}

static bool follows_another(const struct making *m, uint32_t v) {
  for (uint32_t u = 0; u < m->model->variable_count; u++)
    if (m->layout->fields[u].width && is_next(m, u, v))
      return true;
  return false;
}

/* The variable after v, or variable_count. */
static uint32_t next_of(const struct making *m, uint32_t v) {
  uint32_t next = 0;
  while (next < m->model->variable_count && !is_next(m, v, next))
    next++;
  return next;
}

/* Adds v and those that follow it, as many together as a signature has room for. */
static bool add_run(struct making *m, uint32_t v) {
  uint32_t width = m->layout->fields[v].width;
  for (uint32_t next = next_of(m, v); next < m->model->variable_count; next = next_of(m, next)) {
    if (width + m->layout->fields[next].width > CANONICAL_SIGNATURE) {
      if (!add_variables(m, v, width))
        return false;
      v = next;
      width = 0;
    }
    width += m->layout->fields[next].width;
  }
  return add_variables(m, v, width);
}

static void set_instances(struct making *m) {
  uint32_t *begin = arena_array(m->arena, m->symmetry->set_count + 1, sizeof *begin);
  for (size_t s = 0; s < m->symmetry->set_count; s++)
    begin[s + 1] = begin[s] + m->symmetry->sets[s].size;
  m->tables.set_begin = begin;
  uint32_t *of = arena_array(m->arena, begin[m->symmetry->set_count] + 1, sizeof *of);
  for (uint32_t s = 0; s < m->symmetry->set_count; s++)
    for (uint32_t i = begin[s]; i < begin[s + 1]; i++)
      of[i] = s;
  m->tables.instance_set = of;
  uint32_t *color = arena_array(m->arena, m->symmetry->set_count + 1, sizeof *color);
  for (uint32_t s = 0; s < m->symmetry->set_count; s++)
    color[s] = m->symmetry->sets[s].places ? m->symmetry->sets[s].places + (uint32_t)m->symmetry->set_count : s;
  m->tables.set_color = color;
  m->tables.named_sets = symmetry_named_sets(m->symmetry);
  m->tables.sets = (uint32_t)m->symmetry->set_count;
  m->tables.instances = begin[m->symmetry->set_count];
  m->tables.words = m->layout->words;
}

/* Families: at most as many as elements; parts: of each as many as its variable has. */
static void allocate(struct making *m, size_t elements) {
  size_t parts = 0;
  for (uint32_t v = 0; v < m->model->variable_count; v++)
    parts += m->symmetry->variables[v].values.count * (size_t)m->model->variables[v].count;
  m->fixed = arena_array(m->arena, m->layout->words, sizeof *m->fixed);
  memset(m->fixed, 0xff, m->layout->words * sizeof *m->fixed);
  uint32_t **const of_elements[] = {&m->place,      &m->base,       &m->family,         &m->width,
                                    &m->dimensions, &m->part_begin, &m->origin,         &m->per_word,
                                    &m->words_of,   &m->sign_shift, &m->relation_shift, &m->bit_stride};
  for (size_t i = 0; i < sizeof of_elements / sizeof *of_elements; i++)
    *of_elements[i] = arena_array(m->arena, elements + 1, sizeof **of_elements[i]);
  m->stride = arena_array(m->arena, (elements + 1) * CANONICAL_DIMENSIONS, sizeof *m->stride);
  m->instance = arena_array(m->arena, (elements + 1) * CANONICAL_DIMENSIONS, sizeof *m->instance);
  uint32_t **const of_parts[] = {&m->part_value, &m->part_size, &m->part_instance};
  for (size_t i = 0; i < sizeof of_parts / sizeof *of_parts; i++)
    *of_parts[i] = arena_array(m->arena, parts + 1, sizeof **of_parts[i]);
}

/* Elements of the instances of sets without names. */
static void add_own(struct making *m) {
  const uint32_t named = m->tables.set_begin[m->tables.named_sets], instances = m->tables.instances;
  const size_t most = (size_t)m->tables.elements * CANONICAL_DIMENSIONS;
  uint32_t *begin = arena_array(m->arena, instances + 2, sizeof *begin), n = 0;
  uint32_t *own = arena_array(m->arena, most + 1, sizeof *own);
  uint32_t *stride = arena_array(m->arena, most + 1, sizeof *stride);
  for (uint32_t i = 0; i < instances; i++) {
    begin[i] = n;
    for (uint32_t e = 0; i >= named && e < m->tables.elements; e++)
      for (uint32_t d = 0; d < m->dimensions[m->family[e]]; d++)
        if (m->instance[e * CANONICAL_DIMENSIONS + d] == i) {
          own[n] = e;
          stride[n++] = m->stride[m->family[e] * CANONICAL_DIMENSIONS + d];
        }
  }
  begin[instances] = n;
  m->tables.own_begin = begin;
  m->tables.own = own;
  m->tables.own_stride = stride;
}

/* Most bits that a signature has so far, of the instances that are values of the family. */
static uint32_t most_bits(const struct making *m, uint32_t family, const uint32_t *sign) {
  uint32_t most = 0;
  for (uint32_t p = m->part_begin[family]; p < m->part_begin[family + 1]; p++)
    most = sign[m->part_instance[p]] > most ? sign[m->part_instance[p]] : most;
  return most;
}

/* The places of the elements in signatures and relations, of one instance of each set after the other. */
static void fit_signatures(struct making *m, struct canonical_tables *tables) {
  uint32_t bits = 0;
  uint32_t *sign = arena_array(m->arena, m->tables.instances + 1, sizeof *sign);
  uint32_t *relation = arena_array(m->arena, m->tables.instances + 1, sizeof *relation);
  for (uint32_t e = 0; e < m->tables.elements; e++) {
    const uint32_t f = m->family[e], parts = m->part_begin[f + 1] - m->part_begin[f];
    if (m->dimensions[f] == 1) {
      const uint32_t own = m->instance[e * CANONICAL_DIMENSIONS];
      m->sign_shift[e] = sign[own];
      m->relation_shift[e] = relation[own];
      sign[own] += m->width[f] + (parts > 0);
      relation[own] += parts ? m->width[f] + floe_symmetry_reflexive(tables, f, own) : 0;
    } else if (m->dimensions[f] == 0) {
      m->sign_shift[e] = most_bits(m, f, sign);
      for (uint32_t p = m->part_begin[f]; p < m->part_begin[f + 1]; p++)
        for (uint32_t i = 0; i < m->part_size[p]; i++)
          sign[m->part_instance[p] + i] = m->sign_shift[e] + parts;
    }
  }
  for (uint32_t i = 0; i < m->tables.set_begin[m->tables.named_sets]; i++) {
    bits = sign[i] > bits ? sign[i] : bits;
    tables->relation_bits = relation[i] > tables->relation_bits ? relation[i] : tables->relation_bits;
  }
  tables->exact = bits <= CANONICAL_SIGNATURE;
  tables->packed = bits + tables->relation_bits <= CANONICAL_SIGNATURE;
}

static const char *exceeded(const struct making *m) {
  if (symmetry_instances(m->symmetry) > CANONICAL_INSTANCES)
    return arena_printf(m->arena, "the symmetric types have more than %d values", CANONICAL_INSTANCES);
  if (symmetry_permutations(m->symmetry) > CANONICAL_ORDERS)
    return "the values of the symmetric types have more than 10! permutations";
  if (m->layout->words > CANONICAL_WORDS)
    return arena_printf(m->arena, "a state takes more than %d words of 64 bits", CANONICAL_WORDS);
  if (count_elements(m) > CANONICAL_ELEMENTS)
    return arena_printf(m->arena, "more than %d elements of the state refer to symmetric types", CANONICAL_ELEMENTS);
  return NULL;
}

void canonical_tables_make(const struct model *model, const struct layout *layout, struct arena *arena,
                           const struct canonical_tables **out, const char **why) {
  struct making m = {.model = model, .symmetry = model->symmetry, .layout = layout, .arena = arena};
  *out = NULL;
  *why = exceeded(&m);
  if (*why)
    return;
  set_instances(&m);
  allocate(&m, (size_t)count_elements(&m));
  for (uint32_t v = 0; v < model->variable_count; v++)
    if (layout->fields[v].width && refers(model, v) && !follows_another(&m, v) && !add_run(&m, v)) {
      *why = arena_printf(arena, "'%s' has more than %d indices of symmetric types", model->variables[v].name,
                          CANONICAL_DIMENSIONS);
      return;
    }
  add_own(&m);
  struct canonical_tables *tables = arena_alloc(arena, sizeof *tables);
  *tables = m.tables;
  tables->fixed = m.fixed;
  tables->place = m.place;
  tables->base = m.base;
  tables->family = m.family;
  tables->instance = m.instance;
  tables->width = m.width;
  tables->dimensions = m.dimensions;
  tables->stride = m.stride;
  tables->part_begin = m.part_begin;
  tables->origin = m.origin;
  tables->per_word = m.per_word;
  tables->bit_stride = m.bit_stride;
  tables->words_of = m.words_of;
  tables->sign_shift = m.sign_shift;
  tables->relation_shift = m.relation_shift;
  tables->part_value = m.part_value;
  tables->part_size = m.part_size;
  tables->part_instance = m.part_instance;
  fit_signatures(&m, tables);
  for (uint32_t e = 0; e < tables->elements; e++)
    tables->refers = tables->refers || floe_symmetry_refers(tables, e);
  *out = tables;
}
