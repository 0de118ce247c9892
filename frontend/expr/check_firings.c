#include "frontend/expr/check_firings.h"

#include "core/similar_names.h"
#include "frontend/expr/check_names.h"
#include "frontend/expr/check_place.h"
#include "model/transition_set.h"

#include <string.h>

/* ---- labels ---------------------------------------------------------------------------------- */

struct labels {
  const char **items;
  size_t n, cap;
};

static void add_labels(struct check *c, const struct syntax_process *process, struct labels *labels) {
  for (size_t i = 0; i < process->transition_count; i++)
    if (process->transitions[i].label[0])
      *ARENA_PUSH(c->build.arena, labels->items, labels->n, labels->cap) = process->transitions[i].label;
}

/* Those of the process; NULL: of all. */
static struct labels labels_of(struct check *c, const struct template *process) {
  struct labels labels = {0};
  for (size_t i = 0; i < c->syntax->process_count; i++)
    if (!process || process->id == i)
      add_labels(c, &c->syntax->processes[i], &labels);
  return labels;
}

static bool contains(const struct labels *labels, const char *name) {
  for (size_t i = 0; i < labels->n; i++)
    if (strcmp(labels->items[i], name) == 0)
      return true;
  return false;
}

static const char *suggestion(struct check *c, const char *name, struct labels *labels) {
  const char *nearest = most_similar_name(name, labels->items, labels->n);
  return nearest ? suggestion_text(c, nearest) : NULL;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static const char *operator_name(const struct syntax_expr *e) { return e->op == SYN_ENABLED ? "enabled" : "taken"; }

/* A define of the operator's name would look the same. */
static bool operator_is_free(struct scope *s, const struct syntax_expr *e) {
  const struct symbol *symbol = names_find(&s->check->globals, operator_name(e));
  if (!symbol || !(symbol->kind & (SYMBOL_DEFINE | SYMBOL_FUNCTION)))
    return true;
  CHECK_ERROR(s->check, e->at, "choose another name for the declaration",
              "'%s' is %s of the model, and an operator of temporal properties", symbol->name,
              symbol_kind_name(symbol->kind));
  return false;
}

static bool instance_set(struct scope *s, const struct syntax_expr *e, const struct template **process,
                         struct transition_set *out) {
  const struct expr *instance = NULL;
  struct scope constant = *s;
  constant.constant = true;
  *process = place_instance(&constant, e, &instance);
  if (!*process || !instance)
    return false;
  out->process = (*process)->id;
  out->instance = instance->op == EXPR_CONST ? (uint32_t)instance->value : 0;
  return true;
}

/* The label of transitions of one process. */
static bool member_set(struct scope *s, const struct syntax_expr *e, struct transition_set *out) {
  struct check *c = s->check;
  const struct template *process;
  if (!instance_set(s, e->a, &process, out))
    return false;
  struct labels labels = labels_of(c, process);
  out->label = e->name;
  if (contains(&labels, e->name))
    return true;
  CHECK_ERROR(c, e->name_at, suggestion(c, e->name, &labels), "process '%s' has no transition with the label '%s'",
              process->process->name, e->name);
  return false;
}

static bool name_set(struct scope *s, const struct syntax_expr *e, struct transition_set *out) {
  struct check *c = s->check;
  const struct symbol *symbol = scope_binding(s, e->name) ? NULL : scope_find(s, e->name);
  const bool is_process = symbol && symbol->kind == SYMBOL_PROCESS;
  const struct template *process;
  struct labels labels = labels_of(c, NULL);
  if (is_process && contains(&labels, e->name)) {
    CHECK_ERROR(c, e->at, "rename the label or the process", "'%s' is the name of a process and a label", e->name);
    return false;
  }
  if (is_process)
    return instance_set(s, e, &process, out);
  out->label = e->name;
  if (contains(&labels, e->name) && !scope_binding(s, e->name))
    return true;
  for (size_t i = 0; i < c->syntax->process_count; i++)
    *ARENA_PUSH(c->build.arena, labels.items, labels.n, labels.cap) = c->syntax->processes[i].name;
  CHECK_ERROR(c, e->at, suggestion(c, e->name, &labels), "'%s' is neither a process nor a label", e->name);
  return false;
}

/* NAME or NAME[e] */
static bool is_instance(const struct syntax_expr *e) {
  return e->op == SYN_NAME || (e->op == SYN_INDEX && e->a->op == SYN_NAME);
}

bool firings_set(struct scope *s, const struct syntax_expr *e, struct transition_set *out) {
  *out = (struct transition_set){.process = NO_PROCESS, .edge = NO_EDGE};
  const struct template *process;
  const struct syntax_expr *named = e->a;
  if (!operator_is_free(s, e))
    return false;
  if (!is_instance(named->op == SYN_FIELD ? named->a : named)) {
    CHECK_ERROR(s->check, named->start, "write P, P[i], a label, P.LABEL or P[i].LABEL",
                "this names no process and no label");
    return false;
  }
  return named->op == SYN_NAME    ? name_set(s, named, out)
         : named->op == SYN_FIELD ? member_set(s, named, out)
                                  : instance_set(s, named, &process, out);
}

/* ---- enabled --------------------------------------------------------------------------------- */

const struct expr *firings_enabled(struct scope *s, const struct syntax_expr *e) {
  struct check *c = s->check;
  struct transition_set set;
  uint32_t i = 0;
  if (!firings_set(s, e, &set))
    return NULL;
  while (i < c->enabled_count && !same_transition_set(&c->enabled[i].set, &set))
    i++;
  if (i == c->enabled_count)
    *ARENA_PUSH(c->build.arena, c->enabled, c->enabled_count, c->enabled_cap) = (struct enabled){.set = set};
  c->build.model->enabled = c->enabled;
  c->build.model->enabled_count = c->enabled_count;
  return build_enabled(&c->build, e->at, i);
}

static void complete(struct check *c, struct enabled *enabled) {
  const struct model *model = c->build.model;
  const struct transition **found = NULL;
  size_t cap = 0;
  for (size_t i = 0; i < model->transition_count; i++)
    if (transition_in_set(model, &model->transitions[i], &enabled->set))
      *ARENA_PUSH(c->build.arena, found, enabled->count, cap) = &model->transitions[i];
  enabled->transitions = found;
}

void firings_complete(struct check *c) {
  for (size_t i = 0; i < c->enabled_count; i++)
    complete(c, &c->enabled[i]);
}
