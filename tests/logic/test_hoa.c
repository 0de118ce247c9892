/* HOA files: automata of random formulas are written and read again; files as other programs write them; errors with
   their places; damaged files. */
#include "logic/hoa.h"

#include "base/splitmix64.h"
#include "logic/translate.h"
#include "tests/logic/words.h"
#include "tests/suite.h"

#include <string.h>

struct reading {
  struct arena arena;
  struct source source;
  floe_log *log;
  struct hoa hoa;
  floe_status status;
};

static void read_body(void *data) {
  struct reading *r = data;
  r->status = hoa_read(&r->source, &r->arena, r->log, &r->hoa);
}

static struct reading reading_of(const char *text, size_t length) {
  struct reading r = {.source = {.name = "a.hoa", .text = text, .length = length}};
  arena_init(&r.arena);
  ck_assert_int_eq(floe_log_create(&r.log), FLOE_OK);
  ck_assert_int_eq(arena_guard(&r.arena, read_body, &r), 0);
  ck_assert(r.status == FLOE_OK || floe_log_errors(r.log) > 0);
  return r;
}

static void reading_free(struct reading *r) {
  arena_free(&r->arena);
  floe_log_free(r->log);
}

/* ---- written and read again ----------------------------------------------------------------------- */

struct translation {
  struct arena arena;
  uint64_t seed;
  struct hoa hoa;
};

static void translate_body(void *data) {
  static const char *const atoms[] = {"x == 1", "say \"a\\b\"", "c"};
  struct translation *t = data;
  struct formulas *set = formulas_create(&t->arena);
  const struct trees trees = random_trees(&t->seed, 10, 3);
  t->hoa = (struct hoa){
      .name = "f", .automaton = translate(set, tree_formula(set, &trees)), .atoms = atoms, .atom_count = 3};
}

static void ck_same_edge(const struct automaton_edge *a, const struct automaton_edge *b) {
  ck_assert(a->from == b->from && a->to == b->to && a->accepting == b->accepting && a->cube_count == b->cube_count);
  for (size_t i = 0; i < a->cube_count; i++) {
    bool found = false;
    for (size_t k = 0; k < b->cube_count; k++)
      found |= cube_within(a->cubes[i], b->cubes[k]) && cube_within(b->cubes[k], a->cubes[i]);
    ck_assert(found);
  }
}

static void write_and_read(uint64_t seed) {
  struct translation t = {.seed = seed};
  char *text;
  size_t length;
  arena_init(&t.arena);
  ck_assert_int_eq(arena_guard(&t.arena, translate_body, &t), 0);
  FILE *file = open_memstream(&text, &length);
  ck_assert_int_eq(hoa_write(&t.hoa, file), FLOE_OK);
  fclose(file);
  struct reading r = reading_of(text, length);
  ck_assert_msg(r.status == FLOE_OK, "%s", text);
  ck_assert_str_eq(r.hoa.name, "f");
  ck_assert_uint_eq(r.hoa.atom_count, 3);
  for (unsigned i = 0; i < 3; i++)
    ck_assert_str_eq(r.hoa.atoms[i], t.hoa.atoms[i]);
  const struct automaton *a = t.hoa.automaton, *b = r.hoa.automaton;
  ck_assert(a->states == b->states && a->initial == b->initial && a->sets == b->sets && a->edge_count == b->edge_count);
  for (size_t i = 0; i < a->edge_count; i++)
    ck_same_edge(&a->edges[i], &b->edges[i]);
  reading_free(&r);
  free(text);
  arena_free(&t.arena);
}

START_TEST(written_automata_are_read) {
  for (unsigned i = 0; i < 200; i++)
    write_and_read(i);
}
END_TEST

/* ---- files of other programs ---------------------------------------------------------------------- */

/* G(p0 -> F p1): acceptance on states; implicit labels; labels on states, two initial states; aliases. */
static const char *const forms[] = {
    "HOA: v1\nname: \"G(a -> F b)\"\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n"
    "properties: trans-labels explicit-labels state-acc complete\ntool: \"x\" \"1.0\"\n--BODY--\n"
    "State: 0 \"ready\" {0}\n[!0 | 1] 0\n[0&!1] 1\nState: 1\n[1] 0\n[!1] 1\n--END--\n",
    "HOA: v1 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0) --BODY--\n"
    "State: 0 {0} /* by valuation: none, a, b, both */ 0 1 0 0 State: 1 1 1 0 0 --END--",
    "HOA: v1\nStates: 4\nStart: 0\nStart: 1\nAP: 2 \"a\" \"b\"\nAcceptance: 2 Inf(1) & Inf(0)\n--BODY--\n"
    "State: [!0 | 1] 0 {0 1}\n0 1\nState: [0 & !1] 1\n2 3\nState: [1] 2 {1 0}\n0 1\nState: [!1 & t & !(f)] 3\n2 "
    "3\n--END--",
    "HOA: v1\nStart: 0\nAP: 2 \"a\" \"b\"\nAlias: @a 0\nAlias: @wait @a & !1\nAcceptance: 1 Inf(0)\n--BODY--\n"
    "State: 0\n[!@wait] 0 {0}\n[@wait] 1\nState: 1\n[1] 0 {0}\n[!1] 1\n--END--",
};

static void require_form(const char *text) {
  static const struct trees response = {{{TREE_ATOM, 0, 0, 0},
                                         {TREE_NOT, 0, 0, 0},
                                         {TREE_ATOM, 1, 0, 0},
                                         {TREE_EVENTUALLY, 0, 2, 0},
                                         {TREE_OR, 0, 1, 3},
                                         {TREE_ALWAYS, 0, 4, 0}},
                                        6};
  struct reading r = reading_of(text, strlen(text));
  ck_assert_msg(r.status == FLOE_OK, "%s: %s", text, r.status == FLOE_OK ? "" : floe_log_at(r.log, 0)->message);
  uint64_t seed = 1;
  for (unsigned i = 0; i < 300; i++) {
    const struct word word = random_word(&seed, 2);
    ck_assert_msg(automaton_accepts(r.hoa.automaton, &word) == word_satisfies(&word, &response), "word %u of %s", i,
                  text);
  }
  reading_free(&r);
}

START_TEST(forms_of_other_programs) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    require_form(forms[i]);
}
END_TEST

/* ---- errors --------------------------------------------------------------------------------------- */

static const struct {
  const char *text, *message;
  unsigned line, column;
} errors[] = {
    {"", "expected \"HOA:\", found the end of the file", 1, 1},
    {"HOA: v2", "expected \"v1\", found \"v2\"", 1, 6},
    {"HOA: v1\n--BODY--\n--END--", "the header has no Acceptance:", 3, 1},
    {"HOA: v1\nAcceptance: 1 Fin(0)", "expected \"Inf\", found \"Fin\"", 2, 15},
    {"HOA: v1\nAcceptance: 2 Inf(0) | Inf(1)", "expected \"&\", found \"|\"", 2, 22},
    {"HOA: v1\nAcceptance: 1 Inf(0) | Inf(0)", "this acceptance condition is not read", 2, 22},
    {"HOA: v1\nAcceptance: 65 Inf(0)", "number above 64", 2, 13},
    {"HOA: v1\nStart: 0&1\n", "alternating automata are not read", 2, 9},
    {"HOA: v1\nTable: 3\n", "unknown header item \"Table:\"", 2, 1},
    {"HOA: v1\nStates: 1\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 1\n--END--", "state 1 of 1 states", 7, 1},
    {"HOA: v1\nAcceptance: 0 t\n--BODY--\nState: 0\n[0] 0\n--END--",
     "expected t or f, found \"0\": there are no atomic propositions", 5, 2},
    {"HOA: v1\nAcceptance: 0 t\n--BODY--\nState: 0\n[@x] 0\n--END--", "unknown alias @x", 5, 2},
    {"HOA: v1\nAP: 1 \"a\nAcceptance: 0 t\n", "text without a closing quotation mark", 2, 7},
    {"HOA: v1 /* x", "comment without an end", 1, 9},
    {"HOA: v1\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 0 {0}\n--END--", "the acceptance condition has no sets", 5, 8},
    {"HOA: v1\nAcceptance: 0 t\n--BODY--\nState: 0\n0 0\n--END--", "more edges without labels than valuations", 5, 3},
    {"HOA: v1\nAcceptance: 0 t\n--BODY--\nState: [t] 0\n[t] 0\n--END--", "the state has a label: its edges have none",
     5, 1},
};

START_TEST(errors_have_places) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    struct reading r = reading_of(errors[i].text, strlen(errors[i].text));
    ck_assert_msg(r.status == FLOE_ERROR_MODEL, "%s", errors[i].text);
    const floe_message *message = floe_log_at(r.log, 0);
    ck_assert_str_eq(message->message, errors[i].message);
    ck_assert_msg(message->line == errors[i].line && message->column == errors[i].column, "%s: %u:%u", message->message,
                  message->line, message->column);
    reading_free(&r);
  }
}
END_TEST

/* Bytes of a valid file are replaced, removed or doubled: the reader returns an automaton or an error. */
START_TEST(damaged_files) {
  uint64_t seed = 1;
  for (unsigned i = 0; i < (at_length() ? 100000u : 3000u); i++) {
    char text[1000];
    size_t length = strlen(forms[i % 4]);
    memcpy(text, forms[i % 4], length);
    for (unsigned k = 0; k <= i / 4 % 4; k++) {
      const uint64_t random = splitmix64_next(&seed);
      const size_t at = random % length, to = (random >> 16) % length;
      const size_t moved = length - (at > to ? at : to);
      memmove(text + to, text + at, moved);
      text[at] = "{}[]()!&|@\"0129 t:-"[(random >> 32) % 19];
    }
    struct reading r = reading_of(text, length);
    reading_free(&r);
  }
}
END_TEST

int main(void) {
  return suite_end(run_tests("hoa", CK_NOFORK, written_automata_are_read, forms_of_other_programs, errors_have_places,
                             damaged_files));
}
