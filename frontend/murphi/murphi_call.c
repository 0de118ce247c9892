/* Calls are expanded where they stand. */
#include "frontend/murphi/murphi_check.h"

/* ---- declarations -------------------------------------------------------------------------------- */

static void check_body(struct mu_check *c, struct mu_callable *callable);

void mu_declare_function(struct mu_check *c, const struct mu_function *function) {
  struct mu_callable *callable = arena_alloc(c->build.arena, sizeof *callable);
  size_t cap = 0;
  const size_t errors = c->build.errors;
  callable->function = function;
  for (size_t d = 0; d < function->parameters.n; d++) {
    const struct mu_type *type = mu_type_of(c, function->parameters.items[d].type, NULL);
    for (size_t i = 0; i < function->parameters.items[d].names.n; i++)
      *ARENA_PUSH(c->build.arena, callable->parameters, callable->parameter_count, cap) = type;
  }
  if (function->result)
    callable->result = mu_type_of(c, function->result, NULL);
  if (c->build.errors > errors)
    return;
  mu_declare(c, (struct mu_symbol){.kind = MU_SYMBOL_FUNCTION, .name = function->name, .callable = callable});
  callable->level = c->symbol_count;
  if (c->checking)
    check_body(c, callable);
}

/* ---- arguments ----------------------------------------------------------------------------------- */

struct argument {
  const struct mu_declaration *declaration;
  struct mu_name name;
  const struct mu_type *type;
  const struct expr *value; /* of a scalar passed by value */
  bool undefined;           /* `undefined` is passed */
  struct mu_place place;
};

static bool pass_reference(struct mu_check *c, const struct mu_expr *e, struct argument *a) {
  if (!mu_is_designator(c, e)) {
    MU_ERROR(c, e->at, NULL, "'%s' is not a variable, and parameter '%s' is declared with 'var'", mu_expr_text(c, e),
             mu_name_text(c, a->name));
    return false;
  }
  if (!mu_designate(c, e, NULL, &a->place))
    return false;
  if (a->place.read_only) {
    MU_ERROR(c, e->at, NULL, "'%s' cannot be changed, and parameter '%s' is declared with 'var'", mu_expr_text(c, e),
             mu_name_text(c, a->name));
    return false;
  }
  if (!mu_equivalent(a->place.type, a->type)) {
    MU_ERROR(c, e->at, "the types of a variable and of a parameter with 'var' are the same",
             "'%s' is %s; parameter '%s' is %s", mu_expr_text(c, e), mu_type_text(c, a->place.type),
             mu_name_text(c, a->name), mu_type_text(c, a->type));
    return false;
  }
  mu_freeze_place(c, &a->place);
  for (uint32_t i = 0; i < a->place.index_count; i++)
    mu_evaluate(c, a->place.indices[i], e->at);
  if (c->checking)
    mu_mark_assigned(c, &a->place);
  return true;
}

static void pass_undefined(struct mu_check *c, struct argument *a) {
  a->undefined = true;
  if (mu_is_scalar(a->type))
    a->value = build_const(&c->build, a->type->hi + 1);
  else
    a->place = mu_whole(mu_local_object(c, mu_name_text(c, a->name), a->type));
}

static bool pass_value(struct mu_check *c, const struct mu_expr *e, struct argument *a) {
  struct mu_value value = {0};
  if (mu_is_undefined(c, e)) {
    pass_undefined(c, a);
    return true;
  }
  value = mu_raw_value(c, e); /* also if it is undefined */
  if (!value.type)
    return false;
  if (!mu_compatible(value.type, a->type)) {
    MU_ERROR(c, e->at, NULL, "'%s' is %s; parameter '%s' is %s", mu_expr_text(c, e), mu_type_text(c, value.type),
             mu_name_text(c, a->name), mu_type_text(c, a->type));
    return false;
  }
  a->place = value.place;
  if (!mu_is_scalar(a->type))
    return true;
  a->value = mu_converted(c, e->at, mu_name_text(c, a->name), value.expr, value.type, a->type);
  a->value = mu_freeze(c, a->value, e->at);
  mu_evaluate(c, a->value, e->at);
  return a->value != NULL;
}

static bool pass_arguments(struct mu_check *c, const struct mu_expr *e, const struct mu_callable *callable,
                           struct argument *arguments) {
  size_t n = 0;
  bool valid = true;
  if (e->arguments.n != callable->parameter_count) {
    MU_ERROR(c, e->at, NULL, "'%s' has %zu parameters, and %zu values are passed", mu_name_text(c, e->name),
             callable->parameter_count, e->arguments.n);
    return false;
  }
  for (size_t d = 0; d < callable->function->parameters.n; d++) {
    const struct mu_declaration *declaration = &callable->function->parameters.items[d];
    for (size_t i = 0; i < declaration->names.n; i++, n++) {
      struct argument *a = &arguments[n];
      *a = (struct argument){
          .declaration = declaration, .name = declaration->names.items[i], .type = callable->parameters[n]};
      valid &= (declaration->by_reference ? pass_reference : pass_value)(c, e->arguments.items[n], a);
    }
  }
  return valid;
}

static void bind(struct mu_check *c, const struct argument *a) {
  struct mu_symbol symbol = {.kind = MU_SYMBOL_PLACE, .name = a->name, .place = a->place};
  if (a->declaration->by_reference) {
    mu_declare(c, symbol);
    return;
  }
  if (mu_is_scalar(a->type)) {
    mu_declare(
        c,
        (struct mu_symbol){
            .kind = MU_SYMBOL_VALUE, .name = a->name, .type = a->type, .value = a->value, .undefined = a->undefined});
    return;
  }
  if (c->block || c->shadows) {
    symbol.place = mu_whole(mu_local_object(c, mu_name_text(c, a->name), a->type));
    mu_copy(c, &symbol.place, &a->place, a->name.at);
  }
  symbol.place.read_only = true;
  mu_declare(c, symbol);
}

/* ---- bodies -------------------------------------------------------------------------------------- */

/* With values that are not known. */
static void bind_unknown(struct mu_check *c, const struct mu_callable *callable) {
  size_t n = 0;
  for (size_t d = 0; d < callable->function->parameters.n; d++) {
    const struct mu_declaration *declaration = &callable->function->parameters.items[d];
    for (size_t i = 0; i < declaration->names.n; i++, n++) {
      const struct mu_type *type = callable->parameters[n];
      struct argument a = {.declaration = declaration, .name = declaration->names.items[i], .type = type};
      if (mu_is_scalar(type) && !declaration->by_reference)
        a.value = build_temp(&c->build, a.name.at, 0, type->lo, type->hi + 1);
      else
        a.place = mu_whole(mu_local_object(c, mu_name_text(c, a.name), type));
      bind(c, &a);
    }
  }
}

/* Slots of a local object hold values that are not known. */
static void forget(struct mu_check *c, size_t first) {
  for (size_t i = first; i < c->slot_count; i++)
    if (c->slots[i] && c->slots[i]->op == EXPR_CONST)
      c->slots[i] = build_temp(&c->build, NOWHERE, 0, 0, c->slots[i]->value);
}

static void run_body(struct mu_check *c, const struct mu_callable *callable, struct mu_frame *frame) {
  struct mu_frame *outer = c->frame;
  frame->outer = outer;
  c->frame = frame;
  mu_declare_local(c, &callable->function->declarations);
  mu_execute(c, &callable->function->body);
  c->frame = outer;
}

static void check_body(struct mu_check *c, struct mu_callable *callable) {
  struct mu_block block = {0}, *outer = c->block;
  const size_t slots = c->slot_count;
  struct mu_frame frame = {.callable = callable, .returned = mu_new_slot(c, build_const(&c->build, 0))};
  const struct mu_scope scope = mu_open_scope(c);
  c->block = &block;
  c->temp_count = 1;
  if (callable->result)
    frame.result = mu_local_object(c, "result", callable->result);
  const size_t first = c->slot_count;
  c->impure = c->assumes = c->covers_here = false;
  bind_unknown(c, callable);
  forget(c, first);
  run_body(c, callable, &frame);
  mu_close_scope(c, scope);
  callable->impure = c->impure;
  callable->assumes = c->assumes;
  callable->covers = c->covers_here;
  if ((c->assumes || c->covers_here) && callable->result)
    MU_ERROR(c, callable->function->name.at, "use a procedure, or write it into the rule",
             "floe does not read '%s' in functions", c->assumes ? "assume" : "cover");
  c->slot_count = slots;
  c->block = outer;
}

/* ---- calls --------------------------------------------------------------------------------------- */

static struct mu_value value_of_result(struct mu_check *c, const struct mu_expr *e, const struct mu_frame *frame) {
  struct mu_value value = {0};
  if (!frame->result)
    return value;
  value.type = frame->result->type;
  value.place = mu_whole(frame->result);
  value.place.read_only = true;
  if (mu_is_scalar(value.type))
    value.expr = mu_defined(c, e->at, mu_expr_text(c, e), mu_read(c, &value.place, e->at), value.type);
  return value;
}

/* In an expression the errors of the body become part of the result. */
static void attach_errors(struct mu_check *c, struct mu_value *value, size_t first, size_t end, source_at at) {
  if (!c->pending || !value->type)
    return;
  if (mu_is_scalar(value->type)) {
    value->expr = build_binary(&c->build, EXPR_ADD, at, c->pending, value->expr);
    return;
  }
  for (size_t i = first; i < end; i++)
    c->slots[i] = build_binary(&c->build, EXPR_ADD, at, c->pending, c->slots[i]);
}

static struct mu_value expand(struct mu_check *c, const struct mu_expr *e, const struct mu_callable *callable,
                              const struct argument *arguments) {
  const char *name = mu_name_text(c, e->name);
  const size_t slots = c->slot_count;
  const unsigned known_slots = c->known_slots;
  struct mu_frame frame = {.callable = callable};
  c->known_slots = 0;
  if (callable->result)
    frame.result = mu_local_object(c, name, callable->result);
  const size_t end = c->slot_count;
  frame.returned = mu_new_slot(c, build_const(&c->build, 0));
  const struct mu_hidden hidden = mu_hide(c, callable->level);
  const struct mu_scope scope = mu_open_scope(c);
  for (size_t i = 0; i < callable->parameter_count; i++)
    bind(c, &arguments[i]);
  run_body(c, callable, &frame);
  mu_close_scope(c, scope);
  mu_unhide(c, hidden);
  c->known_slots = known_slots;
  if (callable->result && !c->fails)
    mu_require(c, c->slots[frame.returned], SITE_ERROR, e->at,
               arena_printf(c->build.arena, "the end of function '%s' is reached without a value", name));
  struct mu_value value = value_of_result(c, e, &frame);
  if (!c->block) {
    attach_errors(c, &value, slots, end, e->at);
    c->fails = false; /* it may be an operand that is not always evaluated */
  }
  c->slot_count = callable->result && !mu_is_scalar(callable->result) ? end : slots;
  return value;
}

/* While bodies are checked, calls are not followed. */
static struct mu_value unknown_result(struct mu_check *c, const struct mu_callable *callable) {
  const struct mu_type *type = callable->result;
  if (!type)
    return mu_failed();
  if (mu_is_scalar(type))
    return mu_result(type, build_temp(&c->build, NOWHERE, 0, type->lo, type->hi));
  const size_t first = c->slot_count;
  struct mu_value value = {.type = type, .place = mu_whole(mu_local_object(c, "result", type))};
  forget(c, first);
  return value;
}

struct mu_value mu_call(struct mu_check *c, const struct mu_expr *e) {
  const struct mu_symbol *symbol = mu_resolve(c, e->name);
  struct mu_value value = mu_failed();
  if (!symbol)
    return value;
  if (symbol->kind != MU_SYMBOL_FUNCTION) {
    MU_ERROR(c, e->at, NULL, "'%s' is not a function", mu_name_text(c, e->name));
    return value;
  }
  const struct mu_callable *callable = symbol->callable;
  struct argument *arguments = arena_array(c->build.arena, callable->parameter_count + 1, sizeof *arguments);
  const struct expr *pending = c->pending;
  c->pending = NULL;
  if (++c->calls > MU_MAX_CALLS)
    build_too_large(&c->build, e->at,
                    "calls are nested more than 200 deep; recursion must end at a depth that does "
                    "not depend on the state");
  else if (build_spend(&c->build, e->at, 1, 1) && pass_arguments(c, e, callable, arguments)) {
    c->impure |= callable->impure;
    c->assumes |= callable->assumes;
    c->covers_here |= callable->covers;
    value = c->checking ? unknown_result(c, callable) : expand(c, e, callable, arguments);
  }
  c->calls--;
  c->pending = pending;
  return value;
}
