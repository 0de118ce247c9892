/* HOA files: automata of random formulas are written and read again, in other forms too, and accept the words that
   satisfy the formula; files as other programs write them; errors with their places; damaged files. */
#include "logic/hoa.h"

#include "base/splitmix64.h"
#include "logic/evaluate.h"
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

enum { ATOMS = 3 };

struct translation {
  struct arena arena;
  uint64_t seed;
  struct trees trees;
  struct hoa hoa;
};

static void translate_body(void *data) {
  static const char *const atoms[] = {"x == 1", "say \"a\\b\"", "c"};
  struct translation *t = data;
  struct formulas *set = formulas_create(&t->arena);
  t->trees = random_trees(&t->seed, 10, ATOMS);
  t->hoa = (struct hoa){
      .name = "f", .automaton = translate(set, tree_formula(set, &t->trees)), .atoms = atoms, .atom_count = ATOMS};
}

static void translation_init(struct translation *t, uint64_t seed) {
  *t = (struct translation){.seed = seed};
  arena_init(&t->arena);
  ck_assert_int_eq(arena_guard(&t->arena, translate_body, t), 0);
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
  struct translation t;
  char *text;
  size_t length;
  translation_init(&t, seed);
  FILE *file = open_memstream(&text, &length);
  ck_assert_int_eq(hoa_write(&t.hoa, file), FLOE_OK);
  fclose(file);
  struct reading r = reading_of(text, length);
  ck_assert_msg(r.status == FLOE_OK, "%s", text);
  ck_assert_str_eq(r.hoa.name, "f");
  ck_assert_uint_eq(r.hoa.atom_count, ATOMS);
  for (unsigned i = 0; i < ATOMS; i++)
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

/* ---- the same automaton in other forms ------------------------------------------------------------ */

static bool reads(const struct automaton_edge *edge, unsigned valuation) {
  for (size_t i = 0; i < edge->cube_count; i++)
    if (cube_has(edge->cubes[i], valuation))
      return true;
  return false;
}

static void write_label(FILE *file, unsigned valuation) {
  for (unsigned i = 0; i < ATOMS; i++)
    fprintf(file, "%s%s%u", i ? " & " : "", valuation >> i & 1 ? "" : "!", i);
}

/* A state of the file stands for an edge of the automaton with one of its valuations, and has its acceptance sets. The
   valuation labels the state itself (`on_states`: the edges of the initial state are starts) or the edges that lead to
   it (a further state 0 is the start). Two more sets: one that each state is in, and one that the condition lacks. */
struct form {
  FILE *file;
  const struct automaton *automaton;
  bool on_states;
};

enum { VALUATIONS = 1 << ATOMS };

static unsigned state_of(const struct form *form, size_t edge, unsigned valuation) {
  return (unsigned)edge * VALUATIONS + valuation + !form->on_states;
}

static void write_sets(const struct form *form, uint64_t sets) {
  fputs(" {", form->file);
  for (unsigned i = 0; i < form->automaton->sets; i++)
    if (sets >> i & 1)
      fprintf(form->file, "%u ", i);
  fprintf(form->file, "%u}\n", form->automaton->sets);
}

static void write_edges_of(const struct form *form, uint32_t state) {
  for (size_t i = form->automaton->first[state]; i < form->automaton->first[state + 1]; i++)
    for (unsigned v = 0; v < VALUATIONS; v++) {
      if (!reads(&form->automaton->edges[i], v))
        continue;
      if (!form->on_states) {
        fputs("[", form->file);
        write_label(form->file, v);
        fputs("] ", form->file);
      }
      fprintf(form->file, "%u ", state_of(form, i, v));
    }
  fputs("\n", form->file);
}

static void write_form(const struct form *form) {
  const struct automaton *a = form->automaton;
  fprintf(form->file, "HOA: v1\ntool: \"test\"\nAP: 3 \"a\" \"b\" \"c\"\nAcceptance: %u (t", a->sets + 2);
  for (unsigned i = a->sets + 1; i-- > 0;)
    fprintf(form->file, " & Inf(%u)", i);
  fputs(")\n", form->file);
  if (!form->on_states)
    fputs("Start: 0\n", form->file);
  for (size_t i = a->first[a->initial]; form->on_states && i < a->first[a->initial + 1]; i++)
    for (unsigned v = 0; v < VALUATIONS; v++)
      if (reads(&a->edges[i], v))
        fprintf(form->file, "Start: %u\n", state_of(form, i, v));
  fputs("--BODY--\n", form->file);
  if (!form->on_states) {
    fputs("State: 0 {0}\n", form->file);
    write_edges_of(form, a->initial);
  }
  for (size_t i = 0; i < a->edge_count; i++)
    for (unsigned v = 0; v < VALUATIONS; v++) {
      fputs("State: ", form->file);
      if (form->on_states) {
        fputs("[", form->file);
        write_label(form->file, v);
        fputs("] ", form->file);
      }
      fprintf(form->file, "%u \"s\"", state_of(form, i, v));
      write_sets(form, a->edges[i].accepting);
      write_edges_of(form, a->edges[i].to);
    }
  fputs("--END--\n", form->file);
}

struct comparison {
  struct reading *reading;
  struct translation *translation;
  const char *text;
};

/* The automaton as read, the same reduced, and the direct evaluation agree. */
static void compare_words(void *data) {
  const struct comparison *c = data;
  struct arena *arena = &c->reading->arena;
  const struct automaton *read = c->reading->hoa.automaton, *reduced = automaton_reduce(arena, read);
  for (unsigned i = 0; i < 30; i++) {
    const struct word word = random_word(&c->translation->seed, ATOMS);
    const struct periodic_word periodic = {word.valuations, word.length, word.loop};
    const bool right = word_satisfies(&word, &c->translation->trees);
    ck_assert_msg(automaton_accepts(read, &word) == right, "word %u of %.4000s", i, c->text);
    ck_assert_msg(automaton_accepts(reduced, &word) == right, "word %u, reduced, of %.4000s", i, c->text);
    ck_assert_msg(word_is_accepted(read, &periodic, arena) == right, "word %u, by its product, of %.4000s", i, c->text);
  }
}

static void compare_form(uint64_t seed) {
  struct translation t;
  char *text;
  size_t length;
  translation_init(&t, seed);
  const struct form form = {
      .file = open_memstream(&text, &length), .automaton = t.hoa.automaton, .on_states = seed % 2 == 1};
  write_form(&form);
  fclose(form.file);
  struct reading r = reading_of(text, length);
  ck_assert_msg(r.status == FLOE_OK, "%.4000s: %s", text, r.status == FLOE_OK ? "" : floe_log_at(r.log, 0)->message);
  struct comparison comparison = {&r, &t, text};
  ck_assert_int_eq(arena_guard(&r.arena, compare_words, &comparison), 0);
  reading_free(&r);
  free(text);
  arena_free(&t.arena);
}

START_TEST(other_forms_accept_the_same_words) {
  for (unsigned i = 0; i < (at_length() ? 20000u : 150u); i++)
    compare_form(i);
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
  ck_assert_msg(r.status == FLOE_OK, "%.4000s: %s", text, r.status == FLOE_OK ? "" : floe_log_at(r.log, 0)->message);
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
    {"HOA: v1\nAcceptance: 1 Fin(0)", "acceptance with Fin, as of co-Buchi, Rabin and parity automata, is not read", 2,
     15},
    {"HOA: v1\nAcceptance: 2 Inf(0) & Fin(1)",
     "acceptance with Fin, as of co-Buchi, Rabin and parity automata, is not read", 2, 24},
    {"HOA: v1\nAcceptance: 2 Inf(0) | Inf(1)", "disjunctions in an acceptance condition are not read", 2, 22},
    {"HOA: v1\nAcceptance: 2 (Inf(0) & Inf(1)) | t", "disjunctions in an acceptance condition are not read", 2, 33},
    {"HOA: v1\nAcceptance: 1 Inf(!0)", "complemented acceptance sets are not read", 2, 19},
    {"HOA: v1\nAcceptance: 0 f", "the acceptance condition f, which no run satisfies, is not read", 2, 15},
    {"HOA: v1\nAcceptance: 0 Inf(0)", "the acceptance condition has no sets", 2, 19},
    {"HOA: v1\nAcceptance: 1 Buchi", "expected \"Inf\", found \"Buchi\"", 2, 15},
    {"HOA: v1\nAcceptance: 0 t\nAcceptance: 0 t", "second header item Acceptance:", 3, 1},
    {"HOA: v1\nStates: 1\nStates: 1", "second header item States:", 3, 1},
    {"HOA: v1\nAP: 1 \"a\"\nAP: 0", "second header item AP:", 3, 1},
    {"HOA: v1 --ABORT--", "the automaton is incomplete: the program that wrote it gave up (--ABORT--)", 1, 9},
    {"HOA: v1\nAcceptance: 0 t\n--BODY--\n--ABORT--",
     "the automaton is incomplete: the program that wrote it gave up (--ABORT--)", 4, 1},
    {"HOA: v1\nAcceptance: 0 t\n--BODY--\n--END--\nHOA: v1", "text after --END--", 5, 1},
    {"HOA: v1\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 0\nState: 0\n--END--", "second definition of state 0", 6, 8},
    {"HOA: v1\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0\n0\n--END--", "the state before has only 1 edges", 7,
     1},
    {"HOA: v1\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0\n[0] 0\n0\n--END--",
     "only some edges of the state have labels", 7, 1},
    {"HOA: v1\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0\n0\n[0] 0\n--END--",
     "only some edges of the state have labels", 7, 1},
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
  return suite_end(run_tests("hoa", CK_NOFORK, written_automata_are_read, other_forms_accept_the_same_words,
                             forms_of_other_programs, errors_have_places, damaged_files));
}
