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
    "<transition from='a' to='b' effect='p = true; q = p; r = q; F = 1; next[0] = p; U = q'/></process>"
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
    names[i] = expr_text(call->m->model, temporal->atoms[i], &call->m->arena);
  call->text = formula_text(temporal->formula, names, &call->m->arena);
}

/* The formula over ground expressions. */
static const char *formula_of(struct checked *m) {
  struct call call = {m, NULL};
  checked_must_hold(m);
  ck_assert_int_eq(m->model->properties[0].kind, FLOE_LTL);
  ck_assert_ptr_null(m->model->properties[0].expr);
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
    {"ltl", "always next[F] == 1", "must not fail"},
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

START_TEST(test_nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  TCase *tests = tcase_create("temporal");
  tcase_add_loop_test(tests, test_equal, 0, sizeof equals / sizeof *equals);
  tcase_add_loop_test(tests, test_formula, 0, sizeof formulas / sizeof *formulas);
  tcase_add_loop_test(tests, test_shared, 0, sizeof shared / sizeof *shared);
  tcase_add_loop_test(tests, test_error, 0, sizeof errors / sizeof *errors);
  add_tests(tests, test_atom_texts, test_nothing_leaks);
  return run_suite("temporal", CK_NOFORK, tests);
}
