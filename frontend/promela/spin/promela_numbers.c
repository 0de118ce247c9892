/* Spin's numbers of statements: it numbers the elements of all processes in the order in which its parser makes them,
   inner ones first. In Spin's source: new_el, if_seq, unless_seq, add_el, for_setup, for_body, sel_index. */
#include "frontend/promela/graph/promela_graph.h"

struct numbering {
  struct pr_model *model;
  uint32_t next;
};

static void number_statements(struct numbering *n, struct pr_statements *all, bool is_body);

static void give_up(struct numbering *n, const char *why) {
  if (!n->model->unnumbered)
    n->model->unnumbered = why;
}

static bool is_observed(const struct pr_model *model, uint32_t label) {
  for (size_t i = 0; i < model->observed.n; i++)
    if (model->observed.items[i].label == label)
      return true;
  return false;
}

/* Before a jump with such a label Spin inserts an element that does nothing, which takes the label and is the step. For
   labels that some P@label observes, it does so when it reads that expression. */
static void number_jump(struct numbering *n, struct pr_statement *s) {
  bool inserts = false;
  s->number = n->next++;
  for (size_t i = 0; i < s->labels.n; i++) {
    const uint32_t label = s->labels.items[i].id;
    const bool special = pr_is_special(n->model->names.names[label]);
    inserts |= special;
    if (!special && is_observed(n->model, label))
      give_up(n, "P@label names the label of a jump");
  }
  if (inserts)
    s->number = n->next++;
}

/* Spin has no element for the braces of a block beside `unless`. */
static bool is_plain_block(const struct pr_statement *s) { return s->kind == PR_S_BLOCK && s->labels.n == 0; }

static void number_parts(struct numbering *n, struct pr_statement *s) {
  number_statements(n, &s->body, false);
  for (size_t i = 0; i < s->option_count; i++)
    number_statements(n, &s->options[i], false);
}

static void number_range(struct numbering *n, struct pr_statement *s) {
  s->number = n->next;
  if (s->kind == PR_S_SELECT && pr_is_choice(n->model, s)) {
    n->next += (uint32_t)(s->to->value - s->from->value) + 1;
    n->next += 2; /* if, fi */
    return;
  }
  if (s->kind == PR_S_FOR_EACH)
    give_up(n, "a loop over an array or a channel");
  n->next += 2; /* the start, the condition */
  number_statements(n, &s->body, false);
  s->last_number = n->next;
  n->next += s->kind == PR_S_SELECT ? 2 : 3; /* the increment, else, break */
  n->next += 3;                              /* do, od, behind it */
}

/* What stands behind its parts. */
static void number_element(struct numbering *n, struct pr_statement *s) {
  switch (s->kind) {
  case PR_S_GOTO:
  case PR_S_BREAK:
    number_jump(n, s);
    return;
  case PR_S_IF:
  case PR_S_DO:
    s->number = n->next;
    n->next += s->kind == PR_S_DO ? 3 : 2;
    return;
  default:
    s->number = n->next++;
  }
}

/* Spin makes the elements of both sides when it has read them: that of the escape first. A label before a block makes
   the block an element around the whole. */
static void number_unless(struct numbering *n, struct pr_statement *s) {
  struct pr_statement *body = &s->body.items[0], *escape = &s->escape.items[0];
  const bool around =
      body->labels.n == 1 && (body->kind == PR_S_BLOCK || body->kind == PR_S_ATOMIC || body->kind == PR_S_D_STEP);
  const bool loops = body->kind == PR_S_FOR || body->kind == PR_S_FOR_EACH || body->kind == PR_S_SELECT ||
                     escape->kind == PR_S_FOR || escape->kind == PR_S_FOR_EACH || escape->kind == PR_S_SELECT;
  if (loops || s->escape.n != 1 || s->body.n != 1)
    give_up(n, "a loop over a range beside 'unless'");
  number_parts(n, body);
  number_parts(n, escape);
  if (!is_plain_block(escape))
    number_element(n, escape);
  if (!is_plain_block(body) && !around)
    number_element(n, body);
  s->number = n->next;
  n->next += 2;
  if (around)
    number_element(n, body);
}

static void number_statement(struct numbering *n, struct pr_statement *s) {
  if (s->kind == PR_S_UNLESS)
    number_unless(n, s);
  else if (s->kind == PR_S_FOR || s->kind == PR_S_FOR_EACH || s->kind == PR_S_SELECT)
    number_range(n, s);
  else if (s->kind != PR_S_EXCLUSIVE) {
    number_parts(n, s);
    number_element(n, s);
  }
}

/* `is_body`: of a process, whose first declarations are no elements. */
static void number_statements(struct numbering *n, struct pr_statements *all, bool is_body) {
  bool leading = is_body;
  for (size_t i = 0; i < all->n; i++) {
    struct pr_statement *s = &all->items[i];
    if (s->kind == PR_S_DECLARE) {
      s->number = n->next;
      n->next += leading ? 0 : (uint32_t)s->variables.n;
      continue;
    }
    leading &= s->kind == PR_S_EXCLUSIVE;
    number_statement(n, s);
  }
}

static void number_process(struct numbering *n, struct pr_proctype *process) {
  process->first_number = n->next;
  number_statements(n, &process->body, true);
  process->end_number = n->next++;
}

/* The one that comes first in the text. */
static struct pr_proctype *earlier(struct pr_proctype *a, struct pr_proctype *b) {
  return !a || (b && b->body.items[0].first < a->body.items[0].first) ? b : a;
}

void pr_number_statements(struct pr_model *model) {
  struct numbering n = {.model = model};
  struct pr_proctype *trace = model->trace;
  for (size_t p = 0, c = 0;;) {
    struct pr_proctype *process = p < model->proctypes.n ? &model->proctypes.items[p] : NULL;
    struct pr_proctype *claim = c < model->claims.n ? &model->claims.items[c] : NULL;
    struct pr_proctype *next = earlier(earlier(process, claim), trace);
    if (!next)
      return;
    number_process(&n, next);
    p += next == process;
    c += next == claim;
    trace = next == trace ? NULL : trace;
  }
}
