#include "step/arcs/element_reads.h"

struct reads {
  const struct model *model;
  bool *read; /* [model->value_count] */
  bool all;
};

static void note_variable(struct reads *reads, const struct expr *e) {
  const struct variable *v = &reads->model->variables[e->id];
  const bool known = !e->a || e->a->op == EXPR_CONST;
  const uint32_t only = e->a && known ? (uint32_t)e->a->value : 0;
  for (uint32_t i = 0; i < v->count; i++)
    reads->read[v->first + i] |= !known || i == only;
}

static void note_reads(struct reads *reads, const struct expr *e) {
  if (!e)
    return;
  if (e->op == EXPR_READ)
    note_variable(reads, e);
  reads->all |= e->op == EXPR_COMMITTED || e->op == EXPR_AUTOMATON || e->op == EXPR_ENABLED;
  note_reads(reads, e->a);
  note_reads(reads, e->b);
  note_reads(reads, e->c);
}

static struct read_element element_of(const struct variable *v, const struct field *f, uint32_t i) {
  if (!f->width)
    return (struct read_element){.value = v->first + i, .lo = v->assigned ? v->lo : v->init[i], .field = f};
  return (struct read_element){
      v->first + i, field_word(f, i), field_shift(f, i), ((uint64_t)1 << f->width) - 1, v->lo, f};
}

void element_reads_make(const struct model *model, const struct layout *layout, const struct expr *const *exprs,
                        size_t n, struct arena *arena, struct element_reads *out) {
  struct reads reads = {model, arena_array(arena, model->value_count, sizeof *reads.read), false};
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    note_reads(&reads, exprs[i]);
  for (size_t i = 0; i < model->value_count; i++)
    count += reads.all || reads.read[i];
  struct read_element *list = arena_array(arena, count, sizeof *list);
  *out = (struct element_reads){.list = list};
  for (size_t v = 0; v < model->variable_count; v++)
    for (uint32_t i = 0; i < model->variables[v].count; i++)
      if (reads.all || reads.read[model->variables[v].first + i])
        list[out->count++] = element_of(&model->variables[v], &layout->fields[v], i);
}
