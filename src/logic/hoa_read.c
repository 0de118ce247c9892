#include "logic/hoa.h"

#include "logic/hoa_labels.h"

#include <string.h>

#define MAX_STATES 1000000
#define MAX_DEPTH 1000

enum header_item { ITEM_STATES = 1, ITEM_ATOMS = 2, ITEM_ACCEPTANCE = 4 };

struct hoa_file {
  struct hoa_reader reader;
  struct hoa_labels labels;
  const char *name;
  const char **atoms;
  source_at *atom_at;
  int64_t states; /* -1: not stated */
  uint32_t *starts;
  size_t start_count, start_cap;
  uint32_t highest_state, sets;
  uint64_t used_sets; /* by the acceptance condition */
  unsigned items;     /* header_item: read */
  bool *defined;      /* [defined_cap] the states whose edges are read */
  size_t defined_cap;
  struct automaton_edge *edges;
  size_t edge_count, edge_cap;
};

/* ---- header --------------------------------------------------------------------------------------- */

static uint32_t state_number(struct hoa_file *f) {
  const uint32_t state = hoa_number(&f->reader, MAX_STATES - 1);
  if (!f->reader.failed && f->states >= 0 && state >= f->states)
    hoa_error(&f->reader, "states are numbered from 0", "state %u of %lld states", state, (long long)f->states);
  if (state > f->highest_state)
    f->highest_state = state;
  return state;
}

static void read_start(struct hoa_file *f) {
  *ARENA_PUSH(f->reader.arena, f->starts, f->start_count, f->start_cap) = state_number(f);
  if (hoa_is(&f->reader, "&"))
    hoa_error(&f->reader, "convert it into an automaton without universal branching",
              "alternating automata are not read");
}

static void read_atoms(struct hoa_file *f) {
  const uint32_t count = hoa_number(&f->reader, LOGIC_MAX_ATOMS);
  f->atoms = arena_array(f->reader.arena, count, sizeof *f->atoms);
  f->atom_at = arena_array(f->reader.arena, count, sizeof *f->atom_at);
  for (uint32_t i = 0; i < count && !f->reader.failed; i++) {
    f->atom_at[i] = f->reader.token_at;
    f->atoms[i] = hoa_string(&f->reader);
  }
  f->labels.atom_count = count;
}

static const char buchi_hint[] =
    "accepted are `t` and conjunctions of Inf(i): convert it into a (generalised) Buchi automaton";

static void read_conjunction(struct hoa_file *f, unsigned depth);

static void read_inf(struct hoa_file *f) {
  struct hoa_reader *r = &f->reader;
  hoa_expect(r, "Inf", buchi_hint);
  hoa_expect(r, "(", NULL);
  if (hoa_is(r, "!"))
    hoa_error(r, buchi_hint, "complemented acceptance sets are not read");
  else if (f->sets == 0)
    hoa_error(r, NULL, "the acceptance condition has no sets");
  else
    f->used_sets |= UINT64_C(1) << hoa_number(r, f->sets - 1);
  hoa_expect(r, ")", NULL);
}

static void read_condition(struct hoa_file *f, unsigned depth) {
  struct hoa_reader *r = &f->reader;
  if (depth > MAX_DEPTH)
    hoa_error(r, NULL, "acceptance condition nested more than %d levels deep", MAX_DEPTH);
  else if (hoa_take(r, "(")) {
    read_conjunction(f, depth + 1);
    hoa_expect(r, ")", NULL);
  } else if (hoa_is(r, "Fin"))
    hoa_error(r, buchi_hint, "acceptance with Fin, as of co-Buchi, Rabin and parity automata, is not read");
  else if (hoa_is(r, "f"))
    hoa_error(r, NULL, "the acceptance condition f, which no run satisfies, is not read");
  else if (!hoa_take(r, "t"))
    read_inf(f);
}

static void read_conjunction(struct hoa_file *f, unsigned depth) {
  read_condition(f, depth);
  while (hoa_take(&f->reader, "&"))
    read_condition(f, depth);
  if (hoa_is(&f->reader, "|"))
    hoa_error(&f->reader, buchi_hint, "disjunctions in an acceptance condition are not read");
}

static void read_acceptance(struct hoa_file *f) {
  f->sets = hoa_number(&f->reader, AUTOMATON_MAX_SETS);
  read_conjunction(f, 0);
}

static void skip_item(struct hoa_file *f) {
  while (!f->reader.failed && f->reader.kind != HOA_HEADER && f->reader.kind != HOA_END_OF_FILE &&
         !hoa_is(&f->reader, "--BODY--"))
    hoa_next(&f->reader);
}

/* True behind this item, which may stand only once. */
static bool take_once(struct hoa_file *f, const char *token, enum header_item item) {
  if (hoa_is(&f->reader, token) && (f->items & item))
    hoa_error(&f->reader, NULL, "second header item %s", token);
  if (!hoa_take(&f->reader, token))
    return false;
  f->items |= item;
  return true;
}

static void read_item(struct hoa_file *f) {
  struct hoa_reader *r = &f->reader;
  if (take_once(f, "States:", ITEM_STATES))
    f->states = hoa_number(r, MAX_STATES);
  else if (hoa_take(r, "Start:"))
    read_start(f);
  else if (take_once(f, "AP:", ITEM_ATOMS))
    read_atoms(f);
  else if (take_once(f, "Acceptance:", ITEM_ACCEPTANCE))
    read_acceptance(f);
  else if (hoa_take(r, "Alias:"))
    hoa_read_alias(r, &f->labels);
  else if (hoa_take(r, "name:"))
    f->name = hoa_string(r);
  else if (r->kind == HOA_HEADER && r->token[0] >= 'A' && r->token[0] <= 'Z') /* such items change the meaning */
    hoa_error(r, NULL, "unknown header item \"%s\"", r->token);
  else {
    hoa_next(r);
    skip_item(f);
  }
}

static void refuse_abort(struct hoa_reader *r) {
  if (hoa_is(r, "--ABORT--"))
    hoa_error(r, NULL, "the automaton is incomplete: the program that wrote it gave up (--ABORT--)");
}

static void read_header(struct hoa_file *f) {
  struct hoa_reader *r = &f->reader;
  hoa_expect(r, "HOA:", "the file begins with HOA: v1");
  hoa_expect(r, "v1", "version 1 is read");
  while (!r->failed && !hoa_take(r, "--BODY--")) {
    refuse_abort(r);
    if (r->kind != HOA_HEADER)
      hoa_error(r, NULL, "expected a header item or --BODY--, found \"%s\"", r->token);
    else
      read_item(f);
  }
  if (!r->failed && !(f->items & ITEM_ACCEPTANCE))
    hoa_error(r, "add, for example, Acceptance: 1 Inf(0)", "the header has no Acceptance:");
}

/* ---- body ----------------------------------------------------------------------------------------- */

static uint64_t read_sets(struct hoa_file *f) {
  uint64_t sets = 0;
  if (!hoa_take(&f->reader, "{"))
    return 0;
  while (!f->reader.failed && !hoa_take(&f->reader, "}")) {
    if (f->sets == 0)
      hoa_error(&f->reader, NULL, "the acceptance condition has no sets");
    else
      sets |= UINT64_C(1) << hoa_number(&f->reader, f->sets - 1);
  }
  return sets;
}

/* Atom i is bit i. */
static const struct cube *valuation_cube(struct hoa_file *f, uint64_t valuation) {
  struct cube *cube = arena_alloc(f->reader.arena, sizeof *cube);
  *cube = (struct cube){valuation, ~valuation & acceptance_mask(f->labels.atom_count)};
  return cube;
}

/* The edges of a state. A label at the state stands for all edges; without labels they are those of the valuations 0,
   1, 2, ... */
static void read_edges(struct hoa_file *f, const struct automaton_edge state, bool labelled) {
  struct hoa_reader *r = &f->reader;
  const uint64_t last = acceptance_mask(f->labels.atom_count);
  uint64_t implicit = 0;
  bool any_label = false;
  while (!r->failed && (hoa_is(r, "[") || r->kind == HOA_NUMBER)) {
    const bool explicit_label = hoa_is(r, "[");
    struct automaton_edge edge = state;
    any_label |= explicit_label;
    if (explicit_label && labelled)
      hoa_error(r, NULL, "the state has a label: its edges have none");
    else if (any_label && (!explicit_label || implicit > 0))
      hoa_error(r, NULL, "only some edges of the state have labels");
    else if (explicit_label)
      edge.cubes = hoa_read_label(r, &f->labels, &edge.cube_count);
    else if (!labelled && implicit > last)
      hoa_error(r, NULL, "more edges without labels than valuations");
    else if (!labelled) {
      edge.cubes = valuation_cube(f, implicit++);
      edge.cube_count = 1;
    }
    edge.to = state_number(f);
    if (hoa_is(r, "&"))
      hoa_error(r, "convert it into an automaton without universal branching", "alternating automata are not read");
    edge.accepting = state.accepting | read_sets(f);
    *ARENA_PUSH(r->arena, f->edges, f->edge_count, f->edge_cap) = edge;
  }
  if (implicit > 0 && implicit - 1 < last)
    hoa_error(r, "without labels, a state has an edge for each valuation of the atomic propositions",
              "the state before has only %llu edges", (unsigned long long)implicit);
}

static void define_state(struct hoa_file *f, uint32_t state, source_at at) {
  if (state >= f->defined_cap) {
    const size_t cap = 2 * (size_t)state + 16;
    bool *defined = arena_array(f->reader.arena, cap, sizeof *defined);
    if (f->defined_cap > 0)
      memcpy(defined, f->defined, f->defined_cap * sizeof *defined);
    f->defined = defined;
    f->defined_cap = cap;
  }
  if (f->defined[state]) {
    f->reader.token_at = at;
    hoa_error(&f->reader, NULL, "second definition of state %u", state);
  }
  f->defined[state] = true;
}

static void read_state(struct hoa_file *f) {
  struct hoa_reader *r = &f->reader;
  /* sets that the acceptance condition does not name hold every edge */
  struct automaton_edge edge = {.accepting = acceptance_mask(f->sets) & ~f->used_sets};
  refuse_abort(r);
  hoa_expect(r, "State:", NULL);
  const bool labelled = hoa_is(r, "[");
  if (labelled)
    edge.cubes = hoa_read_label(r, &f->labels, &edge.cube_count);
  const source_at at = r->token_at;
  edge.from = state_number(f);
  if (!r->failed)
    define_state(f, edge.from, at);
  if (r->kind == HOA_STRING)
    hoa_next(r);
  edge.accepting |= read_sets(f);
  read_edges(f, edge, labelled);
}

/* One initial state: of several, a new one with the edges of all. */
static uint32_t single_start(struct hoa_file *f, uint32_t *states) {
  if (f->start_count == 1)
    return f->starts[0];
  const size_t count = f->edge_count;
  const uint32_t start = (*states)++;
  for (size_t s = 0; s < f->start_count; s++)
    for (size_t i = 0; i < count; i++)
      if (f->edges[i].from == f->starts[s]) {
        struct automaton_edge edge = f->edges[i];
        edge.from = start;
        *ARENA_PUSH(f->reader.arena, f->edges, f->edge_count, f->edge_cap) = edge;
      }
  return start;
}

floe_status hoa_read(const struct source *source, struct arena *arena, floe_log *log, struct hoa *out) {
  struct hoa_file f = {.name = "", .states = -1};
  hoa_reader_open(&f.reader, source, arena, log);
  read_header(&f);
  while (!f.reader.failed && !hoa_take(&f.reader, "--END--"))
    read_state(&f);
  if (!f.reader.failed && f.reader.kind != HOA_END_OF_FILE)
    hoa_error(&f.reader, "a file holds one automaton", "text after --END--");
  if (f.reader.failed)
    return FLOE_ERROR_MODEL;
  uint32_t states = f.states > 0 ? (uint32_t)f.states : f.highest_state + 1;
  const uint32_t start = single_start(&f, &states);
  *out = (struct hoa){.name = f.name,
                      .automaton = automaton_create(arena, states, start, f.sets, f.edges, f.edge_count),
                      .atoms = f.atoms,
                      .atom_at = f.atom_at,
                      .atom_count = f.labels.atom_count};
  return FLOE_OK;
}

struct located_text hoa_atom_text(const struct source *source, const char *text, source_at at, struct arena *arena) {
  const size_t length = strlen(text);
  source_at *positions = arena_array(arena, length + 1, sizeof *positions);
  size_t next = at - source->base + 1; /* behind the quotation mark */
  for (size_t i = 0; i < length; i++) {
    next += source->text[next] == '\\';
    positions[i] = source->base + (source_at)next++;
  }
  positions[length] = source->base + (source_at)next;
  return (struct located_text){text, length, positions};
}
