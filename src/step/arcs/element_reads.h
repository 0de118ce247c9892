/* Elements of a state that expressions read: only these are decoded to evaluate them. */
#ifndef FLOE_STEP_ARCS_ELEMENT_READS_H
#define FLOE_STEP_ARCS_ELEMENT_READS_H

#include "step/layout/layout.h"

struct read_element {
  uint32_t value, word, shift;
  uint64_t mask; /* 0: the element is constant */
  int64_t lo;
  const struct field *field;
};

struct element_reads {
  const struct read_element *list;
  size_t count;
};

/* Of the n expressions; NULL is none. Memory from `arena`, whose guard is active. */
void element_reads_make(const struct model *model, const struct layout *layout, const struct expr *const *exprs,
                        size_t n, struct arena *arena, struct element_reads *out);

/* values: [model->value_count]; the others are left. */
static inline void element_reads_decode(const struct element_reads *reads, const uint64_t *state, int64_t *values) {
  for (size_t i = 0; i < reads->count; i++) {
    const struct read_element *e = &reads->list[i];
    values[e->value] = e->lo + (int64_t)field_value(e->field, state[e->word] >> e->shift & e->mask);
  }
}

#endif
