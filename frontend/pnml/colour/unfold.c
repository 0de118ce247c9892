/* Unfolding of a symmetric net: a place for each colour of each place, a transition for each choice of colours for the
   variables of each transition for which its condition holds. */
#include "frontend/pnml/colour/colours.h"

#include "model/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLACES BUILD_MAX_VALUES
#define MOST_BINDINGS (UINT64_C(20000000) / MODEL_SCALE) /* that are tried */
#define MOST_ARCS (UINT64_C(20000000) / MODEL_SCALE)

/* An arc of the file, with its multiset. */
struct coloured_arc {
  struct written_arc arc;
  struct colour_sum sum;
};

struct unfolding {
  struct net_reader *r;
  struct colours colours;
  struct net *net;                  /* the result */
  struct net folded;                /* the net of the file */
  const struct colour_sort **sorts; /* [place] */
  uint32_t *first_place;            /* [place] */
  struct coloured_arc *arcs;        /* by transition */
  size_t arc_count;
  size_t *first_arc; /* [transition + 1] */
  const struct colour_condition **conditions;
  struct written_arc *unfolded;
  size_t unfolded_count, unfolded_cap;
  uint32_t *values; /* [variable] */
  bool *used;
};

/* ---- parts of the file -------------------------------------------------------------------------- */

/* The term of a label: in `structure` of its child `name`. */
static const struct xml_element *structure_of(const struct xml_element *e, const char *name) {
  const struct xml_element *label = child_of(e, name), *structure = label ? child_of(label, "structure") : NULL;
  return structure ? structure->children : NULL;
}

/* A label whose meaning is in its text alone. */
static bool is_text_only(const struct net_reader *r, const struct xml_element *e, const char *name) {
  const struct xml_element *label = child_of(e, name), *text = label ? child_of(label, "text") : NULL;
  return text && !child_of(label, "structure") && *trimmed_text(r, text);
}

static void refuse_text(struct unfolding *u, const struct xml_element *e, const char *name) {
  if (is_text_only(u->r, e, name))
    READ_ERROR(u->r, child_of(e, name)->at, "floe reads the term in 'structure', not the text",
               "this '%s' has no element 'structure'", name);
}

static void read_sorts(struct unfolding *u) {
  struct net_reader *r = u->r;
  const size_t n = u->folded.place_count;
  u->sorts = arena_array(r->arena, n, sizeof *u->sorts);
  for (size_t i = 0; i < n; i++) {
    const struct xml_element *type = structure_of(r->place_elements[i], "type");
    refuse_text(u, r->place_elements[i], "hlinitialMarking");
    if (u->folded.places[i].initial > 0 && !child_of(r->place_elements[i], "hlinitialMarking"))
      READ_ERROR(r, u->folded.places[i].at, NULL, "the marking of a coloured place is 'hlinitialMarking'");
    if (!type)
      READ_ERROR(r, u->folded.places[i].at, NULL, "place '%.100s' has no type", u->folded.places[i].id);
    else
      u->sorts[i] = colour_sort_of(&u->colours, type);
  }
}

static void check_sum(struct unfolding *u, const struct colour_sum *sum, uint32_t place, source_at at) {
  for (size_t i = 0; i < sum->count; i++)
    if (u->sorts[place] && !same_sort(sum->items[i].term->sort, u->sorts[place])) {
      READ_ERROR(u->r, at, NULL, "the colours are not those of place '%.100s'", u->folded.places[place].id);
      return;
    }
}

static void read_sum(struct unfolding *u, const struct xml_element *e, const char *label, uint32_t place,
                     struct colour_sum *out) {
  const struct xml_element *structure = structure_of(e, label);
  *out = (struct colour_sum){0};
  if (structure && colour_sum_of(&u->colours, structure, out))
    check_sum(u, out, place, structure->at);
}

static int by_transition(const void *left, const void *right) {
  const struct coloured_arc *a = left, *b = right;
  if (a->arc.transition != b->arc.transition)
    return a->arc.transition < b->arc.transition ? -1 : 1;
  return a->arc.at < b->arc.at ? -1 : a->arc.at > b->arc.at;
}

/* An arc without inscription moves a dot. */
static void read_arcs(struct unfolding *u) {
  struct net_reader *r = u->r;
  const size_t transitions = u->folded.transition_count;
  u->arcs = arena_array(r->arena, r->arc_count, sizeof *u->arcs);
  for (size_t i = 0; i < r->arc_count; i++) {
    struct coloured_arc *arc = &u->arcs[u->arc_count];
    if (!net_read_arc(r, r->arcs[i], &arc->arc))
      continue;
    u->arc_count++;
    if (!structure_of(r->arcs[i], "hlinscription"))
      READ_ERROR(r, arc->arc.at, NULL, "this arc has no 'hlinscription' with a 'structure'");
    read_sum(u, r->arcs[i], "hlinscription", arc->arc.place, &arc->sum);
  }
  if (u->arc_count)
    qsort(u->arcs, u->arc_count, sizeof *u->arcs, by_transition);
  u->first_arc = arena_array(r->arena, transitions + 1, sizeof *u->first_arc);
  for (size_t t = 0, a = 0; t <= transitions; t++) {
    while (a < u->arc_count && u->arcs[a].arc.transition < t)
      a++;
    u->first_arc[t] = a;
  }
}

static void read_conditions(struct unfolding *u) {
  const size_t n = u->folded.transition_count;
  u->conditions = arena_array(u->r->arena, n, sizeof *u->conditions);
  for (size_t i = 0; i < n; i++) {
    const struct xml_element *condition = structure_of(u->r->transition_elements[i], "condition");
    refuse_text(u, u->r->transition_elements[i], "condition");
    if (condition)
      u->conditions[i] = colour_condition_of(&u->colours, condition);
  }
}

/* ---- size --------------------------------------------------------------------------------------- */

static void find_used(struct unfolding *u, size_t transition) {
  memset(u->used, 0, u->colours.variable_count * sizeof *u->used);
  if (u->conditions[transition])
    condition_variables(u->conditions[transition], u->used);
  for (size_t a = u->first_arc[transition]; a < u->first_arc[transition + 1]; a++)
    for (size_t i = 0; i < u->arcs[a].sum.count; i++)
      term_variables(u->arcs[a].sum.items[i].term, u->used);
}

/* At most MOST_BINDINGS + 1. */
static uint64_t bindings_of(struct unfolding *u, size_t transition) {
  uint64_t n = 1;
  find_used(u, transition);
  for (size_t i = 0; i < u->colours.variable_count && n <= MOST_BINDINGS; i++)
    n *= u->used[i] ? u->colours.variables[i].sort->size : 1;
  return n <= MOST_BINDINGS ? n : MOST_BINDINGS + 1;
}

/* Colours of the term in a binding; sizes of sorts are limited, so that the product fits. */
static uint64_t colours_in(const struct colour_term *term) {
  uint64_t n = term->op == COLOUR_ALL ? term->sort->size : 1;
  for (size_t i = 0; i < term->part_count && n <= MOST_ARCS; i++)
    n *= colours_in(term->parts[i]);
  return n <= MOST_ARCS ? n : MOST_ARCS + 1;
}

/* Of one binding. At most about MOST_ARCS for each summand of the file. */
static uint64_t arcs_of(const struct unfolding *u, size_t transition) {
  uint64_t n = 0;
  for (size_t a = u->first_arc[transition]; a < u->first_arc[transition + 1]; a++)
    for (size_t i = 0; i < u->arcs[a].sum.count; i++)
      n += colours_in(u->arcs[a].sum.items[i].term);
  return n;
}

/* The size is reported before the work is done. */
static void report_size(struct unfolding *u, const struct xml_element *net) {
  uint64_t places = 0, bindings = 0, arcs = 0;
  for (size_t i = 0; i < u->folded.place_count; i++)
    places += u->sorts[i]->size;
  for (size_t i = 0; i < u->folded.transition_count && bindings <= MOST_BINDINGS && arcs <= MOST_ARCS; i++) {
    const uint64_t more = bindings_of(u, i), each = arcs_of(u, i);
    bindings += more;
    arcs += each > MOST_ARCS / more ? MOST_ARCS + 1 : more * each;
  }
  if (places > MOST_PLACES)
    READ_ERROR(u->r, net->at, NULL, "the net unfolds to %" PRIu64 " places; at most %u are possible", places,
               MOST_PLACES);
  else if (bindings > MOST_BINDINGS)
    READ_ERROR(u->r, net->at, NULL, "the transitions of the net have more than %" PRIu64 " choices of colours",
               MOST_BINDINGS);
  else if (arcs > MOST_ARCS)
    READ_ERROR(u->r, net->at, NULL, "the net may unfold to more than %" PRIu64 " arcs", MOST_ARCS);
  else
    diag_note(u->r->log, u->r->source, net->at, NULL,
              "the net unfolds to %" PRIu64 " places and at most %" PRIu64 " transitions", places, bindings);
}

/* ---- multisets ---------------------------------------------------------------------------------- */

struct colour_count {
  uint32_t colour;
  int64_t count;
};
struct multiset {
  struct colour_count *items;
  size_t count, cap;
};

static int by_colour(const void *left, const void *right) {
  const struct colour_count *a = left, *b = right;
  return a->colour < b->colour ? -1 : a->colour > b->colour;
}

/* Of the sum, each colour once. */
static struct multiset evaluate(struct unfolding *u, const struct colour_sum *sum) {
  struct arena *arena = u->r->arena;
  struct multiset all = {0};
  size_t n = 0;
  for (size_t i = 0; i < sum->count; i++) {
    struct colour_list colours = {0};
    colours_of_term(arena, sum->items[i].term, u->values, &colours);
    for (size_t k = 0; k < colours.count; k++)
      *ARENA_PUSH(arena, all.items, all.count, all.cap) = (struct colour_count){colours.items[k], sum->items[i].count};
  }
  if (all.count)
    qsort(all.items, all.count, sizeof *all.items, by_colour);
  for (size_t i = 0; i < all.count; i++)
    if (n > 0 && all.items[n - 1].colour == all.items[i].colour)
      all.items[n - 1].count += all.items[i].count;
    else
      all.items[n++] = all.items[i];
  all.count = n;
  return all;
}

static bool fits(struct unfolding *u, const struct multiset *multiset, source_at at) {
  for (size_t i = 0; i < multiset->count; i++)
    if (multiset->items[i].count < 0 || multiset->items[i].count > NET_MOST_TOKENS) {
      READ_ERROR(u->r, at, NULL, "a colour has %lld tokens here", (long long)multiset->items[i].count);
      return false;
    }
  return true;
}

/* ---- places ------------------------------------------------------------------------------------- */

static const char *unfolded_name(struct unfolding *u, const char *name, const struct colour_sort *sort,
                                 uint32_t colour) {
  if (sort->size == 1)
    return name;
  return arena_printf(u->r->arena, "%s(%s)", name, colour_name(sort, colour, u->r->arena));
}

static void set_marking(struct unfolding *u, size_t place) {
  const struct xml_element *marking = structure_of(u->r->place_elements[place], "hlinitialMarking");
  struct colour_sum sum;
  if (!marking)
    return;
  read_sum(u, u->r->place_elements[place], "hlinitialMarking", (uint32_t)place, &sum);
  memset(u->used, 0, u->colours.variable_count * sizeof *u->used);
  for (size_t i = 0; i < sum.count; i++)
    term_variables(sum.items[i].term, u->used);
  for (size_t i = 0; i < u->colours.variable_count; i++)
    if (u->used[i]) {
      READ_ERROR(u->r, marking->at, NULL, "an initial marking has no variables");
      return;
    }
  if (u->r->errors)
    return;
  const struct multiset tokens = evaluate(u, &sum);
  for (size_t i = 0; fits(u, &tokens, marking->at) && i < tokens.count; i++)
    u->net->places[u->first_place[place] + tokens.items[i].colour].initial = tokens.items[i].count;
}

static void add_places(struct unfolding *u) {
  struct arena *arena = u->r->arena;
  u->first_place = arena_array(arena, u->folded.place_count, sizeof *u->first_place);
  for (size_t i = 0; i < u->folded.place_count; i++) {
    const struct net_place *place = &u->folded.places[i];
    u->first_place[i] = (uint32_t)u->net->place_count;
    for (uint32_t k = 0; k < u->sorts[i]->size; k++) {
      const char *name = unfolded_name(u, place->name, u->sorts[i], k);
      *ARENA_PUSH(arena, u->net->places, u->net->place_count, u->net->place_cap) =
          (struct net_place){.id = name, .name = name, .at = place->at};
    }
  }
  for (size_t i = 0; i < u->folded.place_count; i++)
    set_marking(u, i);
}

/* ---- transitions -------------------------------------------------------------------------------- */

static const char *binding_name(struct unfolding *u, const char *name) {
  const char *text = "";
  for (size_t i = 0; i < u->colours.variable_count; i++) {
    const struct colour_variable *variable = &u->colours.variables[i];
    if (u->used[i])
      text = arena_printf(u->r->arena, "%s%s%s=%s", text, *text ? "," : "", variable->name,
                          colour_name(variable->sort, u->values[i], u->r->arena));
  }
  return *text ? arena_printf(u->r->arena, "%s(%s)", name, text) : name;
}

static void add_arc(struct unfolding *u, const struct coloured_arc *arc) {
  const struct multiset tokens = evaluate(u, &arc->sum);
  if (!fits(u, &tokens, arc->arc.at))
    return;
  for (size_t i = 0; i < tokens.count; i++) {
    struct written_arc unfolded = arc->arc;
    unfolded.place = u->first_place[arc->arc.place] + tokens.items[i].colour;
    unfolded.transition = (uint32_t)u->net->transition_count - 1;
    unfolded.weight = tokens.items[i].count;
    if (unfolded.weight)
      *ARENA_PUSH(u->r->arena, u->unfolded, u->unfolded_count, u->unfolded_cap) = unfolded;
  }
}

static void add_binding(struct unfolding *u, size_t transition) {
  const struct net_transition *from = &u->folded.transitions[transition];
  const char *name = binding_name(u, from->name);
  *ARENA_PUSH(u->r->arena, u->net->transitions, u->net->transition_count, u->net->transition_cap) =
      (struct net_transition){.id = name, .name = name, .at = from->at};
  for (size_t a = u->first_arc[transition]; a < u->first_arc[transition + 1]; a++)
    add_arc(u, &u->arcs[a]);
}

/* The next choice of colours, the last variable fastest; false: there is none. */
static bool next_binding(struct unfolding *u) {
  for (size_t i = u->colours.variable_count; i-- > 0;) {
    if (!u->used[i])
      continue;
    if (++u->values[i] < u->colours.variables[i].sort->size)
      return true;
    u->values[i] = 0;
  }
  return false;
}

static void add_bindings(struct unfolding *u, size_t transition) {
  find_used(u, transition);
  memset(u->values, 0, u->colours.variable_count * sizeof *u->values);
  do {
    if (!u->conditions[transition] || colour_condition_holds(u->conditions[transition], u->values))
      add_binding(u, transition);
  } while (!u->r->errors && next_binding(u));
}

/* ---- the net ------------------------------------------------------------------------------------ */

/* The groups stand for places and transitions of the file. */
static void widen_groups(struct unfolding *u, const uint32_t *first_transition) {
  for (size_t i = 0; i < u->net->group_count; i++) {
    struct net_group *group = &u->net->groups[i];
    const uint32_t number = group->first;
    group->first = group->is_place ? u->first_place[number] : first_transition[number];
    group->count = group->is_place ? u->sorts[number]->size : first_transition[number + 1] - first_transition[number];
  }
}

static void build(struct unfolding *u) {
  const size_t n = u->folded.transition_count;
  uint32_t *first_transition = arena_array(u->r->arena, n + 1, sizeof *first_transition);
  u->net->places = NULL;
  u->net->transitions = NULL;
  u->net->place_count = u->net->place_cap = u->net->transition_count = u->net->transition_cap = 0;
  add_places(u);
  for (size_t i = 0; i < n && !u->r->errors; i++) {
    first_transition[i] = (uint32_t)u->net->transition_count;
    add_bindings(u, i);
  }
  first_transition[n] = (uint32_t)u->net->transition_count;
  if (u->r->errors)
    return;
  net_add_arcs(u->r, u->unfolded, u->unfolded_count);
  widen_groups(u, first_transition);
}

void net_unfold(struct net_reader *r, const struct xml_element *net) {
  struct unfolding u = {.r = r, .net = r->net, .folded = *r->net};
  colours_declare(&u.colours, r, net);
  u.values = arena_array(r->arena, u.colours.variable_count, sizeof *u.values);
  u.used = arena_array(r->arena, u.colours.variable_count, sizeof *u.used);
  read_sorts(&u);
  if (!r->errors)
    read_arcs(&u);
  if (!r->errors)
    read_conditions(&u);
  if (!r->errors)
    report_size(&u, net);
  if (!r->errors)
    build(&u);
}
