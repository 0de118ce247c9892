/* Rules with each choice of their parameters, and priorities: a rule fires only if no rule with a smaller number can
   fire. */
#include "frontend/murphi/murphi_check.h"

#include "model/transitions/successor_bound.h"

struct walk {
  mu_choice_visitor *visit;
  void *data;
};

static void walk_items(struct mu_check *c, const struct walk *w, const struct mu_items *items, bool global);

/* The next values of the parameters begin..end - 1. */
static bool next_choice(struct mu_check *c, size_t begin, size_t end) {
  for (size_t i = end; i-- > begin;) {
    if (c->chosen[i] < c->selects[i].hi) {
      c->chosen[i]++;
      return true;
    }
    c->chosen[i] = c->selects[i].lo;
  }
  return false;
}

static void walk_choices(struct mu_check *c, const struct walk *w, const struct mu_item *item) {
  const size_t begin = c->select_count;
  size_t end;
  c->chosen_count = begin;
  do {
    const struct mu_surroundings around = mu_enter_item(c, item);
    end = c->select_count;
    walk_items(c, w, &item->children, false);
    mu_leave_item(c, around);
    c->chosen_count = end;
  } while (build_spend(&c->build, item->at, 0, 1) && next_choice(c, begin, end));
}

static void walk_items(struct mu_check *c, const struct walk *w, const struct mu_items *items, bool global) {
  for (size_t i = 0; i < items->n && !c->build.stop; i++) {
    const struct mu_item *item = &items->items[i];
    if (item->kind == MU_I_RULE)
      w->visit(c, item, w->data);
    else if (item->kind == MU_I_RULESET || item->kind == MU_I_ALIAS || item->kind == MU_I_CHOOSE)
      walk_choices(c, w, item);
    else if (item->kind == MU_I_DECLARATION && !global)
      mu_declare_item(c, &item->declaration, false);
    else if (item->kind == MU_I_FUNCTION && !global)
      mu_declare_function(c, item->function);
  }
}

void mu_each_choice(struct mu_check *c, mu_choice_visitor *visit, void *data) {
  const struct walk w = {visit, data};
  c->chosen = arena_array(c->build.arena, MAX_SELECTS, sizeof *c->chosen);
  walk_items(c, &w, &c->file->items, true);
  c->chosen = NULL;
}

/* ---- priorities ---------------------------------------------------------------------------------- */

struct search {
  int64_t below;
  const struct expr **items; /* one for each rule and choice of parameters: it can fire */
  size_t n, cap;
};

static void add_rule(struct mu_check *c, const struct mu_item *item, void *data) {
  struct search *search = data;
  if (item->priority >= search->below)
    return;
  const struct expr *enabled = mu_guards_hold(c, item);
  *ARENA_PUSH(c->build.arena, search->items, search->n, search->cap) = enabled;
}

/* No rule with a smaller number can fire; NULL: an error was logged. */
static const struct expr *none_below(struct mu_check *c, int64_t priority, source_at at) {
  struct search search = {.below = priority};
  mu_each_choice(c, add_rule, &search);
  if (c->build.stop || c->build.errors)
    return NULL;
  if (!search.n)
    return build_const(&c->build, 1);
  const struct expr *none = build_not(&c->build, at, mu_all_values(c, c->symmetric, false, at, search.items, search.n));
  mu_limit(c, none, at);
  return none;
}

void mu_add_priorities(struct mu_check *c, struct mu_firing *rules, size_t count) {
  for (size_t i = 0; i < count && !c->build.errors; i++) {
    const int64_t priority = rules[i].item->priority;
    bool done = priority == 0;
    c->prioritised |= !done;
    for (size_t k = 0; k < i && !done; k++)
      done = rules[k].item->priority == priority;
    if (done)
      continue;
    const struct expr *none = none_below(c, priority, rules[i].item->at);
    for (size_t k = i; none && !is_constant_true(none) && k < count; k++)
      if (rules[k].item->priority == priority)
        mu_add_guard(c, &rules[k], none, "no rule with a smaller number can fire");
  }
}
