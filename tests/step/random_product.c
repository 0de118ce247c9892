#include "tests/step/random_product.h"

#include "base/splitmix64.h"
#include "logic/translate.h"
#include "model/build.h"
#include "model/temporal/product.h"
#include "model/transition_set.h"
#include "model/transitions/successor_bound.h"
#include "tests/logic/words.h"
#include "tests/suite.h"

/* Some element of some variable is at most, or equal to, its initial value; or it divides 7 with remainder 0 or 1. */
static const struct expr *random_condition(struct builder *b, const struct model *model, uint64_t *seed) {
  const uint32_t id = (uint32_t)(splitmix64_next(seed) % model->variable_count);
  const struct variable *v = &model->variables[id];
  const uint32_t element = (uint32_t)(splitmix64_next(seed) % v->count);
  const struct expr *read = build_read(b, NOWHERE, id, build_const(b, element));
  if (splitmix64_next(seed) % 4 == 0)
    return build_binary(b, EXPR_LE, NOWHERE, build_division(b, EXPR_MOD, NOWHERE, build_const(b, 7), read, "it"),
                        build_const(b, 1));
  return build_binary(b, splitmix64_next(seed) & 1 ? EXPR_LE : EXPR_EQ, NOWHERE, read,
                      build_const(b, v->init[element]));
}

/* An instance, or a label, of some participant of some transition. */
static struct transition_set random_set(const struct model *model, uint64_t *seed) {
  const struct transition *t = &model->transitions[splitmix64_next(seed) % model->transition_count];
  const struct participant *p = &t->participants[splitmix64_next(seed) % t->participant_count];
  const char *const label = model->edges[p->edge].label;
  if (*label && splitmix64_next(seed) & 1)
    return (struct transition_set){.process = NO_PROCESS, .edge = NO_EDGE, .label = label};
  return (struct transition_set){.process = p->process, .instance = p->instance, .edge = NO_EDGE};
}

static void add_enabled(struct random_product *m, struct enabled *enabled, struct arena *arena) {
  const struct model *model = m->factor;
  const struct transition **all = arena_array(arena, model->transition_count, sizeof *all);
  for (size_t i = 0; i < model->transition_count; i++)
    if (transition_in_set(model, &model->transitions[i], &enabled->set))
      all[enabled->count++] = &model->transitions[i];
  enabled->transitions = all;
}

static void add_atom(struct random_product *m, struct builder *b, unsigned i, struct enabled *enabled) {
  const uint64_t kind = splitmix64_next(&m->seed) % 4;
  if (kind < 2 || m->factor->transition_count == 0) {
    m->atoms[i] = random_condition(b, m->factor, &m->seed);
    return;
  }
  m->sets[i] = random_set(m->factor, &m->seed);
  if (kind == 2) {
    m->taken[i] = &m->sets[i];
    return;
  }
  enabled[i].set = m->sets[i];
  add_enabled(m, &enabled[i], b->arena);
  m->atoms[i] = build_enabled(b, NOWHERE, i);
}

static void add_atoms(struct random_product *m, struct arena *arena) {
  struct model *factor = arena_alloc(arena, sizeof *factor);
  struct enabled *enabled = arena_array(arena, RANDOM_PRODUCT_ATOMS, sizeof *enabled);
  *factor = *m->factor;
  struct builder b = {.arena = arena, .source = factor->source, .model = factor, .here = NOWHERE};
  build_start(&b);
  for (unsigned i = 0; i < RANDOM_PRODUCT_ATOMS; i++)
    add_atom(m, &b, i, enabled);
  factor->enabled = enabled;
  factor->enabled_count = RANDOM_PRODUCT_ATOMS;
  m->factor = factor;
}

/* None, or weak or strong fairness of all instances or of the first and the last process. */
static void add_fairness(struct random_product *m, struct arena *arena) {
  static const char *const kinds[] = {"weak", "strong"};
  const struct model *model = m->factor;
  const uint64_t choice = splitmix64_next(&m->seed);
  struct fairness_error error;
  const char *list = "none";
  if (choice & 1 && choice & 2)
    list = kinds[choice >> 2 & 1];
  else if (choice & 1 && model->process_count > 0)
    list = arena_printf(arena, "%s %s, %s %s", kinds[choice >> 2 & 1], model->processes[0].name, kinds[choice >> 3 & 1],
                        model->processes[model->process_count - 1].name);
  ck_assert(fairness_parse(model, list, arena, &m->fairness, &error));
  if (m->automaton->sets + m->fairness.count > PRODUCT_MAX_CONDITIONS)
    m->fairness.count = 0;
}

static void make(void *data) {
  struct random_product *m = data;
  struct arena *arena = &m->loaded.arena;
  struct formulas *set = formulas_create(arena);
  const struct trees trees = random_trees(&m->seed, 2 + m->seed % 9, RANDOM_PRODUCT_ATOMS);
  add_atoms(m, arena);
  m->automaton = translate(set, tree_formula(set, &trees));
  if (!m->automaton || product_degree(m->automaton) > PRODUCT_MAX_DEGREE)
    return;
  add_fairness(m, arena);
  m->stutters = splitmix64_next(&m->seed) % 2;
  const struct product_atoms atoms = {m->atoms, m->taken};
  m->loaded.model = product_create(m->factor, m->automaton, &atoms, &m->fairness, m->stutters, arena);
  uint32_t bound;
  m->made = successor_bound(m->loaded.model, NULL, &bound) == FLOE_OK &&
            layout_make(m->loaded.model, arena, &m->loaded.layout) == FLOE_OK;
}

bool random_product_make(struct random_product *product, const struct model *factor, uint64_t seed) {
  *product = (struct random_product){.factor = factor, .seed = seed};
  arena_init(&product->loaded.arena);
  ck_assert_int_eq(floe_log_create(&product->loaded.log), FLOE_OK);
  ck_assert_int_eq(arena_guard(&product->loaded.arena, make, product), 0);
  return product->made;
}

void random_product_free(struct random_product *product) { loaded_free(&product->loaded); }
