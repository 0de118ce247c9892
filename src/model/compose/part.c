#include "model/compose/part.h"

/* ---- lowering ------------------------------------------------------------------------ */

bool part_is_empty(const struct part *part) {
  for (size_t i = 0; i < part->select_count; i++)
    if (part->selects[i].lo > part->selects[i].hi)
      return true;
  return false;
}

static struct part *part_new(struct compose *c, const struct instance_edge *edge, const struct part_request *request) {
  struct part *part = arena_alloc(c->build->arena, sizeof *part);
  part->base = request->base;
  if (!c->operations->lower(c, edge, request, part))
    return NULL;
  part->never = part_is_empty(part) || is_constant_false(part->guard);
  return part;
}

const struct part *part_get(struct compose *c, struct instance_edge *edge, uint32_t base) {
  for (struct part *part = edge->parts; part; part = part->next)
    if (part->base == base || !part->select_count)
      return part;
  struct part *part = part_new(c, edge, &(struct part_request){.base = base});
  if (part) {
    part->next = edge->parts;
    edge->parts = part;
  }
  return part;
}

const struct part *part_chosen(struct compose *c, const struct instance_edge *edge, const int64_t *chosen) {
  return part_new(c, edge, &(struct part_request){.chosen = chosen});
}

const struct part *part_receiving(struct compose *c, struct instance_edge *edge, const struct part_request *request) {
  if (edge->written->reads_message)
    return part_new(c, edge, request);
  return request->chosen ? part_chosen(c, edge, request->chosen) : part_get(c, edge, request->base);
}

/* ---- choices ------------------------------------------------------------------------- */

int64_t *choice_first(struct compose *c, const struct part *part) {
  int64_t *chosen = arena_array(c->build->arena, part->select_count, sizeof *chosen);
  for (size_t i = 0; i < part->select_count; i++)
    chosen[i] = part->selects[i].lo;
  return chosen;
}

bool choice_next(const struct part *part, int64_t *chosen) {
  for (size_t i = part->select_count; i-- > 0;) {
    if (chosen[i]++ < part->selects[i].hi)
      return true;
    chosen[i] = part->selects[i].lo;
  }
  return false;
}

/* ---- edges --------------------------------------------------------------------------- */

const struct channel *channel_of(const struct compose *c, const struct compose_edge *edge) {
  return &c->build->model->channels[edge->channel];
}

bool leaves(const struct compose_edge *edge, uint32_t from) {
  for (size_t k = 0; k < edge->from_count; k++)
    if (edge->from[k] == from)
      return true;
  return false;
}

bool is_same_instance(const struct instance_edge *a, const struct instance_edge *b) {
  return a->process == b->process && a->instance == b->instance;
}

bool is_committed(const struct instance_edge *edge, uint32_t from) {
  return edge->process->process->locations[from].committed;
}

const struct expr *is_at(struct compose *c, source_at at, const struct process *process, uint32_t instance,
                         uint32_t location) {
  const struct expr *here = build_read(c->build, at, process->location_variable, build_const(c->build, instance));
  return build_binary(c->build, EXPR_EQ, at, here, build_const(c->build, location));
}
