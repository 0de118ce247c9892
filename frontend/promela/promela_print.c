/* printf and printm: what a step prints. */
#include "frontend/promela/promela_check.h"

#include <string.h>

struct printed {
  struct pr_context context;
  struct pr_printed_part *parts;
  size_t n, cap;
};

static void add(struct printed *p, struct printed_part part, const struct pr_expr *from) {
  *ARENA_PUSH(p->context.check->build.arena, p->parts, p->n, p->cap) = (struct pr_printed_part){part, from};
}

/* The names of the values of an argument: those of its kind of mtype. */
static const struct enumeration *names_of(const struct printed *p, const struct pr_expr *e) {
  struct pr_check *c = p->context.check;
  struct pr_scalar kind = {.type = PR_T_MTYPE, .subtype = PR_NO_NAME};
  struct pr_reference r;
  const struct pr_process *owner;
  const bool variable = e->op == PR_E_INDEX || e->op == PR_E_FIELD ||
                        (e->op == PR_E_NAME && pr_find(&p->context, e->name.id, &owner) != NULL);
  if (variable && pr_refer_one(&p->context, e, &r))
    kind.subtype = r.leaf->scalar.subtype;
  else if (e->op == PR_E_NAME)
    kind.subtype = pr_mtype_kind(c, e->name.id);
  return pr_enumeration(c, &kind);
}

/* No step evaluates the value, so that it may fail. */
static void add_value(struct printed *p, const struct pr_expr *e, char form) {
  const struct expr *value = pr_lower(&p->context, e);
  add(p, (struct printed_part){.value = value, .form = form, .names = value && form == 'e' ? names_of(p, e) : NULL}, e);
}

/* The character behind a backslash, as Spin prints it. */
static char escaped(char c) { return c == 'n' ? '\n' : c == 't' ? '\t' : c; }

static void add_text(struct printed *p, const char *text, size_t length) {
  if (length)
    add(p, (struct printed_part){.text = arena_copy(p->context.check->build.arena, text, length)}, NULL);
}

/* As Spin reads it: quotation marks are left out. */
static void add_format(struct printed *p, const struct pr_statement *s) {
  char *text = arena_alloc(p->context.check->build.arena, strlen(s->text) + 1);
  size_t length = 0, argument = 0;
  for (const char *at = s->text; *at; at++) {
    if (at[0] == '\\' && at[1])
      text[length++] = escaped(*++at);
    else if (at[0] == '%' && at[1] == '%')
      text[length++] = *++at;
    else if (at[0] == '%' && at[1] && strchr("cdeoux", at[1]) && argument < s->arguments.n) {
      add_text(p, text, length);
      length = 0;
      add_value(p, s->arguments.items[argument++], *++at);
    } else if (*at != '"')
      text[length++] = *at;
  }
  add_text(p, text, length);
  while (argument < s->arguments.n) /* without a place in the text; it is checked */
    pr_lower(&p->context, s->arguments.items[argument++]);
}

void pr_lower_print(struct pr_ground *g) {
  const struct pr_statement *s = g->step->statement;
  struct printed p = {.context = g->context};
  p.context.unread = true;
  if (s->text)
    add_format(&p, s);
  else if (s->arguments.n)
    add_value(&p, s->arguments.items[0], 'e');
  g->printed = p.parts;
  g->printed_count = p.n;
  pr_add_part(g, build_const(&g->context.check->build, 1));
}

/* ---- hidden variables that are not in the state -------------------------------------------------------------- */

static bool is_left_out(const struct pr_context *x, uint32_t name) {
  const struct pr_process *owner;
  const struct pr_symbol *symbol = pr_find(x, name, &owner);
  bool left_out = false;
  for (size_t i = 0; symbol && symbol->written->hidden && i < symbol->leaf_count; i++)
    left_out |= symbol->leaves[i].assigned && !symbol->leaves[i].read;
  return left_out;
}

static bool reads_left_out(const struct pr_context *x, const struct pr_expr *e) {
  return e && ((e->op == PR_E_NAME && is_left_out(x, e->name.id)) || reads_left_out(x, e->a) ||
               reads_left_out(x, e->b) || reads_left_out(x, e->c));
}

const struct printed_part *pr_printed(struct pr_check *c, const struct pr_ground *g) {
  struct printed_part *parts = arena_array(c->build.arena, g->printed_count, sizeof *parts);
  for (size_t i = 0; i < g->printed_count; i++)
    parts[i] =
        reads_left_out(&g->context, g->printed[i].from) ? (struct printed_part){.text = "?"} : g->printed[i].part;
  return parts;
}
