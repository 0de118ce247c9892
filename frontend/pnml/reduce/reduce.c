#include "frontend/pnml/ground_properties.h"
#include "frontend/pnml/place_bounds.h"
#include "frontend/pnml/reduce/reducible.h"
#include "frontend/pnml/reduce/visible.h"

enum { MOST_ROUNDS = 200 };

/* Those that need no new transitions first. */
static const struct {
  const char *name;
  bool (*apply)(struct reducible *r);
} rules[NET_RULES] = {
    [RULE_CONSTANT] = {"constant", reduce_constant},    [RULE_DEAD] = {"dead", reduce_dead},
    [RULE_DUPLICATE] = {"duplicate", reduce_duplicate}, [RULE_IMPLICIT] = {"implicit", reduce_implicit},
    [RULE_ENDLESS] = {"endless", reduce_endless},       [RULE_IRRELEVANT] = {"irrelevant", reduce_irrelevant},
    [RULE_POST] = {"post-agglomeration", reduce_post},  [RULE_PRE] = {"pre-agglomeration", reduce_pre},
};

static bool apply_rules(struct reducible *r) {
  bool changed = false;
  for (size_t i = 0; i < NET_RULES; i++)
    changed |= rules[i].apply(r);
  r->work += r->arcs;
  return changed;
}

static size_t remaining_places(const struct reducible *r) {
  size_t n = 0;
  for (size_t p = 0; p < r->net->place_count; p++)
    n += !r->places[p].removed;
  return n;
}

static void note_result(const struct reducible *r, const struct net *reduced, floe_log *log) {
  const char *text = "";
  for (size_t i = 0; i < NET_RULES; i++)
    if (r->removed_by[i])
      text = arena_printf(r->arena, "%s%s%s %zu", text, *text ? ", " : "", rules[i].name, r->removed_by[i]);
  diag_note(log, r->net->source, NOWHERE, NULL,
            "the net is reduced from %zu places and %zu transitions to %zu and %zu; removed: %s", r->net->place_count,
            r->net->transition_count, remaining_places(r), reduced->transition_count, text);
}

struct net *net_reduce(const struct net *net, const struct xml_element *properties,
                       const struct net_questions *questions, struct arena *arena, floe_log *log,
                       const struct reducible **how) {
  struct reducible *r = arena_alloc(arena, sizeof *r);
  bool changed = false;
  reducible_create(r, net, arena);
  find_visible(r, properties, questions);
  for (unsigned round = 0; round < MOST_ROUNDS && r->work < REDUCE_MOST_WORK && apply_rules(r); round++)
    changed = true;
  if (!changed)
    return NULL;
  struct net *reduced = reducible_net(r);
  place_bounds_lower(reduced, arena);
  note_result(r, reduced, log);
  *how = r;
  return reduced;
}
