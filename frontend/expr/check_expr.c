#include "frontend/expr/check_expr.h"

#include "frontend/expr/check_dedup.h"
#include "frontend/expr/check_define.h"
#include "frontend/expr/check_enumerations.h"
#include "frontend/expr/check_fields.h"
#include "frontend/expr/check_names.h"
#include "frontend/expr/check_operators.h"
#include "frontend/expr/check_quantify.h"
#include "frontend/expr/check_values.h"
#include "frontend/parse/source_text.h"

#include <assert.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------- */

static bool is_location(const struct scope *s, const char *name) {
  const struct symbol *symbol = s->process ? names_find(&s->process->names, name) : NULL;
  return symbol && symbol->kind == SYMBOL_LOCATION;
}

/* Hint for a name that is declared in a process. */
static const char *name_elsewhere(const struct scope *s, const char *name) {
  struct check *c = s->check;
  for (size_t i = 0; i < c->syntax->process_count; i++) {
    const struct symbol *symbol = names_find(&c->templates[i].names, name);
    if (symbol && symbol->kind != SYMBOL_PARAMETER && !s->constant)
      return arena_printf(c->build.arena, "write %s%s.%s", c->processes[i].name, c->processes[i].single ? "" : "[...]",
                          name);
  }
  return scope_suggestion(s, name, SYMBOL_VALUES);
}

static void unknown_name(const struct scope *s, const char *name, source_at at) {
  struct check *c = s->check;
  if (is_invalid(c, s->process, name))
    return;
  if (is_location(s, name))
    CHECK_ERROR(c, at,
                arena_printf(c->build.arena, "write %s%s.%s", s->process->process->name,
                             s->process->process->single ? "" : "[self]", name),
                "'%s' is a location, not a value", name);
  else if (strcmp(name, "self") == 0)
    CHECK_ERROR(c, at, NULL, "'self' can be used only inside a process");
  else if (strcmp(name, "else") == 0)
    CHECK_ERROR(c, at, NULL, "'else' can be used only as a whole guard");
  else if (strcmp(name, "index") == 0)
    CHECK_ERROR(c, at, NULL, "'index' can be used only in an initial value");
  else if (!already_reported(c, "", name))
    CHECK_ERROR(c, at, name_elsewhere(s, name), "unknown name '%s'", name);
}

const struct symbol *find_process(const struct scope *s, const char *name, source_at at) {
  const bool bound = scope_binding(s, name) != NULL;
  const struct symbol *symbol = scope_find(s, name);
  if (symbol && symbol->kind == SYMBOL_PROCESS && !bound)
    return symbol;
  if (is_invalid(s->check, s->process, name) || (!symbol && already_reported(s->check, "", name)))
    return NULL;
  const char *hint = scope_suggestion(s, name, SYMBOL_PROCESS);
  if (bound)
    CHECK_ERROR(s->check, at, NULL, "'%s' is a chosen value, not a process", name);
  else if (symbol)
    CHECK_ERROR(s->check, at, hint, "'%s' is %s, not a process", name, symbol_kind_name(symbol->kind));
  else
    CHECK_ERROR(s->check, at, hint, "unknown process '%s'", name);
  return NULL;
}

static const struct expr *constant_symbol(const struct scope *s, const struct symbol *symbol, source_at at) {
  struct check *c = s->check;
  c->constants.read++;
  if (symbol->id >= c->constants.evaluated) {
    if (!already_reported(c, "", symbol->name))
      CHECK_ERROR(c, at, NULL, "constant '%s' is declared later and cannot be used here", symbol->name);
    return NULL;
  }
  return c->constants.known[symbol->id] ? build_const(&c->build, c->constants.items[symbol->id].value) : NULL;
}

static const struct expr *parameter_symbol(const struct scope *s, const struct symbol *symbol, source_at at) {
  const struct template *p = s->process;
  s->check->constants.read += p->parameter_varies && p->parameter_varies[symbol->id];
  if (symbol->id >= p->parameters_evaluated) {
    const struct symbol *hidden = names_find(&s->check->globals, symbol->name);
    CHECK_ERROR(s->check, at,
                hidden ? arena_printf(s->check->build.arena, "it hides %s of the same name here too",
                                      symbol_kind_name(hidden->kind))
                       : NULL,
                "parameter '%s' is declared later and cannot be used here", symbol->name);
    return NULL;
  }
  if (!p->parameter_known[symbol->id])
    return NULL;
  return build_const(&s->check->build, p->parameters[s->instance * p->syntax->parameter_count + symbol->id]);
}

/* ---- places: variables and their elements -------------------------------------------- */

/* In a property, a constant index out of bounds is an error when the model is checked; in a process, guards may exclude
   it. */
static bool element_exists(const struct scope *s, const struct expr *index, uint32_t bound, const char *name,
                           source_at at) {
  struct check *c = s->check;
  if (!index || s->process || s->in_process || index->op != EXPR_CONST || within(index, 0, (int64_t)bound - 1) ||
      c->build.dead)
    return index != NULL;
  CHECK_ERROR(c, at, NULL, "there is no %s[%lld]: its indices are 0..%u", name, (long long)index->value, bound - 1);
  return false;
}

/* The index of an element within its array, NULL in *out for a scalar. */
static bool array_index(struct scope *s, const struct variable *v, const struct syntax_expr *index, source_at at,
                        const struct expr **out) {
  struct check *c = s->check;
  *out = NULL;
  if (!v->count) /* an error in its declaration was reported */
    return index ? lower(s, index) && false : false;
  if (v->is_array != (index != NULL)) {
    if (!is_invalid(c, s->process, v->name) && (v->is_array || !already_reported(c, "size of ", v->name)))
      CHECK_ERROR(c, at, v->is_array ? arena_printf(c->build.arena, "write %s[...]", v->name) : NULL,
                  v->is_array ? "array '%s' needs an index" : "'%s' is not an array", v->name);
    return false;
  }
  if (!index)
    return true;
  *out = lower(s, index);
  if (!element_exists(s, *out, v->length, v->name, index->at))
    return false;
  *out = build_index(&c->build, index->at, *out, v->length, v->name);
  return *out != NULL;
}

static const char *bound_kind(const struct scope *s, const char *name) {
  return fields_have(s, name) ? "a field of the message" : "a chosen value";
}

static bool own_place(struct scope *s, const struct syntax_expr *name, const struct syntax_expr *index,
                      struct place *place) {
  struct check *c = s->check;
  const struct symbol *symbol = scope_find(s, name->name);
  if (scope_binding(s, name->name) || !symbol || symbol->kind != SYMBOL_VARIABLE) {
    if (symbol && is_invalid(c, s->process, name->name))
      return false;
    if (!symbol && !scope_binding(s, name->name))
      unknown_name(s, name->name, name->at);
    else
      CHECK_ERROR(c, name->at, NULL, "'%s' is %s, not %s", name->name,
                  symbol ? symbol_kind_name(symbol->kind) : bound_kind(s, name->name),
                  index ? "an array" : "a variable");
    return false;
  }
  const struct variable *v = &c->build.model->variables[symbol->id];
  place->variable = symbol->id;
  if (!array_index(s, v, index, name->at, &place->index))
    return false;
  if (v->kind == VARIABLE_LOCAL)
    place->index = build_offset(&c->build, name->at, build_const(&c->build, s->instance), v->length, place->index);
  return !c->build.stop;
}

/* Process and instance of P or P[e]. */
static const struct template *instance_of(struct scope *s, const struct syntax_expr *e, const struct expr **instance) {
  struct check *c = s->check;
  const struct syntax_expr *name = e->op == SYN_INDEX ? e->a : e;
  const struct symbol *symbol = find_process(s, name->name, name->at);
  if (!symbol)
    return NULL;
  const struct process *process = &c->processes[symbol->id];
  if (e->op == SYN_INDEX) {
    *instance = lower(s, e->b);
    if (!process->instances)
      return NULL;
    c->constants.read += c->templates[symbol->id].varies;
    if (!element_exists(s, *instance, process->instances, process->name, e->b->at))
      return NULL;
    *instance = build_index(&c->build, e->b->at, *instance, process->instances, process->name);
    return *instance ? &c->templates[symbol->id] : NULL;
  }
  if (!process->single) {
    CHECK_ERROR(c, name->at, arena_printf(c->build.arena, "write %s[...]", process->name),
                "process '%s' has several instances", process->name);
    return NULL;
  }
  *instance = build_const(&c->build, 0);
  return &c->templates[symbol->id];
}

static const struct symbol *member(struct scope *s, const struct template *process, const struct syntax_expr *e) {
  struct check *c = s->check;
  const struct symbol *symbol = names_find(&process->names, e->name);
  struct scope inside = {.check = c, .process = process};
  if (is_invalid(c, process, e->name) || (!symbol && already_reported(c, process->process->name, e->name)))
    return NULL;
  if (!symbol)
    CHECK_ERROR(c, e->name_at, scope_suggestion(&inside, e->name, SYMBOL_LOCATION | SYMBOL_VARIABLE),
                "process '%s' has no location or variable '%s'", process->process->name, e->name);
  else if (symbol->kind == SYMBOL_PARAMETER)
    CHECK_ERROR(c, e->name_at, NULL, "parameter '%s' can be used only inside process '%s'", e->name,
                process->process->name);
  else if (symbol->kind == SYMBOL_DEFINE)
    CHECK_ERROR(c, e->name_at, "define it in the model, with a parameter",
                "define '%s' can be used only inside process '%s'", e->name, process->process->name);
  else
    return symbol;
  return NULL;
}

/* P[e].x, P[e].x[index], P[e].location */
static const struct expr *read_field(struct scope *s, const struct syntax_expr *field,
                                     const struct syntax_expr *index) {
  struct check *c = s->check;
  const struct expr *instance, *element;
  if (s->constant) {
    CHECK_ERROR(c, field->at, NULL, "the state of a process is not constant: a constant is needed here");
    return NULL;
  }
  const struct template *process = instance_of(s, field->a, &instance);
  const struct symbol *symbol = process ? member(s, process, field) : NULL;
  if (!symbol)
    return NULL;
  if (symbol->kind == SYMBOL_LOCATION) {
    if (index) {
      CHECK_ERROR(c, field->name_at, NULL, "'%s' is a location, not an array", field->name);
      return NULL;
    }
    const struct expr *at = build_read(&c->build, field->at, process->process->location_variable, instance);
    return build_binary(&c->build, EXPR_EQ, field->at, at, build_const(&c->build, symbol->id));
  }
  const struct variable *v = &c->build.model->variables[symbol->id];
  c->variable_read[symbol->id] = true;
  c->constants.read += c->variable_varies[symbol->id];
  if (!array_index(s, v, index, field->name_at, &element))
    return NULL;
  element = build_offset(&c->build, field->at, instance, v->length, element);
  return element ? values_read(c, field->at, symbol->id, element) : NULL;
}

static const struct expr *lower_variable_read(struct scope *s, const struct syntax_expr *name,
                                              const struct syntax_expr *index) {
  struct place place;
  struct check *c = s->check;
  const struct symbol *symbol = scope_find(s, name->name);
  if (s->constant && symbol && symbol->kind == SYMBOL_VARIABLE) {
    CHECK_ERROR(c, name->at, NULL, "'%s' is a variable: a constant is needed here", name->name);
    return NULL;
  }
  if (!own_place(s, name, index, &place))
    return NULL;
  c->variable_read[place.variable] = true;
  c->constants.read += c->variable_varies[place.variable];
  return values_read(c, name->at, place.variable, place.index);
}

static const struct expr *lower_name(struct scope *s, const struct syntax_expr *e) {
  struct check *c = s->check;
  const struct expr *bound = scope_binding(s, e->name);
  if (bound && define_has_argument(s, e->name))
    return define_argument(s, e, lower);
  if (bound) {
    bool field = fields_note_read(s, e->name);
    if (!s->constant || bound->op == EXPR_CONST)
      return field ? build_placed(&c->build, e->at, bound) : bound;
    CHECK_ERROR(c, e->at, NULL, "'%s' is %s: a constant is needed here", e->name,
                fields_have(s, e->name) ? "a field of the message" : "chosen by select");
    return NULL;
  }
  if (s->process && strcmp(e->name, "self") == 0) {
    c->constants.read += s->process->varies;
    return build_const(&c->build, s->instance);
  }
  const struct symbol *symbol = scope_find(s, e->name);
  if (!symbol || symbol->kind == SYMBOL_LOCATION) {
    unknown_name(s, e->name, e->at);
    return NULL;
  }
  switch (symbol->kind) {
  case SYMBOL_CONSTANT:
    return constant_symbol(s, symbol, e->at);
  case SYMBOL_MEMBER:
    return build_const(&c->build, symbol->id);
  case SYMBOL_PARAMETER:
    return parameter_symbol(s, symbol, e->at);
  case SYMBOL_VARIABLE:
    return lower_variable_read(s, e, NULL);
  case SYMBOL_DEFINE:
    return define_use(s, e, lower);
  default:
    if (!is_invalid(c, s->process, e->name))
      CHECK_ERROR(c, e->at, NULL, "'%s' is %s, not a value", e->name, symbol_kind_name(symbol->kind));
    return NULL;
  }
}

static const struct expr *lower_element(struct scope *s, const struct syntax_expr *e) {
  if (e->a->op == SYN_FIELD)
    return read_field(s, e->a, e->b);
  return lower_variable_read(s, e->a, e->b);
}

bool lower_target(struct scope *s, const struct syntax_expr *e, struct place *place) {
  const struct syntax_expr *name = e->op == SYN_INDEX ? e->a : e;
  const struct symbol *symbol = scope_find(s, name->name);
  bool bound = scope_binding(s, name->name) != NULL;
  if (bound || (symbol && symbol->kind != SYMBOL_VARIABLE)) {
    if (bound || !is_invalid(s->check, s->process, name->name))
      CHECK_ERROR(s->check, name->at, NULL, "'%s' is %s and cannot be assigned", name->name,
                  bound ? bound_kind(s, name->name) : symbol_kind_name(symbol->kind));
    return false;
  }
  return own_place(s, name, e->op == SYN_INDEX ? e->b : NULL, place);
}

/* ---- channels ------------------------------------------------------------------------ */

const struct symbol *find_channel(const struct scope *s, const struct syntax_expr *e) {
  const struct syntax_expr *name = e->op == SYN_INDEX ? e->a : e;
  const struct symbol *symbol = scope_find(s, name->name);
  const bool bound = scope_binding(s, name->name) != NULL;
  if (symbol && symbol->kind == SYMBOL_CHANNEL && !bound)
    return symbol;
  if (is_invalid(s->check, s->process, name->name) || (!symbol && already_reported(s->check, "", name->name)))
    return NULL;
  CHECK_ERROR(s->check, name->at, scope_suggestion(s, name->name, SYMBOL_CHANNEL),
              symbol || bound ? "'%s' is not a channel" : "unknown channel '%s'", name->name);
  return NULL;
}

bool lower_channel(struct scope *s, const struct syntax_expr *e, uint32_t *channel, const struct expr **element) {
  struct check *c = s->check;
  const struct symbol *symbol = find_channel(s, e);
  if (!symbol)
    return false;
  const struct channel *ch = &c->channels[symbol->id];
  *channel = symbol->id;
  if (ch->is_array != (e->op == SYN_INDEX)) {
    CHECK_ERROR(c, e->start, ch->is_array ? arena_printf(c->build.arena, "write %s[...]", ch->name) : NULL,
                ch->is_array ? "'%s' is an array of channels and needs an index" : "channel '%s' is not an array",
                ch->name);
    return false;
  }
  *element = ch->is_array ? lower(s, e->b) : build_const(&c->build, 0);
  if (!*element || !ch->size) /* an error was reported */
    return false;
  if ((*element)->op == EXPR_CONST && !within(*element, 0, (int64_t)ch->size - 1) && !c->build.dead) {
    CHECK_ERROR(c, e->b->at, NULL, "there is no channel %s[%lld]: its indices are 0..%u", ch->name,
                (long long)(*element)->value, ch->size - 1);
    return false;
  }
  *element = build_index(&c->build, e->at, *element, ch->size, ch->name);
  return *element != NULL;
}

static const struct expr *lower_length(struct scope *s, const struct syntax_expr *e) {
  struct check *c = s->check;
  uint32_t channel;
  const struct expr *element;
  if (s->constant) {
    CHECK_ERROR(c, e->at, NULL, "the content of a channel is not constant: a constant is needed here");
    return NULL;
  }
  if (!lower_channel(s, e->a, &channel, &element))
    return NULL;
  const struct channel *ch = &c->channels[channel];
  c->constants.read += c->channel_infos[channel].varies;
  if (!ch->capacity) {
    CHECK_ERROR(c, e->a->at, NULL, "channel '%s' has no buffer", ch->name);
    return NULL;
  }
  const struct expr *length = build_read(&c->build, e->at, ch->length_variable, element);
  if (e->op == SYN_LEN)
    return length;
  return build_binary(&c->build, EXPR_EQ, e->at, length,
                      build_const(&c->build, e->op == SYN_EMPTY ? 0 : (int64_t)ch->capacity));
}

/* ---- operators ----------------------------------------------------------------------- */

/* The model does not depend on constants that only a dead operand reads. */
const struct expr *lower_dead(struct scope *s, const struct syntax_expr *e, bool dead) {
  size_t constants = s->check->constants.read;
  s->check->build.dead += dead;
  const struct expr *result = lower(s, e);
  s->check->build.dead -= dead;
  if (dead)
    s->check->constants.read = constants;
  return result;
}

static const struct expr *lower_logic(struct scope *s, const struct syntax_expr *e) {
  struct check *c = s->check;
  const struct expr *a = lower(s, e->a);
  if (e->op == SYN_IMPLIES)
    a = build_not(&c->build, e->a->at, a);
  bool decided = a && (e->op == SYN_AND ? is_constant_false(a) : is_constant_true(a));
  const struct expr *b = lower_dead(s, e->b, decided);
  return build_binary(&c->build, e->op == SYN_AND ? EXPR_AND : EXPR_OR, e->at, a, b);
}

static const struct expr *lower_cond(struct scope *s, const struct syntax_expr *e) {
  const struct expr *a = lower(s, e->a);
  const struct expr *b = lower_dead(s, e->b, a && is_constant_false(a));
  const struct expr *d = lower_dead(s, e->c, a && is_constant_true(a));
  return build_cond(&s->check->build, e->at, a, b, d);
}

static const struct expr *lower_quantifier(struct scope *s, const struct syntax_expr *e) {
  int64_t lo, hi;
  scope_warn_hidden(s, e->name, e->name_at);
  if (!constant_range(s, &e->range, &lo, &hi))
    return NULL;
  return quantify(s, e, lo, hi, lower);
}

static const struct expr *lower_binary(struct scope *s, const struct syntax_expr *e) {
  const struct expr *a = lower(s, e->a);
  return operator_build(s, e, a, lower(s, e->b));
}

static const struct expr *lower_node(struct scope *s, const struct syntax_expr *e) {
  struct check *c = s->check;
  switch (e->op) {
  case SYN_NUMBER:
    return build_const(&c->build, e->value);
  case SYN_NAME:
    return lower_name(s, e);
  case SYN_INDEX:
    return lower_element(s, e);
  case SYN_FIELD:
    return read_field(s, e, NULL);
  case SYN_NEG:
    return build_negative(&c->build, e->at, lower(s, e->a));
  case SYN_NOT:
    return build_not(&c->build, e->at, lower(s, e->a));
  case SYN_BITNOT:
    return build_bitnot(&c->build, e->at, lower(s, e->a));
  case SYN_AND:
  case SYN_OR:
  case SYN_IMPLIES:
    return lower_logic(s, e);
  case SYN_COND:
    return lower_cond(s, e);
  case SYN_ALL:
  case SYN_EXISTS:
  case SYN_COUNT:
  case SYN_SUM:
  case SYN_MIN_OF:
  case SYN_MAX_OF:
    return lower_quantifier(s, e);
  case SYN_LEN:
  case SYN_EMPTY:
  case SYN_FULL:
    return lower_length(s, e);
  case SYN_CALL:
    return define_use(s, e, lower);
  default:
    return lower_binary(s, e);
  }
}

const struct expr *lower(struct scope *s, const struct syntax_expr *e) {
  s->check->build.here = e->at;
  if (s->check->build.stop || !build_spend(&s->check->build, e->at, 0, 1))
    return NULL;
  return lower_node(s, e);
}

/* ---- constants ----------------------------------------------------------------------- */

bool constant_eval(const struct scope *s, const struct syntax_expr *e, int64_t *value) {
  struct scope inner = *s;
  inner.constant = true;
  const struct expr *result = lower(&inner, e);
  if (!result)
    return false;
  assert(result->op == EXPR_CONST);
  *value = result->value;
  return true;
}

bool constant_within(const struct scope *s, const struct syntax_expr *e, const char *what, int64_t lo, int64_t hi,
                     int64_t *value) {
  if (!constant_eval(s, e, value))
    return false;
  if (lo <= *value && *value <= hi)
    return true;
  CHECK_ERROR(s->check, e->start, NULL, "%s is %lld; it must be within %lld..%lld", what, (long long)*value,
              (long long)lo, (long long)hi);
  return false;
}

bool constant_range(const struct scope *s, const struct syntax_range *range, int64_t *lo, int64_t *hi) {
  *lo = 0;
  *hi = 1;
  if (!range->lo) /* bool */
    return true;
  if (range->hi) {
    bool ok = constant_eval(s, range->lo, lo);
    return constant_eval(s, range->hi, hi) && ok;
  }
  return named_range(s, range, lo, hi);
}
