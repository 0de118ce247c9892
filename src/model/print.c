/* Text of ground expressions. */
#include "model/bit_intervals.h"
#include "model/build.h"
#include "model/notation.h"
#include "model/transition_set.h"

#include <inttypes.h>
#include <string.h>

const struct operator_text default_operators[EXPR_OPS] = OPERATOR_TEXTS(STRENGTH_AND, STRENGTH_BITAND, STRENGTH_BITXOR);

struct printer {
  const struct model *model;
  struct arena *arena;
  const struct edge *edge; /* whose receive names fields; NULL: none does */
};

/* Operands are in the model's notation, which may write some operators in another way. */
static const char *expression_text(const struct printer *p, const struct expr *e) {
  return expr_text_of(p->model, p->edge, e, p->arena);
}

static const struct operator_text *operator_of(const struct printer *p, enum expr_op op) {
  return &p->model->notation->operators[op];
}

static const char *process_text(const struct process *process, const char *index, struct arena *arena) {
  return process->single ? process->name : arena_printf(arena, "%s[%s]", process->name, index);
}

/* A location test: reading a location and comparing it with a number. */
static const struct variable *tested_location(const struct printer *p, const struct expr *e) {
  if ((e->op != EXPR_EQ && e->op != EXPR_NE) || e->a->op != EXPR_READ || e->b->op != EXPR_CONST)
    return NULL;
  const struct variable *v = &p->model->variables[e->a->id];
  if (v->kind != VARIABLE_LOCATION || e->b->value < 0 ||
      (size_t)e->b->value >= p->model->processes[v->owner].location_count)
    return NULL;
  return v;
}

static enum operator_strength strength_of(const struct printer *p, const struct expr *e) {
  if (tested_location(p, e))
    return e->op == EXPR_EQ ? STRENGTH_ATOM : STRENGTH_UNARY;
  if (e->op == EXPR_CONST && e->value < 0)
    return STRENGTH_UNARY;
  if (e->op == EXPR_INDEX)
    return strength_of(p, e->a);
  return operator_of(p, e->op)->strength;
}

static const char *operand_text(const struct printer *p, const struct expr *e, enum operator_strength least) {
  const char *text = expression_text(p, e);
  return strength_of(p, e) < least ? arena_printf(p->arena, "(%s)", text) : text;
}

static bool is_multiple(const struct expr *e, uint32_t size) {
  return (e->op == EXPR_CONST && e->value % size == 0) ||
         (e->op == EXPR_MUL && e->b->op == EXPR_CONST && e->b->value == size);
}

/* Splits instance * length + own, as the checker writes it, into its two parts: returns the text of the instance or
   channel element. *own NULL: 0. */
static const char *strided(const struct printer *p, const struct expr *e, const struct expr **own) {
  const uint32_t length = p->model->variables[e->id].length;
  const struct expr *outer = e->a;
  *own = NULL;
  if (length == 1)
    return expression_text(p, outer);
  if (outer->op == EXPR_ADD && is_multiple(outer->a, length)) {
    *own = outer->b;
    outer = outer->a;
  } else if (!is_multiple(outer, length)) {
    *own = outer;
    return "0";
  }
  return outer->op == EXPR_CONST ? arena_printf(p->arena, "%" PRId64, outer->value / length)
                                 : expression_text(p, outer->a);
}

/* The index within an instance or channel element: NULL for 0, or a constant. */
static const char *own_text(const struct printer *p, const struct variable *v, const struct expr *own) {
  if (!own)
    return "0";
  return own->op == EXPR_CONST ? arena_printf(p->arena, "%" PRId64, own->value % v->length) : expression_text(p, own);
}

/* Splits `e`, outer * size + inner as the checker writes it: returns the text of inner. *outer NULL: it is *constant.
 */
static const char *split_dimension(const struct printer *p, const struct expr *e, uint32_t size,
                                   const struct expr **outer, int64_t *constant) {
  const struct expr *inner = NULL;
  *outer = NULL;
  *constant = 0;
  if (within(e, 0, (int64_t)size - 1))
    return expression_text(p, e);
  if (e->op == EXPR_ADD && within(e->b, 0, (int64_t)size - 1) && (size == 1 || is_multiple(e->a, size))) {
    inner = e->b;
    e = e->a;
  }
  if (e->op == EXPR_CONST) {
    *constant = e->value / size;
    return inner ? expression_text(p, inner) : arena_printf(p->arena, "%" PRId64, e->value % size);
  }
  *outer = size > 1 && is_multiple(e, size) ? e->a : e;
  return inner ? expression_text(p, inner) : "0";
}

/* Name of an element of an instance or of the model. */
static const char *read_name(const struct printer *p, const struct variable *v, const struct expr *own) {
  if (!v->dimensions)
    return indexed_name(v, (const char *const[]){own_text(p, v, own)}, p->arena);
  const char **texts = arena_array(p->arena, v->dimension_count, sizeof *texts);
  int64_t constant = 0;
  if (own && own->op == EXPR_CONST) {
    constant = own->value % v->length;
    own = NULL;
  }
  for (uint32_t i = v->dimension_count; i-- > 0;) {
    const uint32_t size = v->dimensions[i].size;
    if (!own) {
      texts[i] = arena_printf(p->arena, "%" PRId64, constant % size);
      constant /= size;
    } else {
      texts[i] = i ? split_dimension(p, own, size, &own, &constant) : expression_text(p, own);
    }
  }
  return indexed_name(v, texts, p->arena);
}

static const char *read_text(const struct printer *p, const struct expr *e) {
  const struct variable *v = &p->model->variables[e->id];
  const struct expr *own = e->a;
  const char *outer = "0", *text;
  if (v->kind == VARIABLE_TABLE && e->a) /* table of values, indexed by the position that the variable stores */
    return expression_text(p, e->a);
  if (v->kind <= VARIABLE_LOCATION && (!e->a || e->a->op == EXPR_CONST))
    return element_name(p->model, e->id, e->a ? (uint32_t)e->a->value : 0, p->arena);
  if (e->a && e->a->op == EXPR_CONST)
    outer = arena_printf(p->arena, "%" PRId64, e->a->value / v->length);
  else if (e->a && v->kind != VARIABLE_GLOBAL)
    outer = strided(p, e, &own);
  switch (v->kind) {
  case VARIABLE_GLOBAL:
    return read_name(p, v, own);
  case VARIABLE_LOCATION:
    return process_text(&p->model->processes[v->owner], outer, p->arena);
  case VARIABLE_LOCAL:
    text = process_text(&p->model->processes[v->owner], outer, p->arena);
    return arena_printf(p->arena, "%s%s%s", text, p->model->notation->member, read_name(p, v, own));
  case VARIABLE_LENGTH:
    return arena_printf(p->arena, "len(%s)", indexed_name(v, &outer, p->arena));
  default: /* a field of a message, which the language cannot name */
    text = indexed_name(v, &outer, p->arena);
    return arena_printf(p->arena, "%s(%s).%" PRIu32, text, own_text(p, v, own), v->field);
  }
}

static const char *location_name(const struct printer *p, const struct expr *e, const struct variable *v) {
  const char *name = p->model->processes[v->owner].locations[e->b->value].name;
  return arena_printf(p->arena, "%s%s.%s", e->op == EXPR_NE ? operator_of(p, EXPR_NOT)->text : "", read_text(p, e->a),
                      name);
}

/* A constant that is compared with a value of an enumeration is printed as a name. */
static const char *comparison_side(const struct printer *p, const struct expr *e, const struct expr *with,
                                   enum operator_strength least) {
  const struct enumeration *type = with->op == EXPR_READ ? p->model->variables[with->id].type : NULL;
  return type && e->op == EXPR_CONST ? named_value(type, e->value, p->arena) : operand_text(p, e, least);
}

/* In a condition as written, a temporary is a field of the received message. */
static const char *temporary_text(const struct printer *p, const struct expr *e) {
  const char *name = p->edge && p->edge->bound ? p->edge->bound[e->id] : NULL;
  return name ? name : arena_printf(p->arena, "temporary%" PRIu32, e->id);
}

/* Comparisons do not chain. Bitwise operands are bracketed, because their precedence differs from C. */
static const char *binary_text(const struct printer *p, const struct expr *e) {
  const struct operator_text *n = operator_of(p, e->op);
  if (n->strength == STRENGTH_EQUALITY || n->strength == STRENGTH_ORDER)
    return arena_printf(p->arena, "%s %s %s", comparison_side(p, e->a, e->b, STRENGTH_SHIFT), n->text,
                        comparison_side(p, e->b, e->a, STRENGTH_SHIFT));
  const char *a = operand_text(p, e->a, n->strength);
  bool associates = e->op == EXPR_AND || e->op == EXPR_OR || e->op == EXPR_ADD || is_bitwise(e->op);
  const char *b = operand_text(p, e->b, associates ? n->strength : n->strength + 1);
  return arena_printf(p->arena, "%s %s %s", a, n->text, b);
}

static const char *default_text(const struct printer *p, const struct expr *e) {
  const struct variable *location = tested_location(p, e);
  if (location)
    return location_name(p, e, location);
  switch (e->op) {
  case EXPR_CONST:
    return arena_printf(p->arena, "%" PRId64, e->value);
  case EXPR_READ:
    return read_text(p, e);
  case EXPR_SELECT:
    return arena_printf(p->arena, "choice%" PRIu32, e->id);
  case EXPR_TEMP:
    return temporary_text(p, e);
  case EXPR_COMMITTED:
    return "committed";
  case EXPR_AUTOMATON:
    return "automaton";
  case EXPR_ENABLED:
    return arena_printf(p->arena, "enabled(%s)",
                        transition_set_text(p->model, &p->model->enabled[e->id].set, p->arena));
  case EXPR_INDEX:
    return expression_text(p, e->a);
  case EXPR_NEG:
  case EXPR_NOT:
  case EXPR_BITNOT:
    return arena_printf(p->arena, "%s%s", operator_of(p, e->op)->text, operand_text(p, e->a, STRENGTH_UNARY));
  case EXPR_MIN:
  case EXPR_MAX:
    return arena_printf(p->arena, "%s(%s, %s)", operator_of(p, e->op)->text, expression_text(p, e->a),
                        expression_text(p, e->b));
  case EXPR_COND:
    return arena_printf(p->arena, "%s ? %s : %s", operand_text(p, e->a, STRENGTH_OR),
                        operand_text(p, e->b, STRENGTH_COND), operand_text(p, e->c, STRENGTH_COND));
  default:
    return binary_text(p, e);
  }
}

const char *default_expr_text(const struct model *model, const struct edge *edge, const struct expr *expr,
                              struct arena *arena) {
  struct printer printer = {model, arena, edge};
  return default_text(&printer, expr);
}
