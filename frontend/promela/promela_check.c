#include "frontend/promela/promela_check.h"

#include "frontend/promela/promela_notation.h"
#include "model/guess.h"

#include <string.h>

#define FIRST_GUESS 7

/* ---- constants ----------------------------------------------------------------------------------- */

bool pr_is_given(const struct pr_check *c, const char *name) {
  for (size_t i = 0; i < c->given.n; i++)
    if (strcmp(c->given.items[i].name, name) == 0)
      return true;
  return false;
}

static int64_t given_value(struct pr_check *c, const struct definition *d) {
  int64_t value = 0;
  if (!definition_number(d, &value))
    PR_ERROR(c, NOWHERE, "a decimal integer, true or false", "-D %s=%s: '%s' is no value", d->name, d->value, d->value);
  return value;
}

/* Those that the text uses, and those given. */
static void list_constants(struct pr_check *c, const bool *used) {
  const struct name_table *names = &c->tree->text->constants;
  struct constant *list = arena_array(c->build.arena, names->count + c->definition_count + 1, sizeof *list);
  size_t n = 0;
  for (size_t i = 0; i < names->count; i++)
    if (used[i] && !pr_is_given(c, names->names[i]))
      list[n++] = c->constants[i];
  for (size_t i = 0; i < c->given.n; i++)
    list[n++] = (struct constant){.name = c->given.items[i].name, .value = c->given.items[i].value, .given = true};
  c->build.model->constants = c->listed = list;
  c->build.model->constant_count = n;
}

/* Macros whose text is a number, then the guess. */
static void declare_constants(struct pr_check *c) {
  const struct name_table *names = &c->tree->text->constants;
  const struct pr_tokens *tokens = c->tree->tokens;
  const struct definition *guess = definition_find(c->definitions, c->definition_count, PR_GUESS);
  bool *used = arena_array(c->build.arena, names->count + 1, sizeof *used);
  c->constants = arena_array(c->build.arena, names->count + 1, sizeof *c->constants);
  for (size_t i = 0; i < tokens->n; i++)
    if (tokens->items[i].macro) {
      used[tokens->items[i].macro - 1] = true;
      c->constants[tokens->items[i].macro - 1].value = tokens->items[i].value;
    }
  for (size_t i = 0; i < names->count; i++) {
    const struct definition *d = definition_find(c->definitions, c->definition_count, names->names[i]);
    c->constants[i].name = names->names[i];
    if (d && used[i])
      c->constants[i] = (struct constant){.name = names->names[i], .value = given_value(c, d), .given = true};
  }
  list_constants(c, used);
  c->guess = guess_value(&c->build, guess, PR_GUESS, FIRST_GUESS, PR_MOST_PROCESSES);
}

static void declare_guess(struct pr_check *c) {
  struct model *model = c->build.model;
  const struct definition *defined = definition_find(c->definitions, c->definition_count, PR_GUESS);
  if (!c->guesses && !defined)
    return;
  c->listed[model->constant_count++] = guess_constant(PR_GUESS, c->guess, defined);
  if (c->guess < PR_MOST_PROCESSES) /* doubled, as the number of pairs for a rendezvous is its square */
    guess_add(&c->build, defined, guess_next(PR_GUESS, 2 * c->guess + 1, PR_MOST_PROCESSES, c->build.arena));
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
    pr_lower_trace(c);
    for (size_t i = 0; i < c->tree->proctypes.n; i++)
      pr_lower_process(c, &c->processes[i]);
  }
  if (!c->build.errors)
    pr_make_properties(c); /* before the transitions: they read hidden variables */
  if (!c->build.errors)
    pr_make_transitions(c);
  if (!c->build.errors)
    pr_make_conditions(c);
  build_finish(&c->build);
}

/* Gives the files that the first reading included. */
struct included_again {
  struct includer includer; /* first */
  struct pr_check *check;
  const struct pr_text *text;
};

static floe_status include_again(struct includer *includer, const char *href, source_at at, const struct source **out) {
  const struct included_again *self = (const struct included_again *)includer;
  for (size_t i = 0; i < self->text->included_count; i++)
    if (self->text->included[i].at == at) {
      *out = self->text->included[i].source;
      return FLOE_OK;
    }
  PR_ERROR(self->check, at, "put the #include before the condition",
           "'%s' is included only with a -D, which is not supported", href);
  return FLOE_ERROR_MODEL;
}

/* Its value changes the text or the steps. */
static bool is_structural(const struct pr_model *tree, const char *name) {
  const struct name_table *const lists[] = {&tree->text->parameters, &tree->undeclared, &tree->structural};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (name_table_find(lists[i], name) != NAME_ABSENT)
      return true;
  return false;
}

/* Reads the text again with those macros of -D that change it, until it has no further ones. */
static floe_status read_again(struct pr_check *c, const struct pr_model *first) {
  struct pr_given *given = arena_array(c->build.arena, c->definition_count + 1, sizeof *given);
  struct included_again again = {.includer = {.attach = include_again}, .check = c, .text = first->text};
  c->tree = first;
  c->given.items = given;
  for (size_t before;;) {
    before = c->given.n;
    for (size_t i = 0; i < c->definition_count; i++) {
      const struct definition *d = &c->definitions[i];
      if (is_structural(c->tree, d->name) && !pr_is_given(c, d->name))
        given[c->given.n++] = (struct pr_given){d->name, given_value(c, d)};
    }
    if (c->given.n == before || c->build.errors)
      return FLOE_OK;
    FLOE_TRY(pr_parse(first->source, &again.includer, &c->given, c->build.arena, c->build.log, &c->tree));
  }
}

static floe_status check_model(struct pr_check *c, const struct outline *outline, struct arena *arena, floe_log *log,
                               const struct model **out) {
  struct model *model = arena_alloc(arena, sizeof *model);
  const struct pr_model *first = outline->tree;
  *model =
      (struct model){.name = outline->name, .description = "", .notation = &promela_notation, .source = first->source};
  c->build = (struct builder){.arena = arena, .log = log, .source = first->source, .model = model};
  FLOE_TRY(read_again(c, first));
  check_all(c);
  if (c->build.errors)
    return FLOE_ERROR_MODEL;
  model->tool = pr_spin_view(c);
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
