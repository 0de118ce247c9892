/* Invariants of ground models. Languages must establish them; engines and the code generator rely on them. */
#include "base/utf8.h"
#include "core/mem.h"
#include "model/process.h"
#include "model/property_kind.h"

/* Names are printed as they are. */
static bool is_name(const char *name) {
  if (!name || !*name)
    return false;
  while (*name && !utf8_control(name))
    name++;
  return !*name;
}

static bool variable_is_sound(const struct variable *v, uint64_t first) {
  if (!is_name(v->name) || v->first != first || !v->length || v->count % v->length != 0 || v->lo > v->hi || !v->init)
    return false;
  for (uint32_t i = 0; i < v->count; i++)
    if (v->init[i] < v->lo || v->hi < v->init[i])
      return false;
  return true;
}

static bool variables_are_sound(const struct model *model) {
  uint64_t first = 0;
  for (size_t i = 0; i < model->variable_count; i++) {
    if (!variable_is_sound(&model->variables[i], first))
      return false;
    first += model->variables[i].count;
  }
  return first == model->value_count;
}

static bool process_is_sound(const struct model *model, uint32_t number) {
  const struct process *p = &model->processes[number];
  if (!is_name(p->name) || p->location_variable >= model->variable_count)
    return false;
  for (size_t i = 0; i < p->location_count; i++)
    if (!is_name(p->locations[i].name))
      return false;
  const struct variable *v = &model->variables[p->location_variable];
  return v->kind == VARIABLE_LOCATION && v->owner == number && v->count == p->instances && v->lo == 0 &&
         v->hi < (int64_t)p->location_count;
}

static bool processes_are_sound(const struct model *model) {
  for (uint32_t i = 0; i < model->process_count; i++)
    if (!process_is_sound(model, i))
      return false;
  return true;
}

static bool process_exists(const struct model *model, uint32_t number, uint32_t instance) {
  return (number == NO_PROCESS || number < model->process_count) && instance < process_of(model, number)->instances;
}

/* Without a process it has a name. */
static bool belongs_to_nothing(const struct edge *edge) {
  return edge->label[0] && !edge->channel && edge->location_count == 1 && edge->locations[0] == 0;
}

static bool edges_are_sound(const struct model *model) {
  for (size_t i = 0; i < model->edge_count; i++) {
    const struct edge *edge = &model->edges[i];
    if (!process_exists(model, edge->process, 0) || !edge->label || !edge->from || !edge->to || !edge->locations ||
        !edge->instances || (edge->process == NO_PROCESS && !belongs_to_nothing(edge)))
      return false;
  }
  return true;
}

static bool is_at_initiator(const struct model *model, const struct initiator_transitions *initiator,
                            const struct location_test *test) {
  return test->variable == model->processes[initiator->process].location_variable &&
         test->element == initiator->instance;
}

static bool transition_is_sound(const struct model *model, const struct transition *t) {
  const struct initiator_transitions *initiator = &model->initiators[t->initiator];
  if (!t->participant_count || t->participants[0].process != initiator->process ||
      t->participants[0].instance != initiator->instance)
    return false;
  for (size_t i = 0; i < t->participant_count; i++)
    if (t->participants[i].edge >= model->edge_count ||
        model->edges[t->participants[i].edge].process != t->participants[i].process)
      return false;
  if (initiator->process == NO_PROCESS)
    return t->participant_count == 1;
  if (initiator->located)
    return t->test_count > 0 && is_at_initiator(model, initiator, &t->tests[0]);
  for (size_t i = 0; i < t->test_count; i++)
    if (is_at_initiator(model, initiator, &t->tests[i]))
      return false;
  return true;
}

/* The initiators' transitions are all transitions, in order. */
static bool initiators_are_sound(const struct model *model) {
  size_t end = 0;
  for (size_t g = 0; g < model->initiator_count; g++) {
    const struct initiator_transitions *initiator = &model->initiators[g];
    if (initiator->first != end || initiator->end <= initiator->first || initiator->end > model->transition_count ||
        !process_exists(model, initiator->process, initiator->instance) ||
        (initiator->process == NO_PROCESS && initiator->located))
      return false;
    end = initiator->end;
    for (size_t t = initiator->first; t < end; t++)
      if (model->transitions[t].initiator != g || !transition_is_sound(model, &model->transitions[t]))
        return false;
  }
  return end == model->transition_count;
}

static bool properties_are_sound(const struct model *model) {
  size_t n = model->property_count;
  if (n == 0 || n > MODEL_MAX_PROPERTIES + 2 || model->properties[n - 1].kind != FLOE_ERRORS)
    return false;
  for (size_t i = 0; i + 1 < n; i++) {
    const struct property *p = &model->properties[i];
    const struct property_kind *kind = &property_kinds[p->kind];
    if (!is_name(p->id) || !p->text || p->kind == FLOE_ERRORS || (kind->written && !p->expr) ||
        kind->temporal != (p->temporal != NULL))
      return false;
  }
  return true;
}

/* ---- exclusive sets ------------------------------------------------------------------------------- */

struct exclusive_check {
  const struct model *model;
  uint32_t *assigned; /* [variable] transition + 1 that assigned it last; NOT_EXCLUSIVE */
};
#define NOT_EXCLUSIVE UINT32_MAX

static bool set_is_sound(struct exclusive_check *c, const struct exclusive_set *set) {
  int64_t sum = 0;
  for (size_t i = 0; i < set->count; i++) {
    const uint32_t number = set->variables[i];
    if (number >= c->model->variable_count || (i > 0 && number <= set->variables[i - 1]) ||
        c->assigned[number] != NOT_EXCLUSIVE)
      return false;
    const struct variable *v = &c->model->variables[number];
    if (v->kind != VARIABLE_GLOBAL || v->count != 1 || v->lo != 0 || v->hi != 1 || !v->assigned)
      return false;
    sum += v->init[0];
    c->assigned[number] = 0;
  }
  return set->count >= 2 && (set->one ? sum == 1 : sum <= 1);
}

static bool assigns_once(struct exclusive_check *c, uint32_t transition, const struct statement *list, size_t count,
                         bool inner) {
  for (size_t i = 0; i < count; i++) {
    uint32_t *const last = list[i].op == ST_ASSIGN ? &c->assigned[list[i].id] : NULL;
    if (last && *last != NOT_EXCLUSIVE) {
      if (inner || *last == transition + 1 || list[i].value->op != EXPR_CONST)
        return false;
      *last = transition + 1;
    }
    if (!assigns_once(c, transition, list[i].then, statement_inner_count(&list[i]), true))
      return false;
  }
  return true;
}

static bool exclusive_sets_are_sound(const struct model *model) {
  if (!model->exclusive_count)
    return true;
  struct exclusive_check c = {model, mem_array(model->variable_count, sizeof *c.assigned)};
  bool sound = true;
  if (!c.assigned)
    return true; /* not checked without memory */
  for (size_t v = 0; v < model->variable_count; v++)
    c.assigned[v] = NOT_EXCLUSIVE;
  for (size_t i = 0; sound && i < model->exclusive_count; i++)
    sound = set_is_sound(&c, &model->exclusive[i]);
  for (uint32_t t = 0; sound && t < model->transition_count; t++)
    sound = assigns_once(&c, t, model->transitions[t].statements, model->transitions[t].statement_count, false);
  mem_free(c.assigned);
  return sound;
}

static bool transient_is_sound(const struct model *model) {
  const struct transient *transient = model->transient;
  if (!transient)
    return true;
  const struct variable *v =
      transient->variable < model->variable_count ? &model->variables[transient->variable] : NULL;
  if (!v || v->kind != VARIABLE_GLOBAL || v->count != 1 || v->lo != 0 || v->hi < 1 || !v->assigned || v->values ||
      v->init[0] != 0 || transient->exceeded >= model->site_count)
    return false;
  for (int64_t i = 0; i < v->hi; i++) {
    const struct holder *holder = &transient->holders[i];
    if (holder->blocked != NO_SITE && holder->blocked >= model->site_count)
      return false;
    if (holder->initiator != NO_INITIATOR && (holder->initiator >= model->initiator_count ||
                                              model->transitions[model->initiators[holder->initiator].first].otherwise))
      return false;
  }
  return true;
}

const char *model_flaw(const struct model *model) {
  return !model->name || !model->description || !model->source || !model->notation ? "what it is called"
         : !variables_are_sound(model)                                             ? "variables"
         : !processes_are_sound(model)                                             ? "processes"
         : !edges_are_sound(model)                                                 ? "transitions as written"
         : !initiators_are_sound(model)                                            ? "transitions of an initiator"
         : !properties_are_sound(model)                                            ? "properties"
         : !exclusive_sets_are_sound(model)                                        ? "exclusive sets"
         : !transient_is_sound(model)                                              ? "transient states"
                                                                                   : NULL;
}
