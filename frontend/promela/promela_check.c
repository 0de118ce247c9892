#include "frontend/promela/promela_check.h"

#include "frontend/promela/parse/promela_preprocess.h"
#include "frontend/promela/promela_notation.h"
#include "model/guess.h"

#include <string.h>

#define FIRST_GUESS 7

/* ---- constants ----------------------------------------------------------------------------------- */

static void define(struct pr_check *c, size_t number) {
  struct constant *constant = &c->constants[number];
  const struct definition *d = definition_find(c->definitions, c->definition_count, constant->name);
  if (!d)
    return;
  constant->given = true;
  if (!definition_number(d, &constant->value))
    PR_ERROR(c, NOWHERE, "a decimal integer, true or false", "-D %s=%s: '%s' is no value", d->name, d->value, d->value);
}

/* Macros whose text is a number, then the guess. */
static void declare_constants(struct pr_check *c) {
  const struct pr_model *tree = c->tree;
  const struct definition *guess = definition_find(c->definitions, c->definition_count, PR_GUESS);
  c->constants = arena_array(c->build.arena, tree->constant_count + 1, sizeof *c->constants);
  for (size_t i = 0; i < tree->constant_count; i++)
    c->constants[i].name = tree->constants[i];
  for (size_t i = 0; i < tree->tokens->n; i++)
    if (tree->tokens->items[i].macro)
      c->constants[tree->tokens->items[i].macro - 1].value = tree->tokens->items[i].value;
  for (size_t i = 0; i < tree->constant_count; i++)
    define(c, i);
  c->build.model->constants = c->constants;
  c->build.model->constant_count = tree->constant_count;
  c->guess = guess_value(&c->build, guess, PR_GUESS, FIRST_GUESS, PR_MOST_PROCESSES);
}

static void declare_guess(struct pr_check *c) {
  struct model *model = c->build.model;
  const bool given = definition_find(c->definitions, c->definition_count, PR_GUESS) != NULL;
  if (!c->guesses && !given)
    return;
  c->constants[model->constant_count++] = (struct constant){PR_GUESS, c->guess, given};
  if (c->guess == PR_MOST_PROCESSES)
    return;
  /* Doubled, as the number of pairs for a rendezvous is its square. */
  const long long next = 2 * c->guess + 1;
  struct guess *guess = arena_alloc(c->build.arena, sizeof *guess);
  guess->constant = PR_GUESS;
  guess->next = arena_printf(c->build.arena, "%lld", next < PR_MOST_PROCESSES ? next : PR_MOST_PROCESSES);
  guess->last = arena_printf(c->build.arena, "%d", PR_MOST_PROCESSES);
  model->guess = guess;
}

/* ---- check --------------------------------------------------------------------------------------- */

static void check_all(struct pr_check *c) {
  build_start(&c->build);
  declare_constants(c);
  pr_declare(c);
  if (!c->build.errors)
    pr_declare_state(c);
  if (!c->build.errors)
    build_places(&c->build);
  declare_guess(c);
  if (!c->build.errors) {
    build_settle(&c->build);
    pr_make_edges(c);
    pr_make_transitions(c);
  }
  if (!c->build.errors)
    pr_make_properties(c);
  build_finish(&c->build);
}

static floe_status check_model(struct pr_check *c, const struct outline *outline, struct arena *arena, floe_log *log,
                               const struct model **out) {
  struct model *model = arena_alloc(arena, sizeof *model);
  c->tree = outline->tree;
  *model = (struct model){
      .name = outline->name, .description = "", .notation = &promela_notation, .source = c->tree->source};
  c->build = (struct builder){.arena = arena, .log = log, .source = c->tree->source, .model = model};
  check_all(c);
  if (c->build.errors)
    return FLOE_ERROR_MODEL;
  *out = model;
  return FLOE_OK;
}

floe_status pr_check(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                     struct arena *arena, floe_log *log, const struct model **out) {
  struct pr_check c = {.definitions = definitions, .definition_count = definition_count};
  return check_model(&c, outline, arena, log, out);
}

floe_status pr_check_within(const struct outline *outline, const struct definition *definitions,
                            size_t definition_count, const struct value_range *ranges, struct arena *arena,
                            const struct model **out) {
  struct pr_check c = {.definitions = definitions, .definition_count = definition_count, .ranges = ranges};
  return check_model(&c, outline, arena, NULL, out);
}
