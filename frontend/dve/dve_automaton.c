/* The property process: an automaton of the runs that violate the property. Its transitions have guards alone, which
   read the state before a step; a run violates the property if it visits states of each accepting set infinitely often.
 */
#include "frontend/dve/dve_check.h"
#include "logic/automaton.h"
#include "model/structural_equality.h"

struct automaton_builder {
  struct dve_check *c;
  const struct dve_process_info *info;
  const struct expr **atoms; /* [LOGIC_MAX_ATOMS] */
  const char **texts;
  size_t atom_count;
  bool full;      /* there are more atoms, logged */
  uint64_t *sets; /* [state] accepting sets that it is in */
  struct automaton_edge *edges;
  size_t edge_count, edge_room;
};

/* Number of the atom; LOGIC_MAX_ATOMS: there are too many, logged. */
static size_t atom_of(struct automaton_builder *b, const struct expr *guard, const struct dve_exprs *written) {
  struct dve_check *c = b->c;
  for (size_t i = 0; i < b->atom_count; i++)
    if (same_expr(b->atoms[i], guard))
      return i;
  if (b->atom_count == LOGIC_MAX_ATOMS) {
    if (!b->full)
      CHECK_ERROR(c, written->items[0]->at, NULL, "the property process has more than %d different guards",
                  LOGIC_MAX_ATOMS);
    b->full = true;
    return LOGIC_MAX_ATOMS;
  }
  b->atoms[b->atom_count] = guard;
  b->texts[b->atom_count] = dve_text(c, written->items[0]->start, written->items[written->n - 1]->end);
  return b->atom_count++;
}

static void add_edge(struct automaton_builder *b, const struct dve_transition *t) {
  struct dve_check *c = b->c;
  const struct dve_scope scope = {.check = c, .process = b->info};
  const uint32_t from = dve_find_state(c, b->info, &t->from), to = dve_find_state(c, b->info, &t->to);
  const struct expr *guard = dve_lower_all(&scope, &t->guards);
  struct cube *cube = arena_alloc(c->build.arena, sizeof *cube);
  if (t->sync || t->effect_count) {
    CHECK_ERROR(c, t->sync ? t->sync->at : t->effects[0].at, "transitions of a property process have guards only",
                "a property process has no %s", t->sync ? "synchronisation" : "effects");
    return;
  }
  if (from == COMPOSE_NONE || to == COMPOSE_NONE || !guard || is_constant_false(guard))
    return;
  const size_t atom = is_constant_true(guard) ? LOGIC_MAX_ATOMS : atom_of(b, guard, &t->guards);
  cube->positive = atom == LOGIC_MAX_ATOMS ? 0 : UINT64_C(1) << atom;
  *ARENA_PUSH(c->build.arena, b->edges, b->edge_count, b->edge_room) =
      (struct automaton_edge){.from = from, .to = to, .accepting = b->sets[from], .cubes = cube, .cube_count = 1};
}

static void find_sets(struct automaton_builder *b) {
  const struct dve_process *written = b->info->written;
  if (written->acceptance.n > AUTOMATON_MAX_SETS) {
    CHECK_ERROR(b->c, written->acceptance.at, NULL, "there are more than %d accepting sets", AUTOMATON_MAX_SETS);
    return;
  }
  for (size_t i = 0; i < written->acceptance.n; i++)
    for (size_t k = 0; k < written->acceptance.sets[i].n; k++) {
      const uint32_t state = dve_find_state(b->c, b->info, &written->acceptance.sets[i].items[k]);
      if (state != COMPOSE_NONE)
        b->sets[state] |= UINT64_C(1) << i;
    }
}

/* The atoms that can fail, one after the other; NULL: none. */
static const struct expr *evaluations(const struct automaton_builder *b) {
  struct builder *build = &b->c->build;
  const struct expr *all = NULL;
  for (size_t i = 0; i < b->atom_count; i++)
    if (b->atoms[i]->can_fail) {
      const struct expr *evaluated = build_binary(build, EXPR_OR, NOWHERE, b->atoms[i], build_const(build, 1));
      all = all ? build_binary(build, EXPR_AND, NOWHERE, all, evaluated) : evaluated;
    }
  return all;
}

/* What only processes of the system have. */
static void refuse(struct dve_check *c, const struct dve_process *written) {
  for (size_t i = 0; i < written->variables.n; i++)
    if (!written->variables.items[i].is_constant)
      CHECK_ERROR(c, written->variables.items[i].name.at, "its transitions have guards only",
                  "a property process has no variables");
  if (written->channels.n)
    CHECK_ERROR(c, written->channels.items[0].name.at, NULL, "a property process has no channels");
  if (written->assertion_count)
    CHECK_ERROR(c, written->assertions[0].state.at, NULL, "a property process has no assertions");
  if (written->committed.n)
    CHECK_ERROR(c, written->committed.items[0].at, NULL, "a property process has no committed states");
}

void dve_lower_automaton(struct dve_check *c, struct property *out) {
  const struct dve_process_info *info = &c->infos[c->property];
  const struct dve_process *written = info->written;
  struct arena *arena = c->build.arena;
  struct automaton_builder b = {.c = c,
                                .info = info,
                                .atoms = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *b.atoms),
                                .texts = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *b.texts),
                                .sets = arena_array(arena, written->states.n, sizeof *b.sets)};
  const uint32_t initial = dve_find_state(c, info, &written->initial);
  refuse(c, written);
  find_sets(&b);
  for (size_t i = 0; i < written->transitions.n; i++)
    add_edge(&b, &written->transitions.items[i]);
  if (c->build.errors)
    return;
  const uint32_t sets = written->acceptance.n ? (uint32_t)written->acceptance.n : 1; /* none: no run is accepted */
  struct temporal *temporal = arena_alloc(arena, sizeof *temporal);
  *temporal = (struct temporal){
      .violating = automaton_create(arena, (uint32_t)written->states.n, initial, sets, b.edges, b.edge_count),
      .atoms = b.atoms,
      .taken = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *temporal->taken),
      .atom_texts = b.texts,
      .atom_count = b.atom_count};
  *out = (struct property){.id = written->name.text,
                           .description = "",
                           .kind = FLOE_LTL,
                           .expr = evaluations(&b),
                           .text = arena_printf(arena, "no run is accepted by process %s", written->name.text),
                           .at = written->name.at,
                           .temporal = temporal};
}
