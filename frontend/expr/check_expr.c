#include "frontend/expr/check_expr.h"

#include "frontend/expr/check_dedup.h"
#include "frontend/expr/check_define.h"
#include "frontend/expr/check_fields.h"
#include "frontend/expr/check_firings.h"
#include "frontend/expr/check_names.h"
#include "frontend/expr/check_operators.h"
#include "frontend/expr/check_place.h"
#include "frontend/expr/check_quantify.h"

#include <string.h>

/* ---- names --------------------------------------------------------------------------- */

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

static const struct expr *lower_name(struct scope *s, const struct syntax_expr *e) {
  struct check *c = s->check;
  const struct expr *bound = scope_binding(s, e->name);
  if (bound && define_has_argument(s, e->name))
    return define_argument(s, e);
  if (bound) {
    bool field = fields_note_read(s, e->name);
    if (s->in_function && !build_spend(&c->build, e->at, bound->size - 1, 0))
      return NULL;
    if (!s->constant || bound->op == EXPR_CONST)
      return field ? build_placed(&c->build, e->at, bound) : bound;
    CHECK_ERROR(c, e->at, NULL, "'%s' is %s: a constant is needed here", e->name,
                fields_have(s, e->name) ? "a field of the message"
                : s->in_function        ? "a variable of the function"
                                        : "chosen by select");
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
  case SYMBOL_STRUCTURE:
    return place_read(s, e);
  case SYMBOL_DEFINE:
  case SYMBOL_FUNCTION:
    return define_use(s, e);
  default:
    if (!is_invalid(c, s->process, e->name))
      CHECK_ERROR(c, e->at, NULL, "'%s' is %s, not a value", e->name, symbol_kind_name(symbol->kind));
    return NULL;
  }
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
  return quantify(s, e, lo, hi);
}

static const struct expr *lower_binary(struct scope *s, const struct syntax_expr *e) {
  if ((e->op == SYN_EQ || e->op == SYN_NE) && (place_is_record(s, e->a) || place_is_record(s, e->b)))
    return record_compare(s, e);
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
  case SYN_FIELD:
    return place_read(s, e);
  case SYN_ENABLED:
    return firings_enabled(s, e);
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
    return define_use(s, e);
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
