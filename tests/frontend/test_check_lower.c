/* Ground transitions: their number, order, tests and statements. */
#include "checked.h"

#include "core/mem.h"
#include "step/stepper.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

/* Opens a model that contains the given elements. */
static void open_model(struct checked *m, const char *elements, const char *constants) {
  char xml[4096];
  int length = snprintf(xml, sizeof xml, "<model name='m'>%s</model>", elements);
  ck_assert_int_lt(length, (int)sizeof xml);
  checked_open(m, xml, constants);
  checked_must_hold(m);
}

static const struct transition *transition(const struct checked *m, size_t i) {
  ck_assert_uint_lt(i, m->model->transition_count);
  return &m->model->transitions[i];
}

static void expect_guard(struct checked *m, size_t t, size_t i, const char *text) {
  ck_assert_uint_lt(i, transition(m, t)->guard_count);
  ck_assert_str_eq(checked_text(m, transition(m, t)->guards[i]), text);
}

static void expect_statement(struct checked *m, size_t t, size_t i, enum statement_op op, const char *value,
                             bool site) {
  ck_assert_uint_lt(i, transition(m, t)->statement_count);
  const struct statement *s = &transition(m, t)->statements[i];
  ck_assert_int_eq(s->op, op);
  ck_assert_str_eq(checked_text(m, s->value), value);
  ck_assert_int_eq(s->site != NO_SITE, site);
}

/* ---- state --------------------------------------------------------------------------- */

START_TEST(test_variables) {
  struct checked m;
  open_model(&m,
             "<constant name='N' value='2'/><variable name='x' range='-1..N'/>"
             "<variable name='t' range='0..9' size='3' init='4, 5, 6'/>"
             "<channel name='c' size='2' capacity='3' message='1..2, bool'/>"
             "<process name='P' instances='N'><parameter name='k' value='7, 8'/>"
             "<variable name='l' range='0..9' size='2' init='k - index'/><location name='a' "
             "initial='true'/>"
             "<location name='b'/><transition from='a' to='b' effect='x = t[0] - 4; l[0] = x + 1' "
             "send='c[0](1, true)'/>"
             "<transition from='b' receive='c[1](_, _)' guard='l[1] == 1'/></process>",
             "N=2");
  const struct model *model = m.model;
  ck_assert_uint_eq(model->variable_count, 7); /* x t P P.l len(c) and two fields */
  ck_assert_uint_eq(model->value_count, 1 + 3 + 2 + 4 + 2 + 6 + 6);
  ck_assert(model->constants[0].given && model->constants[0].value == 2);
  const struct variable *v = model->variables;
  ck_assert(v[0].assigned && !v[1].assigned);
  ck_assert_int_eq(v[0].lo, -1);
  ck_assert_int_eq(v[2].kind, VARIABLE_LOCATION);
  ck_assert_int_eq(v[3].kind, VARIABLE_LOCAL);
  ck_assert_uint_eq(v[3].length, 2);
  ck_assert_uint_eq(v[3].count, 4);
  ck_assert_int_eq(v[3].init[0], 7);
  ck_assert_int_eq(v[3].init[3], 7);
  ck_assert_int_eq(v[4].kind, VARIABLE_LENGTH);
  ck_assert_int_eq(v[4].hi, 3);
  ck_assert_int_eq(v[5].kind, VARIABLE_FIELD);
  ck_assert_int_eq(v[5].init[5], 1); /* the lowest value */
  ck_assert(v[6].is_bool);
  ck_assert_uint_eq(v[6].first + v[6].count, model->value_count);
  /* t[0] is folded, and x = 0 needs no check */
  expect_statement(&m, 0, 3, ST_ASSIGN, "0", false);
  checked_close(&m);
}
END_TEST

static const char *element(struct checked *m, uint32_t variable, uint32_t number) {
  return element_name(m->model, variable, number, &m->arena);
}

static void check_names(void *data) {
  struct checked *m = data;
  ck_assert_str_eq(element(m, 0, 0), "x");
  ck_assert_str_eq(element(m, 1, 2), "t[2]");
  ck_assert_str_eq(element(m, 2, 1), "P[1]");
  ck_assert_str_eq(element(m, 3, 3), "P[1].l[1]");
  ck_assert_str_eq(element(m, 4, 0), "Q");
  ck_assert_str_eq(element(m, 5, 0), "Q.s");
  ck_assert_str_eq(element(m, 6, 1), "c[1]");
  ck_assert_str_eq(element(m, 7, 5), "c[1]");
  ck_assert_str_eq(value_text(m->model, 0, -1, &m->arena), "-1");
  ck_assert_str_eq(value_text(m->model, 2, 1, &m->arena), "b");
  ck_assert_str_eq(value_text(m->model, 5, 1, &m->arena), "true");
}

START_TEST(test_element_names) {
  struct checked m;
  open_model(&m,
             "<variable name='x' range='-1..1'/><variable name='t' range='0..9' size='3'/>"
             "<channel name='c' size='2' capacity='3' message='1..2'/>"
             "<process name='P' instances='2'><variable name='l' range='0..9' size='2'/>"
             "<location name='a' initial='true'/><location name='b'/><transition from='a' "
             "to='b'/></process>"
             "<process name='Q'><variable name='s' type='bool'/><location name='a' "
             "initial='true'/></process>",
             "");
  ck_assert_int_eq(arena_guard(&m.arena, check_names, &m), 0);
  checked_close(&m);
}
END_TEST

/* ---- transitions of one instance ----------------------------------------------------- */

START_TEST(test_from_lists) {
  struct checked m;
  open_model(&m,
             "<process name='P' instances='2'><location name='a' initial='true'/><location name='b'/>"
             "<location name='c'/><transition from='*'/><transition from='c a' to='a' label='back'/>"
             "<transition from='a' to='b'/></process>",
             "");
  ck_assert_uint_eq(m.model->edge_count, 3);
  ck_assert_str_eq(m.model->edges[1].from, "c a");
  ck_assert_str_eq(m.model->edges[0].to, "*");
  ck_assert_uint_eq(m.model->transition_count, 2 * (3 + 2 + 1));
  ck_assert_uint_eq(transition(&m, 0)->statement_count, 0);
  ck_assert_uint_eq(transition(&m, 3)->tests[0].location, 2); /* as listed */
  ck_assert_uint_eq(transition(&m, 3)->statement_count, 1);
  ck_assert_uint_eq(transition(&m, 4)->statement_count, 0); /* a to a */
  ck_assert_uint_eq(transition(&m, 6)->participants[0].instance, 1);
  checked_close(&m);
}
END_TEST

START_TEST(test_guards) {
  struct checked m;
  open_model(&m,
             "<variable name='x' range='0..7'/><variable name='a' range='0..7' size='3'/>"
             "<process name='P' instances='3'><location name='l' initial='true'/>"
             "<transition from='l' guard='self gt 0 and x == 1 and (x or a[self - 1])'/>"
             "<transition from='l' select='i in 0..self - 1, j in P' guard='j == i' effect='x = "
             "a[i]; a[0] = 1'/>"
             "</process>",
             "");
  /* P[0] has none: its guard is false, and its select has no values */
  ck_assert_uint_eq(m.model->transition_count, 4);
  ck_assert_uint_eq(m.model->site_count, 0);
  ck_assert_uint_eq(transition(&m, 0)->guard_count, 2);
  expect_guard(&m, 0, 0, "x == 1");
  expect_guard(&m, 0, 1, "x or a[0]");
  ck_assert_uint_eq(transition(&m, 1)->select_count, 2);
  ck_assert_str_eq(transition(&m, 1)->selects[1].name, "j");
  ck_assert_int_eq(transition(&m, 3)->selects[0].hi, 1);
  expect_guard(&m, 3, 0, "choice1 == choice0");
  expect_guard(&m, 1, 0, "choice1 == 0");
  checked_close(&m);
}
END_TEST

START_TEST(test_effects) {
  struct checked m;
  open_model(&m,
             "<variable name='x' range='0..7'/><variable name='a' range='0..7' size='3'/>"
             "<process name='P'><location name='l' initial='true'/><location name='k'/>"
             "<transition from='l' to='k' effect='x++; x = x / 2; a[x] = 8; assert(x lt 3); "
             "assert(true)'/>"
             "</process>",
             "");
  ck_assert_uint_eq(transition(&m, 0)->statement_count, 5);
  expect_statement(&m, 0, 0, ST_ASSIGN, "x + 1", true);
  expect_statement(&m, 0, 1, ST_ASSIGN, "x / 2", false);
  expect_statement(&m, 0, 2, ST_ASSIGN, "8", true);
  ck_assert_int_eq(transition(&m, 0)->statements[2].index->op, EXPR_INDEX);
  expect_statement(&m, 0, 3, ST_ASSERT, "x < 3", true);
  expect_statement(&m, 0, 4, ST_ASSIGN, "1", false); /* the location, last */
  const struct site *sites = m.model->sites;
  ck_assert_str_eq(sites[transition(&m, 0)->statements[0].site].what, "x");
  ck_assert_str_eq(sites[transition(&m, 0)->statements[3].site].what, "x lt 3");
  checked_close(&m);
}
END_TEST

START_TEST(test_committed) {
  struct checked m;
  open_model(&m,
             "<channel name='c'/><process name='P' instances='2'><location name='a' initial='true'/>"
             "<location name='b' committed='true'/><transition from='a' to='b'/><transition from='b' "
             "to='a'/>"
             "<transition from='a' send='c'/><transition from='*' receive='c'/></process>",
             "");
  ck_assert_str_eq(checked_text(&m, m.model->committed), "P[0].b or P[1].b");
  expect_guard(&m, 0, 0, "not committed");
  ck_assert_uint_eq(transition(&m, 1)->guard_count, 0);
  expect_guard(&m, 2, 0, "not committed");              /* a with a */
  ck_assert_uint_eq(transition(&m, 3)->guard_count, 0); /* a with b */
  checked_close(&m);
}
END_TEST

/* ---- synchronisation ----------------------------------------------------------------- */

START_TEST(test_handshake) {
  struct checked m;
  open_model(&m,
             "<channel name='c' size='3' message='0..3, bool'/><variable name='x' range='0..5'/>"
             "<process name='S' instances='2'><location name='l' initial='true'/>"
             "<transition from='l' select='i in 0..3' send='c[self](i, x)' effect='x = 5'/></process>"
             "<process name='R' instances='3'><location name='l' initial='true'/><location name='k'/>"
             "<transition from='l k' to='k' select='j in 0..1' receive='c[self](x, == j)' effect='x = j'/>"
             "</process>",
             "");
  /* S[i] with R[i] alone, from two locations */
  ck_assert_uint_eq(m.model->transition_count, 4);
  const struct transition *t = transition(&m, 2);
  ck_assert_uint_eq(t->participants[0].instance, 1);
  ck_assert_uint_eq(t->participants[1].process, 1);
  ck_assert_uint_eq(t->participants[1].instance, 1);
  ck_assert_ptr_null(t->participants[1].participates);
  ck_assert_uint_eq(t->test_count, 2);
  ck_assert_uint_eq(t->select_count, 2);
  ck_assert_str_eq(t->selects[1].name, "j");
  expect_guard(&m, 2, 0, "x == choice1");
  expect_statement(&m, 2, 0, ST_LET, "choice0", false);
  expect_statement(&m, 2, 1, ST_LET, "x", true);
  expect_statement(&m, 2, 2, ST_ASSIGN, "temporary0", false);
  expect_statement(&m, 2, 3, ST_ASSIGN, "5", false);
  expect_statement(&m, 2, 4, ST_ASSIGN, "choice1", false);
  expect_statement(&m, 2, 5, ST_ASSIGN, "1", false);
  ck_assert_uint_eq(transition(&m, 3)->statement_count, 5); /* from k to k */
  checked_close(&m);
}
END_TEST

START_TEST(test_handshake_elements) {
  struct checked m;
  open_model(&m,
             "<channel name='c' size='2'/><variable name='x' range='0..2'/><variable name='y' "
             "range='0..1'/>"
             "<process name='S'><location name='l' initial='true'/>"
             "<transition from='l' send='c[x]' effect='x = y; y = 0'/></process>"
             "<process name='R'><location name='l' initial='true'/>"
             "<transition from='l' receive='c[y]'/><transition from='l' receive='c[1]'/></process>",
             "");
  ck_assert_uint_eq(m.model->transition_count, 2);
  expect_guard(&m, 0, 0, "x == y");
  ck_assert_int_eq(transition(&m, 0)->guards[0]->a->op, EXPR_INDEX);
  expect_guard(&m, 1, 0, "x == 1");
  checked_close(&m);
}
END_TEST

static void expect_last_false(struct checked *m, size_t t, size_t guards) {
  ck_assert_uint_eq(transition(m, t)->guard_count, guards);
  expect_guard(m, t, guards - 1, "0");
  ck_assert(never_fires(transition(m, t)));
  ck_assert_uint_eq(transition(m, t)->statement_count, 0);
  ck_assert_uint_eq(transition(m, t)->temp_count, 0);
}

/* A transition that never fires is kept only if its tests can fail. */
START_TEST(test_never) {
  struct checked m;
  open_model(&m,
             "<variable name='y' range='0..1'/><channel name='b' capacity='1' message='0..3'/>"
             "<process name='P'><location name='l' initial='true'/>"
             "<transition from='l' guard='y == 1 and 1 / y == 1 and y == 2 and y == 0' effect='y = 1'/>"
             "<transition from='l' guard='y == 1 and y == 2 and 1 / y == 1' effect='y = 1'/>"
             "<transition from='l' guard='1 / y == 1' receive='b(== 5)'/>"
             "<transition from='l' guard='y == 1' receive='b(== 5)'/></process>",
             "");
  ck_assert_uint_eq(m.model->transition_count, 2);
  expect_guard(&m, 0, 1, "1 / y == 1");
  expect_last_false(&m, 0, 3);
  expect_last_false(&m, 1, 3);
  checked_close(&m);
}
END_TEST

/* Partners that are never enabled form one ground transition of the sender; those whose own tests can fail stay
   pairs. */
START_TEST(test_never_pairs) {
  struct checked m;
  open_model(&m,
             "<variable name='y' range='0..1'/><channel name='c' size='5'/>"
             "<process name='S'><location name='l' initial='true'/><location name='k'/>"
             "<transition from='l' guard='1 / y == 1' send='c[0]'/>"
             "<transition from='k' send='c[0]' effect='y = 1'/></process>"
             "<process name='R' instances='4'><location name='l' initial='true'/><location name='k'/>"
             "<transition from='l' to='k' receive='c[self + 1]'/>"
             "<transition from='k' guard='false' receive='c[0]'/></process>"
             "<process name='Q'><location name='l' initial='true'/>"
             "<transition from='l' receive='c[1]' guard='2 / y == 1'/>"
             "<transition from='l' receive='c[0]'/></process>",
             "");
  ck_assert_uint_eq(m.model->transition_count, 5);
  expect_guard(&m, 0, 1, "2 / y == 1");
  expect_last_false(&m, 0, 3);
  ck_assert_uint_eq(transition(&m, 0)->participant_count, 2);
  ck_assert(!never_fires(transition(&m, 1)));
  expect_guard(&m, 2, 1, "1 / y == 1");
  expect_last_false(&m, 2, 3);
  ck_assert_uint_eq(transition(&m, 2)->participant_count, 1);
  expect_last_false(&m, 3, 2);
  ck_assert(!never_fires(transition(&m, 4)));
  checked_close(&m);
}
END_TEST

START_TEST(test_buffer) {
  struct checked m;
  open_model(&m,
             "<channel name='c' capacity='3' message='1..4'/><variable name='x' range='0..5'/>"
             "<process name='P'><location name='l' initial='true'/>"
             "<transition from='l' send='c(x)'/><transition from='l' receive='c(x)'/>"
             "<transition from='l' receive='c(== 2)'/></process>",
             "");
  ck_assert_uint_eq(m.model->transition_count, 3);
  expect_guard(&m, 0, 0, "len(c) < 3");
  expect_statement(&m, 0, 0, ST_LET, "x", true);
  expect_statement(&m, 0, 1, ST_ASSIGN, "temporary0", false);
  expect_statement(&m, 0, 2, ST_ASSIGN, "len(c) + 1", false);
  expect_guard(&m, 1, 0, "0 < len(c)");
  ck_assert_uint_eq(transition(&m, 1)->statement_count, 1 + 3 + 1 + 1);
  expect_statement(&m, 1, 3, ST_ASSIGN, "1", false); /* the freed position */
  expect_statement(&m, 1, 5, ST_ASSIGN, "temporary0", false);
  ck_assert_uint_eq(transition(&m, 2)->guard_count, 2);
  ck_assert_uint_eq(transition(&m, 2)->temp_count, 0);
  checked_close(&m);
}
END_TEST

START_TEST(test_broadcast) {
  struct checked m;
  open_model(&m,
             "<channel name='c' broadcast='true' message='0..3'/><variable name='x' range='0..3'/>"
             "<process name='S'><location name='l' initial='true'/>"
             "<transition from='l' send='c(x)' effect='x = 1'/></process>"
             "<process name='R' instances='2'><variable name='y' range='0..3'/>"
             "<location name='l' initial='true'/><location name='k'/>"
             "<transition from='l' to='k' receive='c(y)'/><transition from='k' receive='c(== "
             "3)'/></process>"
             "<process name='Q'><location name='l' initial='true'/>"
             "<transition from='l' select='i in 0..2' receive='c(== i)' guard='i != 1'/></process>",
             "");
  ck_assert_uint_eq(m.model->transition_count, 1);
  const struct transition *t = transition(&m, 0);
  ck_assert_uint_eq(t->participant_count, 1 + 2 * 2 + 2);
  ck_assert_int_eq(t->participants[1].participates->op, EXPR_TEMP);
  ck_assert_uint_eq(t->select_count, 1); /* Q has two alternatives at one location, each R one */
  ck_assert_str_eq(t->selects[0].name, "");
  ck_assert_int_eq(t->selects[0].hi, 1);
  ck_assert_uint_eq(t->guard_count, 1);
  ck_assert_uint_eq(t->test_count, 1);
  expect_statement(&m, 0, 0, ST_LET, "x", false);
  expect_statement(&m, 0, 1, ST_LET, "R[0].l", false);
  expect_statement(&m, 0, 2, ST_LET, "R[0].k and x == 3", false);
  ck_assert_int_eq(t->statements[7].op, ST_IF);
  ck_assert_uint_eq(t->statements[7].then_count, 1);
  checked_close(&m);
}
END_TEST

/* A guard that reads a field comes last. Unread fields cost nothing. A constant that is sent stays a constant. */
START_TEST(test_bound_fields) {
  struct checked m;
  open_model(&m,
             "<channel name='c' size='2' message='0..3, 0..3'/><variable name='x' range='0..3'/>"
             "<process name='S'><location name='l' initial='true'/>"
             "<transition from='l' send='c[x % 2](x, 2)' guard='x lt 3' effect='x = 0'/></process>"
             "<process name='R'><variable name='y' range='0..3'/><location name='l' initial='true'/>"
             "<transition from='l' receive='c[1](k, == k + 1)' guard='k gt y and y lt 2' effect='y = k'/>"
             "<transition from='l' receive='c[0](k, t)' guard='t == 3 or y == 1'/>"
             "<transition from='l' receive='c[0](_, t)' guard='t == 3'/></process>",
             "");
  ck_assert_uint_eq(m.model->transition_count, 2);
  ck_assert_uint_eq(transition(&m, 0)->guard_count, 5);
  expect_guard(&m, 0, 1, "x % 2 == 1");
  expect_guard(&m, 0, 2, "2 == x + 1");
  expect_guard(&m, 0, 3, "R.y < x");
  expect_guard(&m, 0, 4, "R.y < 2");
  expect_statement(&m, 0, 0, ST_LET, "x", false);
  expect_statement(&m, 0, 1, ST_ASSIGN, "0", false);
  expect_statement(&m, 0, 2, ST_ASSIGN, "temporary0", false);
  expect_guard(&m, 1, 2, "R.y == 1");
  checked_close(&m);
}
END_TEST

/* The other edges of the location in order, without conditions that are constant. */
START_TEST(test_else) {
  struct checked m;
  open_model(&m,
             "<channel name='q' capacity='2' message='0..3'/><variable name='x' range='0..3'/>"
             "<process name='P'><location name='l' initial='true'/><location name='k'/>"
             "<transition from='*' guard='else' effect='x = 1'/><transition from='l' to='k' guard='x == 1'/>"
             "<transition from='l' select='i in 0..1' send='q(i)' guard='x == i'/>"
             "<transition from='l' guard='false'/><transition from='k' receive='q(f)' guard='f gt x'/>"
             "<transition from='l' guard='else'/></process>",
             "");
  ck_assert_uint_eq(m.model->transition_count, 6);
  ck_assert_uint_eq(transition(&m, 0)->guard_count, 2);
  expect_guard(&m, 0, 0, "x != 1");
  expect_guard(&m, 0, 1, "not (x == 0 and len(q) < 2 or x == 1 and len(q) < 2)");
  ck_assert_uint_eq(transition(&m, 1)->guard_count, 1);
  expect_guard(&m, 1, 0, "not (0 < len(q) and x < q(0).0)");
  ck_assert_uint_eq(transition(&m, 5)->guard_count, 2);
  checked_close(&m);
}
END_TEST

/* ---- firings in the initial state ------------------------------------------------------------ */

static size_t firings(const struct checked *m) {
  const struct model *model = m->model;
  size_t n = 0;
  for (uint32_t t = 0; t < model->transition_count; t++) {
    uint32_t choices = 1, site;
    for (size_t i = 0; i < model->transitions[t].select_count; i++)
      choices *= (uint32_t)(model->transitions[t].selects[i].hi - model->transitions[t].selects[i].lo + 1);
    for (uint32_t choice = 0; choice < choices; choice++) {
      int64_t values[256];
      ck_assert_uint_le(model->value_count, 256);
      for (size_t v = 0; v < model->variable_count; v++)
        memcpy(values + model->variables[v].first, model->variables[v].init,
               model->variables[v].count * sizeof *values);
      n += interpreter_fire(model, t, choice, values, NULL, &site);
    }
  }
  return n;
}

static const char bell[] = "<channel name='c' broadcast='true'/><process name='S'><location name='l' initial='true'/>"
                           "<transition from='l' send='c'/></process>";
static const struct {
  const char *channel, *processes;
  size_t firings;
} firing_cases[] = {
    /* a self-loop, parallel transitions, choices */
    {"", "<transition from='l'/>", 1},
    {"", "<transition from='l'/><transition from='l'/>", 2},
    {"", "<transition from='l' select='i in 0..4, j in 0..1' guard='i gt 1'/>", 6},
    {"", "<transition from='l k'/>", 1},
    /* a handshake needs another instance */
    {"<channel name='c'/>", "<transition from='l' send='c'/><transition from='l' receive='c'/>", 0},
    /* broadcasts: no receiver, one of two alternatives, each of two by two alternatives, choices of a select */
    {bell, "<transition from='k' receive='c'/>", 1},
    {bell, "<transition from='l' receive='c'/>", 1},
    {bell, "<transition from='l' receive='c'/><transition from='l k' receive='c'/>", 2},
    {bell, "<transition from='l' select='i in 0..4' guard='i gt 1' receive='c'/>", 3},
    {bell, "<transition from='l' guard='false' receive='c'/><transition from='k' receive='c'/>", 1},
};

/* Tests of a broadcast that can fail are guards: first the element, then the receivers, then priority. A receiver that
   can only fail does not take part. */
START_TEST(test_broadcast_fails) {
  struct checked m;
  open_model(&m,
             "<channel name='c' size='2' broadcast='true'/><variable name='y' range='0..3'/>"
             "<process name='S'><location name='l' initial='true'/>"
             "<transition from='l' send='c[y]' effect='y = 1'/></process>"
             "<process name='R' instances='2'><location name='l' initial='true'/><location name='k' "
             "committed='true'/><transition from='l' to='k' guard='self == 0 or 1 / y == 5' "
             "receive='c[self]'/></process>",
             "");
  ck_assert_uint_eq(m.model->transition_count, 1);
  const struct transition *t = transition(&m, 0);
  ck_assert_uint_eq(t->guard_count, 4);
  for (size_t i = 0; i < 3; i++) {
    ck_assert(t->guards[i]->can_fail);
    ck_assert_int_eq(t->guards[i]->lo, 1);
  }
  ck_assert_int_eq(t->guards[0]->a->op, EXPR_INDEX);
  ck_assert(!t->guards[3]->can_fail);
  ck_assert_uint_eq(t->participant_count, 2);
  ck_assert_int_eq(t->participants[1].participates->op, EXPR_TEMP);
  checked_close(&m);
}
END_TEST

START_TEST(test_firings) {
  struct checked m;
  char text[2048];
  snprintf(text, sizeof text, "%s<process name='P'><location name='l' initial='true'/><location name='k'/>%s</process>",
           firing_cases[_i].channel, firing_cases[_i].processes);
  open_model(&m, text, "");
  ck_assert_uint_eq(firings(&m), firing_cases[_i].firings);
  checked_close(&m);
}
END_TEST

/* Two alternatives for each of three receivers: every combination once. */
START_TEST(test_combinations) {
  struct checked m;
  char text[2048];
  snprintf(text, sizeof text,
           "%s<process name='P' instances='3'><location name='l' initial='true'/><location name='k'/>"
           "<transition from='l' receive='c'/><transition from='l' to='k' receive='c'/></process>",
           bell);
  open_model(&m, text, "");
  ck_assert_uint_eq(m.model->transition_count, 1);
  ck_assert_uint_eq(firings(&m), 8);
  checked_close(&m);
}
END_TEST

START_TEST(test_pairs) {
  struct checked m;
  open_model(&m,
             "<channel name='c'/><process name='P' instances='3'><location name='l' initial='true'/>"
             "<transition from='l' send='c'/><transition from='l' receive='c'/></process>",
             "");
  ck_assert_uint_eq(firings(&m), 6);
  checked_close(&m);
}
END_TEST

START_TEST(test_properties) {
  struct checked m;
  open_model(&m,
             "<process name='P'><location name='l' initial='true'/></process>"
             "<property id='a' kind='never' description='why'>P.l</property><deadlock unless='true'/>",
             "");
  ck_assert_uint_eq(m.model->property_count, 3);
  ck_assert_str_eq(m.model->properties[0].description, "why");
  ck_assert_int_eq(m.model->properties[1].kind, FLOE_DEADLOCK);
  ck_assert_int_eq(m.model->properties[1].expr->op, EXPR_CONST);
  ck_assert_int_eq(m.model->properties[2].kind, FLOE_ERRORS);
  ck_assert_ptr_null(m.model->properties[2].expr);
  checked_close(&m);
}
END_TEST

START_TEST(test_nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  TCase *tests = tcase_create("transitions");
  add_tests(tests, test_variables, test_element_names, test_from_lists, test_guards, test_effects, test_committed,
            test_handshake, test_handshake_elements, test_never, test_never_pairs, test_buffer, test_broadcast,
            test_broadcast_fails, test_bound_fields, test_else);
  tcase_add_loop_test(tests, test_firings, 0, sizeof firing_cases / sizeof *firing_cases);
  add_tests(tests, test_combinations, test_pairs, test_properties, test_nothing_leaks);
  return run_suite("check_lower", CK_NOFORK, tests);
}
