/* Units that the file claims to have at most one token. Their places share bits, so no firing may put a second token
   into one: it fails, and the search starts again without the claim (model/guess.h). As a state has one token at most
   in a unit, only these firings have to be checked:
   - more than one token is put into the unit: it always fails;
   - one token is put into it, and none is taken from it: it fails unless the unit is empty. */
#include "frontend/pnml/ground_net.h"

void claimed_units_find(struct net_grounding *g) {
  if (!g->claims)
    return;
  g->unit_of = arena_array(g->build.arena, g->net->place_count, sizeof *g->unit_of);
  for (size_t i = 0; i < g->net->claimed_count; i++)
    for (size_t k = 0; k < g->net->claimed[i].count; k++)
      g->unit_of[g->net->claimed[i].places[k]] = (uint32_t)i + 1;
}

/* What a transition does to a unit. */
struct effect {
  int64_t puts; /* more tokens in places that gain some */
  bool takes;   /* fewer tokens in a place */
};

static struct effect effect_on(const struct net_grounding *g, const struct net_transition *t, uint32_t unit) {
  struct effect effect = {0};
  for (size_t a = t->first; a < t->end; a++) {
    const struct net_arc *arc = &g->net->arcs[a];
    const int64_t change = arc->puts - arc->takes;
    if (g->unit_of[arc->place] != unit)
      continue;
    effect.puts += change > 0 ? change : 0;
    effect.takes |= change < 0;
  }
  return effect;
}

static const struct expr *is_empty(struct net_grounding *g, source_at at, const struct net_sum *unit) {
  struct builder *b = &g->build;
  const struct expr **zeros = arena_array(b->arena, unit->count, sizeof *zeros);
  for (size_t i = 0; i < unit->count; i++)
    zeros[i] = build_binary(b, EXPR_EQ, at, build_read(b, at, unit->places[i], NULL), build_const(b, 0));
  return build_all(b, EXPR_AND, at, zeros, unit->count);
}

/* The first arc that puts tokens into its unit. */
static bool is_first(const struct net_grounding *g, const struct net_transition *t, size_t arc) {
  const struct net_arc *arcs = g->net->arcs;
  for (size_t a = t->first; a < arc; a++)
    if (g->unit_of[arcs[a].place] == g->unit_of[arcs[arc].place] && arcs[a].puts > arcs[a].takes)
      return false;
  return true;
}

static uint32_t check_site(struct builder *b, source_at at) {
  const uint32_t site = build_site(b, SITE_ASSERT, at, "a unit has at most one token", 0, 0);
  build_site_guessed(b, site);
  return site;
}

void claimed_unit_checks(struct net_grounding *g, const struct net_transition *t, struct statement *list,
                         size_t *count) {
  struct builder *b = &g->build;
  for (size_t a = t->first; a < t->end && g->unit_of; a++) {
    const struct net_arc *arc = &g->net->arcs[a];
    const uint32_t unit = g->unit_of[arc->place];
    if (!unit || arc->puts <= arc->takes || !is_first(g, t, a))
      continue;
    const struct effect effect = effect_on(g, t, unit);
    const bool fails = effect.puts > 1;
    if (!fails && effect.takes)
      continue;
    list[(*count)++] =
        (struct statement){.op = ST_ASSERT,
                           .at = arc->at,
                           .site = check_site(b, arc->at),
                           .value = fails ? build_const(b, 0) : is_empty(g, arc->at, &g->net->claimed[unit - 1])};
  }
}
