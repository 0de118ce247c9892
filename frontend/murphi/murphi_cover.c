/* The statement `cover`: a property that some rule reaches it with a true condition. */
#include "frontend/murphi/murphi_check.h"

static void note(struct mu_check *c, const struct mu_statement *s) {
  struct mu_cover *cover = NULL;
  for (size_t i = 0; i < c->cover_count; i++)
    if (c->covers[i].statement == s)
      cover = &c->covers[i];
  if (!cover) {
    cover = ARENA_PUSH(c->build.arena, c->covers, c->cover_count, c->cover_cap);
    *cover = (struct mu_cover){.statement = s};
  }
  if (!cover->n || cover->rules[cover->n - 1] != c->rule)
    *ARENA_PUSH(c->build.arena, cover->rules, cover->n, cover->cap) = c->rule;
}

void mu_execute_cover(struct mu_check *c, const struct mu_statement *s) {
  const struct expr *holds = mu_condition(c, s->value);
  c->covers_here = true;
  mu_refuse_cover(c, s->at);
  if (c->starting)
    MU_ERROR(c, s->at, "write 'cover' outside of rules", "floe does not read 'cover' in start states");
  if (!holds || c->checking || c->starting)
    return;
  if (c->block && c->rule)
    note(c, s);
  if (c->covered && c->covering == s)
    c->slots[c->covered - 1] = build_binary(&c->build, EXPR_OR, s->at, c->slots[c->covered - 1], holds);
  else
    mu_evaluate(c, holds, s->at);
}

/* ---- the property -------------------------------------------------------------------------------- */

struct search {
  const struct mu_cover *cover;
  const struct expr **items;
  size_t n, cap;
};

static bool executes(const struct mu_cover *cover, const struct mu_item *rule) {
  for (size_t i = 0; i < cover->n; i++)
    if (cover->rules[i] == rule)
      return true;
  return false;
}

/* All variables may be written. */
static void note_all_written(struct mu_check *c) {
  c->written_count = 0;
  for (size_t i = 0; i < c->build.model->variable_count; i++)
    if (c->variables[i].assigned)
      mu_note_written(c, (uint32_t)i, NULL);
}

static void add_rule(struct mu_check *c, const struct mu_item *rule, void *data) {
  struct builder *b = &c->build;
  struct search *search = data;
  if (!executes(search->cover, rule))
    return;
  const struct expr *enabled = mu_guards_hold(c, rule);
  note_all_written(c);
  const struct mu_trial trial = mu_try(c, rule, rule->body.n);
  const struct expr *fires = build_binary(b, EXPR_AND, rule->at, enabled, trial.assumed);
  *ARENA_PUSH(b->arena, search->items, search->n, search->cap) =
      build_binary(b, EXPR_AND, rule->at, fires, trial.covered);
}

const struct expr *mu_covered(struct mu_check *c, size_t i) {
  struct search search = {.cover = &c->covers[i]};
  const size_t errors = c->build.errors;
  c->covering = search.cover->statement;
  mu_each_choice(c, add_rule, &search);
  c->covering = NULL;
  if (c->build.errors > errors || c->build.stop)
    return NULL;
  return search.n ? build_all(&c->build, EXPR_OR, c->covers[i].statement->at, search.items, search.n)
                  : build_const(&c->build, 0);
}
