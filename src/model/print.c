/* Text of ground expressions, elements and values, in the model language. */
#include "model/bit_intervals.h"
#include "model/build.h"

#include <inttypes.h>
#include <string.h>

/* ---- elements and values ------------------------------------------------------------- */

static const char *process_text(const struct process *process, const char *index, struct arena *arena) {
  return process->single ? process->name : arena_printf(arena, "%s[%s]", process->name, index);
}

static const char *indexed_text(const char *name, bool is_array, const char *index, struct arena *arena) {
  return is_array ? arena_printf(arena, "%s[%s]", name, index) : name;
}

/* The variable's name with the index of each dimension in its place; `indices`: their texts. */
static const char *dimensions_text(const struct variable *v, const char *const *indices, struct arena *arena) {
  const char *text = "";
  uint32_t done = 0;
  for (uint32_t i = 0; i < v->dimension_count; i++) {
    const uint32_t place = v->dimensions[i].place;
    text = arena_printf(arena, "%s%.*s[%s]", text, (int)(place - done), v->name + done, indices[i]);
    done = place;
  }
  return arena_printf(arena, "%s%s", text, v->name + done);
}

static const char *number(uint32_t n, struct arena *arena) { return arena_printf(arena, "%" PRIu32, n); }

/* Name of an element of an instance. */
static const char *own_element(const struct variable *v, uint32_t element, struct arena *arena) {
  if (!v->dimensions)
    return indexed_text(v->name, v->is_array, number(element, arena), arena);
  const char **indices = arena_array(arena, v->dimension_count, sizeof *indices);
  for (uint32_t i = v->dimension_count; i-- > 0; element /= v->dimensions[i].size)
    indices[i] = number(element % v->dimensions[i].size, arena);
  return dimensions_text(v, indices, arena);
}

const char *element_name(const struct model *model, uint32_t variable, uint32_t element, struct arena *arena) {
  const struct variable *v = &model->variables[variable];
  const char *owner = number(element / v->length, arena);
  switch (v->kind) {
  case VARIABLE_GLOBAL:
    return own_element(v, element, arena);
  case VARIABLE_LOCATION:
    return process_text(&model->processes[v->owner], owner, arena);
  case VARIABLE_LOCAL:
    return arena_printf(arena, "%s.%s", process_text(&model->processes[v->owner], owner, arena),
                        own_element(v, element % v->length, arena));
  default: /* a channel's length or field */
    return indexed_text(v->name, v->is_array, owner, arena);
  }
}

const char *named_value(const struct enumeration *type, int64_t value, struct arena *arena) {
  if (type && 0 <= value && (uint64_t)value < type->count)
    return type->values[value];
  return arena_printf(arena, "%" PRId64, value);
}

const char *value_text(const struct model *model, uint32_t variable, int64_t value, struct arena *arena) {
  const struct variable *v = &model->variables[variable];
  if (v->kind == VARIABLE_LOCATION) {
    const struct process *process = &model->processes[v->owner];
    if (0 <= value && (size_t)value < process->location_count)
      return process->locations[value].name;
  }
  if (v->values && 0 <= value && value < v->values->count)
    value = v->values->values[value];
  if (v->is_bool && (value == 0 || value == 1))
    return value ? "true" : "false";
  return named_value(v->type, value, arena);
}

/* ---- expressions --------------------------------------------------------------------- */

/* Operator precedence as in doc/language.md, from weakest to strongest. */
enum strength { COND = 1, OR, AND, EQUALITY, ORDER, BITOR, BITXOR, BITAND, SHIFT, SUM, PRODUCT, UNARY, ATOM };

struct notation {
  enum strength strength;
  const char *text;
};

static const struct notation *notation(enum expr_op op) {
  static const struct notation all[] = {
      [EXPR_CONST] = {ATOM, ""},     [EXPR_READ] = {ATOM, ""},      [EXPR_SELECT] = {ATOM, ""},
      [EXPR_TEMP] = {ATOM, ""},      [EXPR_COMMITTED] = {ATOM, ""}, [EXPR_INDEX] = {ATOM, ""},
      [EXPR_NEG] = {UNARY, "-"},     [EXPR_NOT] = {UNARY, "not "},  [EXPR_ADD] = {SUM, "+"},
      [EXPR_SUB] = {SUM, "-"},       [EXPR_MUL] = {PRODUCT, "*"},   [EXPR_DIV] = {PRODUCT, "/"},
      [EXPR_MOD] = {PRODUCT, "%"},   [EXPR_MIN] = {ATOM, "min"},    [EXPR_MAX] = {ATOM, "max"},
      [EXPR_LT] = {ORDER, "<"},      [EXPR_LE] = {ORDER, "<="},     [EXPR_EQ] = {EQUALITY, "=="},
      [EXPR_NE] = {EQUALITY, "!="},  [EXPR_AND] = {AND, "and"},     [EXPR_OR] = {OR, "or"},
      [EXPR_COND] = {COND, "?"},     [EXPR_BITNOT] = {UNARY, "~"},  [EXPR_BITAND] = {BITAND, "&"},
      [EXPR_BITXOR] = {BITXOR, "^"}, [EXPR_BITOR] = {BITOR, "|"},   [EXPR_SHL] = {SHIFT, "<<"},
      [EXPR_SHR] = {SHIFT, ">>"},
  };
  return &all[op];
}

struct printer {
  const struct model *model;
  struct arena *arena;
  const struct edge *edge; /* whose receive names fields; NULL: none does */
};

static const char *expression_text(const struct printer *p, const struct expr *e);

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

static enum strength strength_of(const struct printer *p, const struct expr *e) {
  if (tested_location(p, e))
    return e->op == EXPR_EQ ? ATOM : UNARY;
  if (e->op == EXPR_CONST && e->value < 0)
    return UNARY;
  if (e->op == EXPR_INDEX)
    return strength_of(p, e->a);
  return notation(e->op)->strength;
}

static const char *operand_text(const struct printer *p, const struct expr *e, enum strength least) {
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
    return indexed_text(v->name, v->is_array, own_text(p, v, own), p->arena);
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
  return dimensions_text(v, texts, p->arena);
}

static const char *read_text(const struct printer *p, const struct expr *e) {
  const struct variable *v = &p->model->variables[e->id];
  const struct expr *own = e->a;
  const char *outer = "0", *text;
  if (v->kind == VARIABLE_TABLE && e->a) /* table of values, indexed by the position that the variable stores */
    return expression_text(p, e->a);
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
    return arena_printf(p->arena, "%s.%s", text, read_name(p, v, own));
  case VARIABLE_LENGTH:
    return arena_printf(p->arena, "len(%s)", indexed_text(v->name, v->is_array, outer, p->arena));
  default: /* a field of a message, which the language cannot name */
    text = indexed_text(v->name, v->is_array, outer, p->arena);
    return arena_printf(p->arena, "%s(%s).%" PRIu32, text, own_text(p, v, own), v->field);
  }
}

static const char *location_name(const struct printer *p, const struct expr *e, const struct variable *v) {
  const char *name = p->model->processes[v->owner].locations[e->b->value].name;
  return arena_printf(p->arena, "%s%s.%s", e->op == EXPR_NE ? "not " : "", read_text(p, e->a), name);
}

/* A constant that is compared with a value of an enumeration is printed as a name. */
static const char *comparison_side(const struct printer *p, const struct expr *e, const struct expr *with,
                                   enum strength least) {
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
  const struct notation *n = notation(e->op);
  if (n->strength == EQUALITY || n->strength == ORDER)
    return arena_printf(p->arena, "%s %s %s", comparison_side(p, e->a, e->b, SHIFT), n->text,
                        comparison_side(p, e->b, e->a, SHIFT));
  const char *a = operand_text(p, e->a, n->strength);
  bool associates = e->op == EXPR_AND || e->op == EXPR_OR || e->op == EXPR_ADD || is_bitwise(e->op);
  const char *b = operand_text(p, e->b, associates ? n->strength : n->strength + 1);
  return arena_printf(p->arena, "%s %s %s", a, n->text, b);
}

static const char *expression_text(const struct printer *p, const struct expr *e) {
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
  case EXPR_INDEX:
    return expression_text(p, e->a);
  case EXPR_NEG:
  case EXPR_NOT:
  case EXPR_BITNOT:
    return arena_printf(p->arena, "%s%s", notation(e->op)->text, operand_text(p, e->a, UNARY));
  case EXPR_MIN:
  case EXPR_MAX:
    return arena_printf(p->arena, "%s(%s, %s)", notation(e->op)->text, expression_text(p, e->a),
                        expression_text(p, e->b));
  case EXPR_COND:
    return arena_printf(p->arena, "%s ? %s : %s", operand_text(p, e->a, OR), operand_text(p, e->b, COND),
                        operand_text(p, e->c, COND));
  default:
    return binary_text(p, e);
  }
}

const char *expr_text(const struct model *model, const struct expr *expr, struct arena *arena) {
  return expr_text_of(model, NULL, expr, arena);
}

const char *expr_text_of(const struct model *model, const struct edge *edge, const struct expr *expr,
                         struct arena *arena) {
  struct printer printer = {model, arena, edge};
  return expression_text(&printer, expr);
}
