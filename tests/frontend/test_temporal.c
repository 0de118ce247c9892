/* Temporal properties: precedence, names that are also operators, quantifiers, atoms, errors. */
#include "checked.h"

#include "core/mem.h"
#include "logic/formula.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

/* Names of operators are names of constants, variables and defines. */
static const char frame[] =
    "<model name='m'><constant name='X' value='1'/><constant name='N' value='3'/>"
    "<variable name='p' type='bool'/><variable name='q' type='bool'/><variable name='r' type='bool'/>"
    "<variable name='F' range='0..3'/><variable name='next' type='bool' size='3'/>"
    "<variable name='U' type='bool'/><define name='G'>F == 2</define>"
    "<define name='is' parameters='k'>F == k</define>"
    "<process name='P' instances='2'><location name='a' initial='true'/><location name='b'/>"
    "<transition from='a' to='b' label='go' effect='p = true; q = p; r = q; F = 1; next[0] = p; U = q'/></process>"
    "<process name='S'><location name='a' initial='true'/><transition from='a' label='stay'/>"
    "<transition from='a' label='same'/></process>"
    "<process name='same'><location name='a' initial='true'/><transition from='a' label='go'/></process>"
    "<property id='t' kind='%s'><![CDATA[%s]]></property></model>";

static void open_text(struct checked *m, const char *kind, const char *text) {
  static char xml[20000];
  ck_assert_int_lt(snprintf(xml, sizeof xml, frame, kind, text), sizeof xml);
  checked_open(m, xml, "");
}

struct call {
  struct checked *m;
  const char *text;
};

static void print(void *data) {
  struct call *call = data;
  const struct temporal *temporal = call->m->model->properties[0].temporal;
  const char *names[LOGIC_MAX_ATOMS];
  for (size_t i = 0; i < temporal->atom_count; i++)
    names[i] =
        temporal->atoms[i] ? expr_text(call->m->model, temporal->atoms[i], &call->m->arena) : temporal->atom_texts[i];
  call->text = formula_text(temporal->formula, names, &call->m->arena);
}

/* The formula over ground expressions. */
static const char *formula_of(struct checked *m) {
  struct call call = {m, NULL};
  checked_must_hold(m);
  ck_assert_int_eq(m->model->properties[0].kind, FLOE_LTL);
  ck_assert_int_eq(arena_guard(&m->arena, print, &call), 0);
  return call.text;
}

/* Two texts with the same formula. */
static const struct {
  const char *written, *same;
} equals[] = {
    {"[] p", "always p"},
    {"G p", "always p"},
    {"<> p", "eventually p"},
    {"F p", "eventually p"},
    {"F(p)", "eventually p"},
    {"X p", "next p"},
    {"p U q", "p until q"},
    {"p W q", "p weakuntil q"},
    {"p R q", "p release q"},
    {"p --> q", "p leadsto q"},
    {"p leadsto q", "always (p implies eventually q)"},
    {"p or q leadsto r and p", "(p or q) leadsto (r and p)"},
    {"p implies q leadsto r", "(p implies q) leadsto r"},
    {"p until q until r", "p until (q until r)"},
    {"p until q release r", "p until (q release r)"},
    {"p until q and r", "(p until q) and r"},
    {"r and p until q", "r and (p until q)"},
    {"always p until q", "(always p) until q"},
    {"not p until q", "(not p) until q"},
    {"always p and q", "(always p) and q"},
    {"always F == 3", "always (F == 3)"},
    {"not always F == 3", "not (always (F == 3))"},
    {"next F == 3 until q", "(next (F == 3)) until q"},
    {"[]<>p", "always (eventually p)"},
    {"[]!p", "always (not p)"},
    {"G F p", "always eventually p"},
    {"next next p", "next (next p)"},
    {"not (p until q)", "(not p) release (not q)"},
    {"all(i in 0..2: eventually next[i])", "eventually next[0] and eventually next[1] and eventually next[2]"},
    {"exists(i in P: always P[i].a)", "(always P[0].a) or (always P[1].a)"},
    {"always all(i in 1..N: i < N implies next[i - 1])", "always (next[0] and next[1])"},
    {"all(i in 1..N: i < N implies eventually next[i])", "eventually next[1] and eventually next[2]"},
    {"all(i in 1..0: eventually next[i])", "true"},
    {"exists(i in 1..0: eventually next[i])", "false"},
    {"always is(X)", "always F == 1"},
    {"p and true until q", "p and eventually q"},
    /* names */
    {"always G", "always F == 2"},
    {"G G", "always F == 2"},
    {"G U p", "(F == 2) until p"},
    {"F F == X", "eventually F == 1"},
    {"F == X", "F == 1"},
    {"next next[X]", "next (next[1])"},
    {"always F - X == 0", "always (F - 1 == 0)"},
    {"F U", "eventually (U)"},
    {"F U and p", "(eventually U) and p"},
    {"F U == p", "eventually (U == p)"},
    {"F U U p", "(eventually U) until p"},
    {"always U", "always (U)"},
    {"F == 1 U U", "(F == 1) until U"},
    /* firings */
    {"all(i in P: always enabled(P[i]))", "(always enabled(P[0])) and always enabled(P[1])"},
    {"exists(i in P: always taken(P[i].go))", "(always taken(P[0].go)) or (always taken(P[1].go))"},
    {"taken(S) U enabled(S)", "taken(S) until enabled(S)"},
    {"always (enabled(P[X]) or p)", "always (enabled(P[1]) or p)"},
};

START_TEST(test_equal) {
  struct checked m, n;
  open_text(&m, "ltl", equals[_i].written);
  open_text(&n, "ltl", equals[_i].same);
  const char *text = formula_of(&m), *same = formula_of(&n);
  ck_assert_msg(!strcmp(text, same), "%s: %s, not %s", equals[_i].written, text, same);
  checked_close(&m);
  checked_close(&n);
}
END_TEST

/* Texts as the formulas of other tests: a parser that ignored operators would pass test_equal. */
static const struct {
  const char *kind, *written, *formula;
} formulas[] = {
    {"ltl", "always p", "G(p)"},
    {"ltl", "eventually p", "F(p)"},
    {"ltl", "next p", "X(p)"},
    {"ltl", "p until q", "(p U q)"},
    {"ltl", "p release q", "(p R q)"},
    {"ltl", "always not p", "G(!p)"},
    {"ltl", "(always p) == (eventually q)", "((G(p) | G(!q)) & F((!p | q)))"},
    {"ltl", "(always p) != q", "((F(!p) & q) | (G(p) & !q))"},
    {"eventually", "G", "F(F == 2)"},
    {"leadsto", "p leadsto q", "G((F(q) | !p))"},
    {"leadsto", "enabled(go) leadsto taken(P[1])", "G((F(taken(P[1])) | !enabled(go)))"},
    {"eventually", "taken(S.stay) and not taken(P[0].go)", "F((taken(S.stay) & !taken(P[0].go)))"},
    {"ltl", "count(i in P: enabled(P[i])) == 1", "enabled(P[0]) + enabled(P[1]) == 1"},
    {"ltl", "always (F < 3 and next[F])", "G(F < 3 and next[F])"},
    {"ltl", "F < 3 implies eventually p or next[F]", "(F(p) | F < 3 and next[F] | !F < 3)"},
    {"ltl", "F < 3 implies eventually next[F]", "(F(next[F]) | !F < 3)"},
};

START_TEST(test_formula) {
  struct checked m;
  open_text(&m, formulas[_i].kind, formulas[_i].written);
  const char *text = formula_of(&m);
  ck_assert_msg(!strcmp(text, formulas[_i].formula), "%s: %s, not %s", formulas[_i].written, text,
                formulas[_i].formula);
  checked_close(&m);
}
END_TEST

/* Equal conditions are one atom. */
static const struct {
  const char *written;
  size_t atoms;
} shared[] = {
    {"always (p implies eventually p)", 1},
    {"always (p implies next not p)", 1},
    {"all(i in 0..2: eventually F == 1)", 1},
    {"always is(2) until G", 1},
    {"always (p and q) until p and q", 3},
    {"all(i in 0..2: eventually next[i])", 3},
    {"eventually (X == 1)", 0},
};

START_TEST(test_shared) {
  struct checked m;
  open_text(&m, "ltl", shared[_i].written);
  checked_must_hold(&m);
  ck_assert_uint_eq(m.model->properties[0].temporal->atom_count, shared[_i].atoms);
  checked_close(&m);
}
END_TEST

static const struct {
  const char *kind, *written, *message;
} errors[] = {
    {"invariant", "always p", "expected an operator or the end"},
    {"leadsto", "p implies q", "has the operator 'leadsto'"},
    {"ltl", "p until", "the text ends"},
    {"ltl", "always enabled(P)", "process 'P' has several instances"},
    {"ltl", "always enabled(P[2])", "there is no P[2]"},
    {"ltl", "always enabled(P[F])", "a constant is needed here"},
    {"ltl", "always taken(P[0].og)", "process 'P' has no transition with the label 'og'"},
    {"ltl", "always taken(P[0].stay)", "process 'P' has no transition with the label 'stay'"},
    {"ltl", "always taken(stya)", "'stya' is neither a process nor a label"},
    {"ltl", "always taken(p)", "'p' is neither a process nor a label"},
    {"ltl", "always taken(same)", "'same' is the name of a process and a label"},
    {"ltl", "exists(go in P: eventually taken(go))", "'go' is neither a process nor a label"},
    {"ltl", "always enabled(P[0].a[1])", "names no process and no label"},
    {"ltl", "always (taken(S) + 1 == 2)", "cannot have a temporal operator"},
    {"invariant", "enabled(P[0])", "unknown define 'enabled'"},
    {"invariant", "not taken(go)", "unknown define 'taken'"},
    {"ltl", "all(i in 1..0: always taken(wrong))", "'wrong' is neither a process nor a label"},
    {"ltl", "F == (X p)", "truth value"},
    {"ltl", "(always p) == 3", "truth value"},
    {"ltl", "all(i in 1..0: eventually wrong)", "unknown name 'wrong'"},
    {"ltl", "false and eventually wrong", "unknown name 'wrong'"},
};

START_TEST(test_error) {
  struct checked m;
  open_text(&m, errors[_i].kind, errors[_i].written);
  ck_assert_msg(m.status != FLOE_OK, "%s", errors[_i].written);
  ck_assert_msg(checked_says(&m, errors[_i].message), "%s", errors[_i].written);
  checked_close(&m);
}
END_TEST

/* The texts of atoms tell the instances of a quantifier apart. */
START_TEST(test_atom_texts) {
  struct checked m;
  open_text(&m, "ltl", "always is(3) and all(i in 0..1: eventually next[i])");
  checked_must_hold(&m);
  const struct temporal *temporal = m.model->properties[0].temporal;
  ck_assert_uint_eq(temporal->atom_count, 3);
  ck_assert_str_eq(temporal->atom_texts[1], "next[0]");
  ck_assert_str_eq(temporal->atom_texts[2], "next[1]");
  ck_assert_str_eq(temporal->atom_texts[0], "is(3)");
  checked_close(&m);
}
END_TEST

/* The expression that evaluates the conditions that can fail. */
static const struct {
  const char *written, *evaluated;
} evaluations[] = {
    {"always p", NULL},
    {"always enabled(P[0]) until taken(go)", NULL},
    {"always next[F]", "next[F]"},
    {"F < 3 implies (p until next[F]) and next[F + 1]", "next[F] & (F < 3 and next[F + 1])"},
    {"always false and next[F]", "next[F]"},
};

static void print_evaluation(void *data) {
  struct call *call = data;
  const struct expr *expr = call->m->model->properties[0].expr;
  call->text = expr ? expr_text(call->m->model, expr, &call->m->arena) : NULL;
}

START_TEST(test_evaluation) {
  struct checked m;
  open_text(&m, "ltl", evaluations[_i].written);
  checked_must_hold(&m);
  struct call call = {&m, NULL};
  ck_assert_int_eq(arena_guard(&m.arena, print_evaluation, &call), 0);
  ck_assert_pstr_eq(call.text, evaluations[_i].evaluated);
  checked_close(&m);
}
END_TEST

/* A define of an operator's name. */
START_TEST(test_define_of_a_name) {
  struct checked m;
  checked_open(&m,
               "<model name='m'><define name='taken' parameters='x'>x</define><process name='P'>"
               "<location name='a' initial='true'/><transition from='a' label='go'/></process>"
               "<property id='t' kind='ltl'>eventually taken(go)</property>"
               "<property id='i' kind='invariant'>taken(1)</property></model>",
               "");
  ck_assert(m.status != FLOE_OK && checked_says(&m, "'taken' is a define of the model"));
  checked_close(&m);
}
END_TEST

START_TEST(test_nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  TCase *tests = tcase_create("temporal");
  tcase_add_loop_test(tests, test_equal, 0, sizeof equals / sizeof *equals);
  tcase_add_loop_test(tests, test_formula, 0, sizeof formulas / sizeof *formulas);
  tcase_add_loop_test(tests, test_shared, 0, sizeof shared / sizeof *shared);
  tcase_add_loop_test(tests, test_error, 0, sizeof errors / sizeof *errors);
  tcase_add_loop_test(tests, test_evaluation, 0, sizeof evaluations / sizeof *evaluations);
  add_tests(tests, test_atom_texts, test_define_of_a_name, test_nothing_leaks);
  return run_suite("temporal", CK_NOFORK, tests);
}
