#include "frontend/promela/graph/promela_graph.h"

#include "frontend/promela/graph/promela_loops.h"

#include <string.h>

/* A statement in its sequence. */
struct element {
  const struct pr_statement *statement; /* NULL: the end of the process */
  struct element *next;                 /* behind it */
  struct element *exit;                 /* PR_S_BREAK: where it leads */
  struct element *body;                 /* first of a block, atomic sequence or the body of `unless` */
  struct element **options;             /* first of each */
  size_t option_count;
  const struct escapes *escapes;
  const void *atomic; /* the sequence that it belongs to; NULL: none */
  const void *d_step; /* the same */
  bool begins_d_step;
  bool ends_atomic;                   /* the jump behind a choice that is the last statement of an atomic sequence */
  const struct pr_statement *entered; /* the outermost block that begins with it; NULL: none */
  const struct pr_scope *scope;
  const void *inlined;     /* the call of an inline that it belongs to; NULL: none */
  struct element *settled; /* where steps to it lead; NULL: not known yet */
  uint32_t location;       /* plus 1; 0: none yet */
};
/* First elements of the escape sequences of the `unless` around an element, the innermost first. */
struct escapes {
  struct element *first;
  const struct escapes *outer;
};
struct label {
  struct pr_name name;
  struct element *element;
  size_t next; /* of the same name: its number plus 1; 0: none */
};

struct grapher {
  const struct pr_model *model;
  const struct pr_proctype *process;
  struct arena *arena;
  floe_log *log;
  struct pr_graph *out;
  struct label *labels;
  size_t label_count, label_cap, element_count;
  size_t *labels_of;      /* a name: number plus 1 of its first label; 0: none */
  struct element **found; /* of each location */
  size_t found_count, found_cap;
  struct element *end;
  bool failed;
};

#define GRAPH_ERROR(g, at, hint, ...)                                                                                  \
  do {                                                                                                                 \
    (g)->failed = true;                                                                                                \
    diag_error((g)->log, (g)->model->source, (at), (hint), __VA_ARGS__);                                               \
  } while (0)

struct context {
  struct element *next, *exit; /* exit NULL: in no loop */
  const struct escapes *escapes;
  const void *atomic, *d_step, *inlined;
  const struct pr_scope *scope;
};

static struct element *sequence(struct grapher *g, const struct pr_statements *s, struct context context);

/* ---- elements ------------------------------------------------------------------------------------ */

static bool is_step(const struct pr_statement *s) { return s->kind != PR_S_DECLARE && s->kind != PR_S_EXCLUSIVE; }

static bool is_print(const struct pr_statement *s) { return s->kind == PR_S_PRINT && s->labels.n == 0; }

/* `skip`, 1, true. */
static bool is_skip(const struct pr_statement *s) {
  return s->kind == PR_S_EXPRESSION && s->labels.n == 0 && s->value->op == PR_E_NUMBER && s->value->value == 1;
}

/* In an option Spin leaves out each `skip` behind another one or a printf, but the last statement. */
static const struct pr_statements *without_redundant(struct grapher *g, const struct pr_statements *option) {
  struct pr_statements *out = arena_alloc(g->arena, sizeof *out);
  size_t last = option->n, run = 0; /* successive skips and prints */
  while (last > 0 && !is_step(&option->items[last - 1]))
    last--;
  for (size_t i = 0; i < option->n; i++) {
    const struct pr_statement *s = &option->items[i];
    if (is_step(s))
      run = is_skip(s) || is_print(s) ? run + 1 : 0;
    if (run <= 1 || !is_skip(s) || i + 1 == last)
      *ARENA_PUSH(g->arena, out->items, out->n, out->cap) = *s;
  }
  return out;
}

/* The sequence that begins with `first` and leads to `next` has no statement, but maybe blocks that have none. */
static bool is_empty(const struct element *first, const struct element *next) {
  while (first != next && first->body)
    first = first->body;
  return first == next;
}

static struct element *innermost(struct element *e) {
  while (e->body)
    e = e->body;
  return e;
}

static bool is_jump(const struct element *e) {
  return e->statement && (e->statement->kind == PR_S_GOTO || e->statement->kind == PR_S_BREAK);
}

/* Spin has an element for the braces, but not for those of `for`, and beside `unless` only behind a label. */
static bool is_block_element(const struct pr_statement *s) {
  return s->kind == PR_S_ATOMIC || s->kind == PR_S_D_STEP || (s->kind == PR_S_BLOCK && (!s->made || s->labels.n));
}

/* A block or atomic sequence has a location of its own if it begins with a loop, which does not return to it, or with a
   jump, which is a step there. */
static bool stands_alone(struct element *e) {
  const struct element *first = innermost(e);
  return e->body && is_block_element(e->statement) && e->statement->kind != PR_S_D_STEP && first->statement &&
         (first->statement->kind == PR_S_DO || is_jump(first));
}

/* A process before a block is at the element of the block. */
static void mark_entered(struct element *e, const struct element *next) {
  if (!is_block_element(e->statement) || is_empty(e->body, next) || stands_alone(e))
    return;
  for (struct element *x = e->body; x; x = x->body)
    x->entered = e->statement;
}

static struct element *new_element(struct grapher *g, const struct pr_statement *s, struct context context) {
  struct element *e = arena_alloc(g->arena, sizeof *e);
  *e = (struct element){.statement = s,
                        .next = context.next,
                        .escapes = context.escapes,
                        .atomic = context.atomic,
                        .d_step = context.d_step,
                        .inlined = context.inlined,
                        .scope = context.scope};
  g->element_count++;
  return e;
}

/* The last statement of an atomic sequence, also within blocks at its end; NULL: none. */
static const struct pr_statement *last_statement(const struct pr_statement *atomic) {
  const struct pr_statement *last = atomic;
  do {
    size_t n = last->body.n;
    while (n > 0 && !is_step(&last->body.items[n - 1]))
      n--;
    last = n > 0 ? &last->body.items[n - 1] : NULL;
  } while (last && (last->kind == PR_S_BLOCK || last->kind == PR_S_ATOMIC));
  return last;
}

/* It belongs to an atomic sequence, and is not its last statement. */
static bool is_within_atomic(const struct element *e) {
  return e->atomic && !e->d_step && !e->ends_atomic && e->statement != last_statement(e->atomic);
}

/* Spin has a jump behind a choice. It matters where a send may lead to it, and out of an atomic sequence. */
static struct element *jump_behind(struct grapher *g, const struct element *choice, struct context context) {
  if (!context.atomic || context.d_step || is_within_atomic(context.next))
    return context.next;
  struct pr_statement *s = arena_alloc(g->arena, sizeof *s);
  *s = pr_simple(PR_S_BREAK, choice->statement, NULL, NULL);
  s->number = choice->statement->number;
  struct element *e = new_element(g, s, context);
  e->exit = context.next;
  e->ends_atomic = !is_within_atomic(choice);
  return e;
}

static void add_option(struct grapher *g, struct element *e, const struct pr_statements *option, struct context inner) {
  struct element *first = sequence(g, without_redundant(g, option), inner);
  if (is_empty(first, inner.next))
    GRAPH_ERROR(g, e->statement->at, "write skip", "an option has no statement");
  else
    e->options[e->option_count++] = first;
}

static bool begins_with_else(const struct pr_statements *s) {
  size_t i = 0;
  while (i < s->n && !is_step(&s->items[i]))
    i++;
  return i < s->n && s->items[i].kind == PR_S_ELSE;
}

/* `else` is the last option. */
static void add_options(struct grapher *g, struct element *e, struct context context) {
  const struct pr_statement *s = e->statement;
  const bool loop = s->kind == PR_S_DO;
  struct context inner = context;
  inner.next = loop ? e : jump_behind(g, e, context);
  inner.exit = loop ? context.next : context.exit;
  e->options = arena_array(g->arena, s->option_count + 1, sizeof *e->options);
  for (size_t last = 0; last < 2; last++)
    for (size_t i = 0; i < s->option_count; i++)
      if (begins_with_else(&s->options[i]) == (last == 1))
        add_option(g, e, &s->options[i], inner);
}

/* An escape interrupts it before its first statement only. */
static void add_d_step(struct grapher *g, struct element *e, struct context context) {
  const struct escapes *escapes = context.escapes;
  context.d_step = context.d_step ? context.d_step : e->statement;
  context.escapes = NULL;
  e->body = sequence(g, &e->statement->body, context);
  if (is_empty(e->body, context.next)) {
    GRAPH_ERROR(g, e->statement->at, "write skip", "a d_step has no statement");
    return;
  }
  struct element *first = e->body;
  while (first->body)
    first = first->body;
  first->escapes = escapes;
  first->begins_d_step = true;
}

/* Spin has such a jump at the location of the choice, before the steps of other options. */
static void refuse_jump_escapes(struct grapher *g, const struct element *e, const struct escapes *around) {
  for (size_t i = 0; i < e->option_count; i++)
    for (const struct escapes *x = innermost(e->options[i])->escapes; x && x != around; x = x->outer)
      if (is_jump(innermost(x->first)))
        GRAPH_ERROR(g, innermost(x->first)->statement->at, "write skip before the jump",
                    "an option begins with an 'unless' whose second part is a jump");
}

static void add_parts(struct grapher *g, struct element *e, struct context context) {
  const struct pr_statement *s = e->statement;
  struct escapes *escapes;
  switch (s->kind) {
  case PR_S_ATOMIC:
    context.atomic = context.atomic ? context.atomic : s;
    e->body = sequence(g, &s->body, context);
    break;
  case PR_S_D_STEP:
    add_d_step(g, e, context);
    break;
  case PR_S_BLOCK:
    context.inlined = s->inlined ? s : context.inlined;
    e->body = sequence(g, &s->body, context);
    break;
  case PR_S_FOR:
  case PR_S_FOR_EACH:
  case PR_S_SELECT:
    e->body =
        sequence(g, pr_written_out(&(struct pr_making){g->model, g->process, g->arena}, s, context.scope), context);
    break;
  case PR_S_UNLESS:
    context.next = jump_behind(g, e, context);
    escapes = arena_alloc(g->arena, sizeof *escapes);
    escapes->first = sequence(g, &s->escape, context);
    escapes->outer = context.escapes;
    if (is_empty(escapes->first, context.next))
      GRAPH_ERROR(g, s->at, "write skip", "the sequence behind 'unless' has no statement");
    context.escapes = escapes;
    e->body = sequence(g, &s->body, context);
    break;
  case PR_S_IF:
  case PR_S_DO:
    add_options(g, e, context);
    refuse_jump_escapes(g, e, context.escapes);
    break;
  case PR_S_BREAK:
    e->exit = context.exit;
    if (!context.exit)
      GRAPH_ERROR(g, s->at, NULL, "'break' is in no loop");
    break;
  default:
    break;
  }
}

static struct element *element(struct grapher *g, const struct pr_statement *s, struct context context) {
  struct element *e = new_element(g, s, context);
  for (size_t i = 0; i < s->labels.n; i++)
    *ARENA_PUSH(g->arena, g->labels, g->label_count, g->label_cap) = (struct label){s->labels.items[i], e, 0};
  add_parts(g, e, context);
  mark_entered(e, context.next);
  return e;
}

/* The assignment of its initial value, 0 if none is written: to the first element of an array, as in Spin. A record
   makes a step without effect. */
static const struct pr_statement *initialisation(struct grapher *g, const struct pr_statement *declaration,
                                                 const struct pr_variable *v) {
  struct pr_statement *s = arena_alloc(g->arena, sizeof *s);
  if (v->type == PR_T_RECORD) {
    *s = pr_simple(PR_S_EXPRESSION, declaration, NULL, pr_number(g->arena, declaration, 1));
    s->number = declaration->number + (uint32_t)(v - declaration->variables.items);
    return s;
  }
  struct pr_expr *target = arena_alloc(g->arena, 2 * sizeof *target), *index = target + 1;
  *target = (struct pr_expr){.op = PR_E_NAME, .at = v->name.at, .depth = 1, .name = v->name};
  if (v->size) {
    struct pr_expr *zero = arena_alloc(g->arena, sizeof *zero);
    *zero = (struct pr_expr){.op = PR_E_NUMBER, .at = v->name.at, .depth = 1};
    *index = (struct pr_expr){.op = PR_E_INDEX, .at = v->name.at, .depth = 2, .a = target, .b = zero};
    target = index;
  }
  *s = pr_simple(PR_S_ASSIGN, declaration, target, v->value ? v->value : pr_number(g->arena, declaration, 0));
  s->at = v->name.at;
  s->number = declaration->number + (uint32_t)(v - declaration->variables.items);
  return s;
}

static struct element *declaration(struct grapher *g, const struct pr_statement *s, struct context context) {
  for (size_t i = s->variables.n; i-- > 0;) {
    const struct pr_variable *v = &s->variables.items[i];
    if (v->values.n || v->channel)
      GRAPH_ERROR(g, v->name.at, "move the declaration to the beginning of the process",
                  "'%s' is declared behind a statement: it cannot begin with %s", g->model->names.names[v->name.id],
                  v->channel ? "a channel" : "a list of values");
    else
      context.next = element(g, initialisation(g, s, v), context);
  }
  return context.next;
}

/* Declarations at the beginning of a process, whose values it has when it is created. */
size_t pr_leading_declarations(const struct pr_proctype *process) {
  size_t n = 0;
  while (n < process->body.n && !is_step(&process->body.items[n]))
    n++;
  return n;
}

/* Declarations of the list and of lists within it that have no braces. */
static void collect(struct grapher *g, const struct pr_statements *list, struct pr_scope *out) {
  for (size_t i = 0; i < list->n; i++) {
    const struct pr_statement *s = &list->items[i];
    for (size_t k = 0; k < s->variables.n; k++)
      *ARENA_PUSH(g->arena, out->variables, out->n, out->cap) = &s->variables.items[k];
    for (size_t k = 0; k < s->option_count; k++)
      collect(g, &s->options[k], out);
    if (s->kind == PR_S_UNLESS) {
      collect(g, &s->body, out);
      collect(g, &s->escape, out);
    }
  }
}

/* The body of a process always has one: in contexts without a scope, names of all blocks are known. */
static const struct pr_scope *scope_of(struct grapher *g, const struct pr_statements *s, const struct pr_scope *outer) {
  struct pr_scope scope = {.outer = outer}, *out;
  collect(g, s, &scope);
  if (outer && !scope.n)
    return outer;
  out = arena_alloc(g->arena, sizeof *out);
  *out = scope;
  return out;
}

/* The first element, context.next if there is none. */
static struct element *sequence(struct grapher *g, const struct pr_statements *s, struct context context) {
  const size_t leading = s == &g->process->body ? pr_leading_declarations(g->process) : 0;
  context.scope = scope_of(g, s, context.scope);
  for (size_t i = s->n; i-- > 0;)
    if (is_step(&s->items[i]))
      context.next = element(g, &s->items[i], context);
    else if (s->items[i].kind == PR_S_DECLARE && i >= leading)
      context.next = declaration(g, &s->items[i], context);
  return context.next;
}

/* ---- locations ----------------------------------------------------------------------------------- */

/* As in Spin the calls of an inline have labels of their own, but a jump may lead into another one. */
static struct element *labelled(struct grapher *g, const struct pr_name *label, const void *inlined) {
  struct element *other = NULL;
  for (size_t i = g->labels_of[label->id]; i; i = g->labels[i - 1].next) {
    other = g->labels[i - 1].element;
    if (other->inlined == inlined)
      return other;
  }
  if (other)
    return other;
  GRAPH_ERROR(g, label->at, NULL, "there is no label '%s'", g->model->names.names[label->id]);
  return g->end;
}

static struct element *jump_target(struct grapher *g, const struct element *e) {
  return e->statement->kind == PR_S_BREAK ? e->exit : labelled(g, &e->statement->label, e->inlined);
}

/* Some expression has P@label for this process. */
static bool is_observed(const struct grapher *g, uint32_t label) {
  for (size_t i = 0; !g->process->is_init && i < g->model->observed.n; i++)
    if (g->model->observed.items[i].label == label && g->model->observed.items[i].proctype == g->process->name.id)
      return true;
  return false;
}

bool pr_is_special(const char *label) {
  return strncmp(label, "accept", 6) == 0 || strncmp(label, "end", 3) == 0 || strncmp(label, "progress", 8) == 0;
}

/* Spin keeps a jump as a step if its label is observed, or begins with accept, end or progress. */
static bool has_location(const struct grapher *g, const struct element *e) {
  for (size_t i = 0; i < e->statement->labels.n; i++)
    if (pr_is_special(g->model->names.names[e->statement->labels.items[i].id]) ||
        is_observed(g, e->statement->labels.items[i].id))
      return true;
  return false;
}

/* Where `e` leads without a step; NULL: it is a location. */
static struct element *without_step(struct grapher *g, struct element *e) {
  if (e->body)
    return stands_alone(e) ? NULL : e->body;
  return is_jump(e) && !has_location(g, e) ? jump_target(g, e) : NULL;
}

/* The element whose location a step to `e` reaches. */
static struct element *settled(struct grapher *g, struct element *e) {
  struct element *at = e, *next;
  for (size_t count = 0; !at->settled; count++, at = next) {
    if (count > g->element_count)
      GRAPH_ERROR(g, e->statement->at, NULL, "jumps lead in a circle");
    next = g->failed ? NULL : without_step(g, at);
    if (!next)
      at->settled = g->failed ? g->end : at;
    next = next ? next : at;
  }
  for (struct element *result = at->settled; !g->failed && !e->settled; e = next) {
    next = without_step(g, e);
    e->settled = result;
  }
  return at->settled;
}

/* A step of an atomic sequence to `e` stays atomic: jumps lead only to elements of atomic sequences, of any. */
static bool stays_atomic(struct grapher *g, struct element *e) {
  for (struct element *next; e->atomic && !g->failed && (next = without_step(g, e));)
    e = next;
  return e->atomic;
}

static uint32_t location_of(struct grapher *g, struct element *e) {
  if (!e->location) {
    *ARENA_PUSH(g->arena, g->found, g->found_count, g->found_cap) = e;
    e->location = (uint32_t)g->found_count;
  }
  return e->location - 1;
}

/* ---- steps --------------------------------------------------------------------------------------- */

/* Where a send within an atomic sequence leads; NULL: as other statements. A rendezvous ends atomicity, and as Spin
   follows no jump out of the sequence for a step within it, others see the process at such a jump. (Other steps are
   not seen there: the jump belongs to the same step.) */
static struct element *left_at(struct grapher *g, const struct element *of, struct element *to) {
  struct element *next;
  if (of->statement->kind != PR_S_SEND || !is_within_atomic(of))
    return NULL;
  for (size_t count = 0; count <= g->element_count && !g->failed && (next = without_step(g, to)); count++, to = next)
    if (is_jump(to) && !is_within_atomic(next))
      return to;
  return NULL;
}

static void add_step(struct grapher *g, struct pr_step step, const struct element *of, struct element *to) {
  struct element *left = left_at(g, of, to), *target = left ? left : settled(g, to);
  step.statement = of->statement;
  step.number = of->statement->number;
  step.to = location_of(g, target);
  step.d_step = of->d_step;
  step.scope = of->scope;
  step.keeps = left || (of->atomic && stays_atomic(g, to));
  step.keeps_d_step = of->d_step && target->d_step == of->d_step;
  *ARENA_PUSH(g->arena, g->out->steps, g->out->step_count, g->out->step_cap) = step;
}

static void add_steps(struct grapher *g, struct pr_step step, struct element *e) {
  if (e->body) {
    add_steps(g, step, e->body);
    return;
  }
  switch (e->statement->kind) {
  case PR_S_IF:
  case PR_S_DO:
    for (size_t i = 0; i < e->option_count; i++)
      add_steps(g, step, e->options[i]);
    break;
  case PR_S_GOTO:
  case PR_S_BREAK:
    step.kind = PR_STEP_JUMP;
    add_step(g, step, e, jump_target(g, e));
    break;
  case PR_S_ELSE:
    step.kind = PR_STEP_ELSE;
    add_step(g, step, e, e->next);
    break;
  default:
    add_step(g, step, e, e->next);
  }
}

static void add_location(struct grapher *g, uint32_t number) {
  struct element *e = g->found[number];
  struct pr_location *location = ARENA_PUSH(g->arena, g->out->locations, g->out->location_count, g->out->location_cap);
  const size_t first = g->out->step_count;
  uint32_t escape = 0;
  const struct pr_statement *at = e->d_step && !e->begins_d_step ? e->d_step : e->entered ? e->entered : e->statement;
  *location = (struct pr_location){.at = e->statement ? e->statement->at : g->process->end,
                                   .number = at ? at->number : g->process->end_number,
                                   .first = first};
  if (!e->statement) {
    *ARENA_PUSH(g->arena, g->out->steps, g->out->step_count, g->out->step_cap) =
        (struct pr_step){.kind = PR_STEP_END, .from = number, .to = number, .number = g->process->end_number};
  } else {
    add_steps(g, (struct pr_step){.from = number}, e);
    for (const struct escapes *x = innermost(e)->escapes; x; x = x->outer)
      add_steps(g, (struct pr_step){.from = number, .escape = ++escape},
                is_jump(innermost(x->first)) ? settled(g, x->first) : x->first);
  }
  g->out->locations[number].count = g->out->step_count - first;
}

/* A label is at the location that a jump to it reaches, if any step leads there. */
static void add_labels(struct grapher *g) {
  for (size_t i = 0; i < g->label_count && !g->failed; i++) {
    const struct element *e = settled(g, g->labels[i].element);
    struct pr_names *labels = e->location ? &g->out->locations[e->location - 1].labels : NULL;
    if (labels)
      *ARENA_PUSH(g->arena, labels->items, labels->n, labels->cap) =
          (struct pr_name){g->labels[i].name.id, g->labels[i].element->statement->at};
  }
}

/* Spin refuses jumps into a d_step, too. */
static void refuse_middle(struct grapher *g, const struct element *to, source_at at) {
  if (to->d_step && !to->begins_d_step)
    GRAPH_ERROR(g, at, NULL, "a step leads into the middle of a d_step");
}

static void check_d_steps(struct grapher *g) {
  refuse_middle(g, g->found[0], g->process->at);
  for (size_t i = 0; i < g->out->step_count && !g->failed; i++) {
    const struct pr_step *step = &g->out->steps[i];
    const struct element *to = g->found[step->to];
    const bool within = to->d_step && step->d_step == to->d_step;
    if (!within && step->statement)
      refuse_middle(g, to, step->statement->at);
    else if (within && to->begins_d_step && to->escapes)
      GRAPH_ERROR(g, to->statement->at, "write skip before the loop", "a d_step within 'unless' begins with a loop");
  }
}

/* Spin refuses two labels of the same name, but not in two calls of inlines. */
static void list_labels(struct grapher *g) {
  g->labels_of = arena_array(g->arena, g->model->names.count + 1, sizeof *g->labels_of);
  for (size_t i = 0; i < g->label_count; i++) {
    struct label *label = &g->labels[i];
    const size_t same = g->labels_of[label->name.id];
    if (same && g->labels[same - 1].element->inlined == label->element->inlined)
      GRAPH_ERROR(g, g->labels[same - 1].name.at, NULL, "the process has a label '%s' already",
                  g->model->names.names[label->name.id]);
    label->next = same;
    g->labels_of[label->name.id] = i + 1;
  }
}

bool pr_build_graph(const struct pr_model *model, const struct pr_proctype *process, struct arena *arena, floe_log *log,
                    struct pr_graph *out) {
  struct element end = {0};
  struct grapher g = {.model = model, .process = process, .arena = arena, .log = log, .out = out, .end = &end};
  *out = (struct pr_graph){0};
  struct element *first = sequence(&g, &process->body, (struct context){.next = &end});
  list_labels(&g);
  if (g.failed)
    return false;
  /* A process that begins with a jump begins where this leads, but not if the jump is in a block. */
  while (first->statement && first->statement->kind == PR_S_UNLESS)
    first = first->body;
  if (is_jump(first))
    first = settled(&g, first);
  while (first->body && !stands_alone(first))
    first = first->body;
  location_of(&g, first);
  for (uint32_t i = 0; i < g.found_count && !g.failed; i++)
    add_location(&g, i);
  add_labels(&g);
  check_d_steps(&g);
  return !g.failed;
}
