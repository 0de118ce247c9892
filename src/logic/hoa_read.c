#include "logic/hoa.h"

#include "logic/hoa_labels.h"

#include <string.h>

#define MAX_STATES 1000000

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
  bool has_acceptance;
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

/* t, or Inf(i) for each i, joined by &. */
static void read_acceptance(struct hoa_file *f) {
  static const char hint[] =
      "accepted are `t` and conjunctions of Inf(i): convert it into a (generalised) Buchi automaton";
  uint64_t seen = 0;
  f->has_acceptance = true;
  f->sets = hoa_number(&f->reader, AUTOMATON_MAX_SETS);
  if (hoa_take(&f->reader, "t") && f->sets > 0)
    hoa_error(&f->reader, hint, "acceptance condition without the sets");
  while (!f->reader.failed && seen != acceptance_mask(f->sets)) {
    if (seen != 0)
      hoa_expect(&f->reader, "&", hint);
    hoa_expect(&f->reader, "Inf", hint);
    hoa_expect(&f->reader, "(", hint);
    if (!f->reader.failed)
      seen |= UINT64_C(1) << hoa_number(&f->reader, f->sets - 1);
    hoa_expect(&f->reader, ")", hint);
  }
  if (hoa_is(&f->reader, "&") || hoa_is(&f->reader, "|"))
    hoa_error(&f->reader, hint, "this acceptance condition is not read");
}

static void skip_item(struct hoa_file *f) {
  while (!f->reader.failed && f->reader.kind != HOA_HEADER && f->reader.kind != HOA_END_OF_FILE &&
         !hoa_is(&f->reader, "--BODY--"))
    hoa_next(&f->reader);
}

static void read_item(struct hoa_file *f) {
  struct hoa_reader *r = &f->reader;
  if (hoa_take(r, "States:"))
    f->states = hoa_number(r, MAX_STATES);
  else if (hoa_take(r, "Start:"))
    read_start(f);
  else if (hoa_take(r, "AP:"))
    read_atoms(f);
  else if (hoa_take(r, "Acceptance:"))
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

static void read_header(struct hoa_file *f) {
  struct hoa_reader *r = &f->reader;
  hoa_expect(r, "HOA:", "the file begins with HOA: v1");
  hoa_expect(r, "v1", "version 1 is read");
  while (!r->failed && !hoa_take(r, "--BODY--")) {
    if (r->kind != HOA_HEADER)
      hoa_error(r, NULL, "expected a header item or --BODY--, found \"%s\"", r->token);
    else
      read_item(f);
  }
  if (!r->failed && !f->has_acceptance)
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

/* The edges of a state. A label at the state stands for all edges; without labels the edges are those of the valuations
   0, 1, 2, ... with atom i as bit i. */
static void read_edges(struct hoa_file *f, struct automaton_edge edge, bool labelled) {
  struct hoa_reader *r = &f->reader;
  const struct cube *cubes = edge.cubes;
  const size_t cube_count = edge.cube_count;
  const uint64_t accepting = edge.accepting, all = (UINT64_C(1) << (f->labels.atom_count & 63)) - 1;
  uint64_t valuation = 0;
  while (!r->failed && (hoa_is(r, "[") || r->kind == HOA_NUMBER)) {
    const bool explicit_label = hoa_is(r, "[");
    edge.cubes = cubes;
    edge.cube_count = cube_count;
    if (explicit_label && labelled)
      hoa_error(r, NULL, "the state has a label: its edges have none");
    else if (explicit_label)
      edge.cubes = hoa_read_label(r, &f->labels, &edge.cube_count);
    else if (!labelled) {
      struct cube *cube = arena_alloc(r->arena, sizeof *cube);
      *cube = (struct cube){valuation, ~valuation & all};
      edge.cubes = cube;
      edge.cube_count = 1;
      if (valuation++ > all)
        hoa_error(r, NULL, "more edges without labels than valuations");
    }
    edge.to = state_number(f);
    if (hoa_is(r, "&"))
      hoa_error(r, "convert it into an automaton without universal branching", "alternating automata are not read");
    edge.accepting = accepting | read_sets(f);
    *ARENA_PUSH(r->arena, f->edges, f->edge_count, f->edge_cap) = edge;
  }
}

static void read_state(struct hoa_file *f) {
  struct hoa_reader *r = &f->reader;
  struct automaton_edge edge = {.from = 0};
  hoa_expect(r, "State:", NULL);
  const bool labelled = hoa_is(r, "[");
  if (labelled)
    edge.cubes = hoa_read_label(r, &f->labels, &edge.cube_count);
  edge.from = state_number(f);
  if (r->kind == HOA_STRING)
    hoa_next(r);
  edge.accepting = read_sets(f);
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
