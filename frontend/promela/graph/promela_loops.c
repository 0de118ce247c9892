#include "frontend/promela/graph/promela_loops.h"

#include <string.h>

#define MAX_CHOICES 32 /* of select, as in Spin: more values make a loop */

static const struct pr_expr *expression(const struct pr_making *m, enum pr_op op, const struct pr_statement *s,
                                        const struct pr_expr *a, const struct pr_expr *b) {
  struct pr_expr *e = arena_alloc(m->arena, sizeof *e);
  *e = (struct pr_expr){.op = op, .at = s->at, .a = a, .b = b};
  e->depth = 1 + (a->depth > b->depth ? a->depth : b->depth);
  return e;
}

static void add(const struct pr_making *m, struct pr_statements *out, struct pr_statement s) {
  *ARENA_PUSH(m->arena, out->items, out->n, out->cap) = s;
}

struct pr_statement pr_simple(enum pr_statement_kind kind, const struct pr_statement *from,
                              const struct pr_expr *target, const struct pr_expr *value) {
  return (struct pr_statement){
      .kind = kind, .at = from->at, .first = from->first, .last = from->last, .target = target, .value = value};
}

/* Spin makes a loop also within inlines, and if the name of the variable has a `_`. */
bool pr_is_choice(const struct pr_model *model, const struct pr_statement *s) {
  const int64_t lo = s->from->value, hi = s->to->value;
  if (s->in_inline || s->from->op != PR_E_NUMBER || s->to->op != PR_E_NUMBER || hi < lo || hi > INT32_MAX ||
      hi - lo > MAX_CHOICES)
    return false;
  return s->target->op != PR_E_NAME || !strchr(model->names.names[s->target->name.id], '_');
}

/* if :: v = a :: v = a + 1 ... fi; NULL: the numbers are not constants, or too many. */
static const struct pr_statements *choice(const struct pr_making *m, const struct pr_statement *s) {
  const int64_t lo = s->from->value, hi = s->to->value;
  if (!pr_is_choice(m->model, s))
    return NULL;
  struct pr_statements *out = arena_alloc(m->arena, sizeof *out);
  struct pr_statement any = pr_simple(PR_S_IF, s, NULL, NULL);
  any.number = s->number + (uint32_t)(hi - lo) + 1;
  any.options = arena_array(m->arena, (size_t)(hi - lo) + 1, sizeof *any.options);
  for (int64_t i = lo; i <= hi; i++) {
    struct pr_expr *number = arena_alloc(m->arena, sizeof *number);
    *number = *s->from;
    number->value = i;
    number->constant = 0;
    number->last = number->first; /* no text of its own */
    add(m, &any.options[any.option_count], pr_simple(PR_S_ASSIGN, s, s->target, number));
    any.options[any.option_count].items[0].number = s->number + (uint32_t)any.option_count;
    any.option_count++;
  }
  add(m, out, any);
  return out;
}

const struct pr_expr *pr_number(struct arena *arena, const struct pr_statement *s, int64_t value) {
  struct pr_expr *e = arena_alloc(arena, sizeof *e);
  *e = (struct pr_expr){.op = PR_E_NUMBER, .at = s->at, .depth = 1, .value = value};
  return e;
}

/* v = a; do :: condition -> before; body; v++ :: else -> break od; without `leaves` :: break */
struct loop {
  const struct pr_expr *variable, *from, *condition;
  struct pr_statement before[2];
  size_t before_count;
  const struct pr_statements *body;
  bool leaves;
};

/* Spin's numbers of its statements: the start, the condition, those before the body, ... */
static void number_loop(const struct pr_statement *s, struct pr_statements *out, struct pr_statements *options,
                        bool leaves) {
  const uint32_t after = s->last_number;
  out->items[0].number = s->number;
  for (size_t i = 0; i < options[0].n; i++)
    options[0].items[i].number = s->number + 1 + (uint32_t)i;
  options[0].items[options[0].n - 1].number = after;
  for (size_t i = 0; i < options[1].n; i++)
    options[1].items[i].number = after + 1 + (uint32_t)i;
  out->items[1].number = after + (leaves ? 3 : 2);
}

static const struct pr_statements *loop_of(const struct pr_making *m, const struct pr_statement *s,
                                           const struct loop *loop) {
  struct pr_statements *out = arena_alloc(m->arena, sizeof *out), *options = arena_array(m->arena, 2, sizeof *options);
  struct pr_statement repeat = pr_simple(PR_S_DO, s, NULL, NULL);
  add(m, &options[0], pr_simple(PR_S_EXPRESSION, s, NULL, loop->condition));
  for (size_t i = 0; i < loop->before_count; i++)
    add(m, &options[0], loop->before[i]);
  if (loop->body->n) {
    struct pr_statement block = pr_simple(PR_S_BLOCK, s, NULL, NULL);
    block.body = *loop->body;
    block.made = true;
    add(m, &options[0], block);
  }
  add(m, &options[0], pr_simple(PR_S_INCREMENT, s, loop->variable, NULL));
  if (loop->leaves)
    add(m, &options[1], pr_simple(PR_S_ELSE, s, NULL, NULL));
  add(m, &options[1], pr_simple(PR_S_BREAK, s, NULL, NULL));
  repeat.options = options;
  repeat.option_count = 2;
  add(m, out, pr_simple(PR_S_ASSIGN, s, loop->variable, loop->from));
  add(m, out, repeat);
  number_loop(s, out, options, loop->leaves);
  return out;
}

static const struct pr_variable *variable_in(const struct pr_variables *all, uint32_t name) {
  for (size_t i = 0; i < all->n; i++)
    if (all->items[i].name.id == name)
      return &all->items[i];
  return NULL;
}

const struct pr_variable *pr_declared(const struct pr_scope *scope, uint32_t name) {
  for (; scope; scope = scope->outer)
    for (size_t i = 0; i < scope->n; i++)
      if (scope->variables[i]->name.id == name)
        return scope->variables[i];
  return NULL;
}

static const struct pr_variable *find_variable(const struct pr_making *m, const struct pr_scope *scope, uint32_t name) {
  const struct pr_variable *found = pr_declared(scope, name);
  found = found ? found : variable_in(&m->process->parameters, name);
  return found ? found : variable_in(&m->model->globals, name);
}

/* for (v in array): its indices. for (v in channel): each message, which is received and sent again. */
static const struct pr_statements *for_each(const struct pr_making *m, const struct pr_statement *s,
                                            const struct pr_scope *scope) {
  const struct pr_variable *v = s->value->op == PR_E_NAME ? find_variable(m, scope, s->value->name.id) : NULL;
  struct loop loop = {.variable = s->target, .from = pr_number(m->arena, s, 0), .body = &s->body, .leaves = true};
  if (v && v->size)
    loop.condition = expression(m, PR_E_LT, s, s->target, v->size);
  else {
    struct pr_expr *counter = arena_alloc(m->arena, 2 * sizeof *counter), *length = counter + 1;
    *counter = (struct pr_expr){.op = PR_E_NAME, .at = s->at, .depth = 1, .name = s->variables.items[0].name};
    *length = (struct pr_expr){.op = PR_E_LEN, .at = s->at, .first = s->first, .depth = 2, .a = s->value};
    loop.variable = counter;
    loop.condition = expression(m, PR_E_LT, s, counter, length);
    loop.before_count = 2;
    for (size_t i = 0; i < 2; i++) {
      loop.before[i] = pr_simple(i ? PR_S_SEND : PR_S_RECEIVE, s, s->value, NULL);
      *ARENA_PUSH(m->arena, loop.before[i].arguments.items, loop.before[i].arguments.n, loop.before[i].arguments.cap) =
          s->target;
    }
  }
  return loop_of(m, s, &loop);
}

/* for: a loop over lo..hi; select, unless it is a choice, one that may end at each value. */
const struct pr_statements *pr_written_out(const struct pr_making *m, const struct pr_statement *s,
                                           const struct pr_scope *scope) {
  static const struct pr_statements none;
  if (s->kind == PR_S_FOR_EACH)
    return for_each(m, s, scope);
  const struct pr_statements *chosen = s->kind == PR_S_SELECT ? choice(m, s) : NULL;
  if (chosen)
    return chosen;
  const bool repeats = s->kind == PR_S_FOR;
  const struct loop loop = {.variable = s->target,
                            .from = s->from,
                            .condition = expression(m, repeats ? PR_E_LE : PR_E_LT, s, s->target, s->to),
                            .body = repeats ? &s->body : &none,
                            .leaves = repeats};
  return loop_of(m, s, &loop);
}
