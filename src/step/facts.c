#include "step/facts.h"

#include "step/facts_ranges.h"

struct making {
  const struct model *model;
  const struct stop *stop;
  struct arena *arena;
  const struct ranges *ranges;
  struct facts *facts;
  struct facts_by *by;
  size_t by_count, by_cap;
};

static bool is_in(int64_t value, struct facts_range range) { return range.lo <= value && value <= range.hi; }

static bool by_holds(const struct facts *facts, const struct facts_by *by, const int64_t *values) {
  const struct facts_range *ranges =
      by->ranges + (size_t)(values[by->selector] - facts->ranges[by->selector].lo) * by->element_count;
  for (uint32_t i = 0; i < by->element_count; i++)
    if (!is_in(values[by->elements[i]], ranges[i]))
      return false;
  return true;
}

static int64_t determined_value(const struct facts *facts, const struct facts_determined *determined,
                                const int64_t *values) {
  int64_t sum = determined->constant;
  for (uint32_t i = 0; i < determined->term_count; i++) {
    const struct facts_term *term = &determined->terms[i];
    int64_t value = values[term->element];
    sum += term->table ? term->table[value - facts->ranges[term->element].lo] : term->coefficient * value;
  }
  return sum;
}

bool facts_hold(const struct facts *facts, const struct model *model, const int64_t *values) {
  for (uint32_t e = 0; e < model->value_count; e++)
    if (!is_in(values[e], facts->ranges[e]))
      return false;
  for (uint32_t i = 0; i < facts->by_count; i++)
    if (!by_holds(facts, &facts->by[i], values))
      return false;
  for (uint32_t i = 0; i < facts->determined_count; i++)
    if (determined_value(facts, &facts->determined[i], values) != values[facts->determined[i].element])
      return false;
  return true;
}

static double relative_size(struct facts_range part, struct facts_range whole) {
  return (double)range_size(part) / (double)range_size(whole);
}

/* A member pays when it has fewer values in some case than in all. */
static bool member_pays(const struct making *m, uint32_t selector, uint32_t member) {
  const struct ranges_selector *s = &m->ranges->selectors[selector];
  const struct facts_range all = m->ranges->all[s->members[member]];
  for (uint32_t k = 0; k < s->cases; k++) {
    const struct facts_range *cells = ranges_case(m->ranges, selector, s->lo + k);
    if (!range_is_empty(cells[0]) && !(cells[1 + member].lo == all.lo && cells[1 + member].hi == all.hi))
      return true;
  }
  return false;
}

static void add_by(struct making *m, uint32_t selector) {
  const struct ranges_selector *s = &m->ranges->selectors[selector];
  const struct facts_range values = m->ranges->all[s->element];
  uint32_t *elements = arena_array(m->arena, s->member_count, sizeof *elements);
  uint32_t *members = arena_array(m->arena, s->member_count, sizeof *members), count = 0;
  for (uint32_t i = 0; i < s->member_count; i++)
    if (member_pays(m, selector, i)) {
      members[count] = i;
      elements[count++] = s->members[i];
    }
  if (!count)
    return;
  struct facts_range *ranges = arena_array(m->arena, range_size(values) * count, sizeof *ranges);
  double sizes = 0;
  for (int64_t value = values.lo; value <= values.hi; value++) {
    const struct facts_range *cells = ranges_case(m->ranges, selector, value);
    double size = range_is_empty(cells[0]) ? 0 : 1;
    for (uint32_t i = 0; i < count; i++) {
      struct facts_range range = range_is_empty(cells[0]) ? cells[0] : cells[1 + members[i]];
      ranges[(size_t)(value - values.lo) * count + i] = range;
      size *= relative_size(range, m->ranges->all[elements[i]]);
    }
    sizes += size;
  }
  if (sizes < (double)range_size(values) * (1 - 1e-9))
    *ARENA_PUSH(m->arena, m->by, m->by_count, m->by_cap) = (struct facts_by){s->element, elements, count, ranges};
}

static void make(void *data) {
  struct making *m = data;
  m->ranges = ranges_make(m->model, m->stop, m->arena);
  m->facts = arena_alloc(m->arena, sizeof *m->facts);
  for (uint32_t k = 0; k < m->ranges->selector_count; k++)
    add_by(m, k);
  *m->facts = (struct facts){.ranges = m->ranges->all, .by = m->by, .by_count = (uint32_t)m->by_count};
}

floe_status facts_make(const struct model *model, const struct stop *stop, struct arena *arena,
                       const struct facts **out) {
  struct making making = {.model = model, .stop = stop, .arena = arena};
  if (arena_guard(arena, make, &making))
    return FLOE_ERROR_MEMORY;
  *out = making.facts;
  return FLOE_OK;
}
