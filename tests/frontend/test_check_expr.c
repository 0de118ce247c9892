/* Ground expressions: folding, intervals, error sites, text. */
#include "checked.h"

#include "core/mem.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

/* A model with every kind of symbol and one property. */
static const char frame[] =
    "<model name='m'><constant name='N' value='3'/><constant name='NEG' value='-2'/>"
    "<variable name='x' range='-7..7'/><variable name='y' range='1..9' init='1'/>"
    "<variable name='b' type='bool'/><variable name='a' range='0..3' size='N'/>"
    "<variable name='m' range='0..3' size='2, N'/>"
    "<variable name='t' range='0..9' size='4' init='9, 4, 1, 0'/>"
    "<function name='top'>var t = a[0]; for i in 1..2: if (a[i] > t) t = a[i]; return t</function>"
    "<function name='some' parameters='p'>for i in 0..p: if (a[i] == p) return i; return -1</function>"
    "<function name='sure' parameters='p'>var t = a[p]; if (b) return 1; return t</function>"
    "<channel name='c' capacity='2' message='0..3'/><channel name='d' capacity='1' size='2'/>"
    "<process name='P' instances='N'><variable name='v' range='0..5'/>"
    "<variable name='w' range='0..5' size='2'/><variable name='q' type='bool' size='2, 2'/>"
    "<location name='idle' initial='true'/><location name='busy'/>"
    "<transition from='idle' to='busy' effect='x = 0; m[0][0] = 0; q[0][0] = 1; y = 1; b = "
    "false; a[0] = 0; v = 1; w[0] = "
    "1'/>"
    "</process>"
    "<process name='Q'><variable name='u' range='0..5'/><location name='l' initial='true'/>"
    "<location name='m'/><transition from='l' to='m' effect='u = 1'/></process>"
    "<property id='p' kind='invariant'><![CDATA[%s]]></property></model>";

static void open_property(struct checked *m, const char *text) {
  const size_t size = strlen(frame) + strlen(text) + 1;
  char *xml = mem_alloc(size);
  snprintf(xml, size, frame, text);
  checked_open(m, xml, "");
  mem_free(xml);
}

static const struct {
  const char *written, *lowered;
  int64_t lo, hi;
  size_t sites;
} values[] = {
    {"x + 1", "x + 1", -6, 8, 0},
    {"x - -1", "x - -1", -6, 8, 0},
    {"x * 2", "x * 2", -14, 14, 0},
    {"x * x", "x * x", -49, 49, 0},
    {"-x", "-x", -7, 7, 0},
    {"x + 0", "x", -7, 7, 0},
    {"1 * x", "x", -7, 7, 0},
    {"x * 0", "0", 0, 0, 0},
    {"N + NEG", "1", 1, 1, 0},
    {"NEG", "-2", -2, -2, 0},
    {"-7 / 2", "-3", -3, -3, 0},
    {"-7 % 2", "-1", -1, -1, 0},
    {"x / y", "x / y", -7, 7, 0},
    {"x / 3", "x / 3", -2, 2, 0},
    {"x % 3", "x % 3", -2, 2, 0},
    {"y % 20", "y % 20", 0, 9, 0},
    {"y / x", "y / x", -9, 9, 1},
    {"y % x", "y % x", 0, 6, 1},
    {"y / -y", "y / -y", -9, 0, 0},
    {"a[2]", "a[2]", 0, 3, 0},
    {"a[y]", "a[y]", 0, 3, 1},
    {"a[y % 3]", "a[y % 3]", 0, 3, 0},
    {"t[2]", "1", 1, 1, 0},
    {"t[a[0]]", "t[a[0]]", 0, 9, 0},
    {"t[3] / t[2]", "0", 0, 0, 0},
    {"y & 4", "y & 4", 0, 4, 0},
    {"y bitand -1", "y", 1, 9, 0},
    {"(y bitor 2) bitxor 0", "y | 2", 2, 11, 0},
    {"x | y ^ 3 & b", "x | y ^ 3 & b", -7, 15, 0},
    {"((x | y) ^ 3) & b", "((x | y) ^ 3) & b", 0, 1, 0},
    {"y + 1 << 2 & 15", "y + 1 << 2 & 15", 0, 15, 0},
    {"y - (x << 2)", "y - (x << 2)", -27, 37, 0},
    {"y << (1 << b)", "y << (1 << b)", 2, 36, 0},
    {"y << 0", "y", 1, 9, 0},
    {"x shr 1", "x >> 1", -4, 3, 0},
    {"x >> y", "x >> y", -4, 3, 0},
    {"y >> x", "y >> x", 0, 9, 1},
    {"y >> x + 8", "y >> x + 8", 0, 4, 0},
    {"1000 >> 64 + y", "1000 >> 64 + y", 0, 0, 1},
    {"~x", "~x", -8, 6, 0},
    {"~~x", "x", -7, 7, 0},
    {"~(x | 1) - ~5", "~(x | 1) - -6", -2, 12, 0},
    {"bitnot 5 shl 2", "-24", -24, -24, 0},
    {"-7 shr 1", "-4", -4, -4, 0},
    {"x / 0", "x / 0", 0, 0, 1},
    {"7 % (3 - 3)", "7 % 0", 0, 0, 1},
    {"false ? x / 0 : 1 shl 64", "1 << 64", 0, 0, 1},
    {"P[2].v", "P[2].v", 0, 5, 0},
    {"P[a[0] % 3].v", "P[a[0] % 3].v", 0, 5, 0},
    {"P[a[0]].v", "P[a[0]].v", 0, 5, 1},
    {"P[2].w[1]", "P[2].w[1]", 0, 5, 0},
    {"P[2].w[b]", "P[2].w[b]", 0, 5, 0},
    {"P[0].w[b]", "P[0].w[b]", 0, 5, 0},
    {"P[b].w[1]", "P[b].w[1]", 0, 5, 0},
    {"P[b].w[b]", "P[b].w[b]", 0, 5, 0},
    {"P[b].w[0]", "P[b].w[0]", 0, 5, 0},
    {"Q.u", "Q.u", 0, 5, 0},
    {"Q[0].u", "Q.u", 0, 5, 0},
    {"len(c)", "len(c)", 0, 2, 0},
    {"len(d[b])", "len(d[b])", 0, 1, 0},
    {"len(d[y])", "len(d[y])", 0, 1, 1},
    {"min(x, y)", "min(x, y)", -7, 7, 0},
    {"max(x, y)", "max(x, y)", 1, 9, 0},
    {"min(1, 2) + max(1, 2)", "3", 3, 3, 0},
    {"b ? x : y", "b ? x : y", -7, 9, 0},
    {"true ? x : 1 / 0", "x", -7, 7, 0},
    {"(b ? 1 : 2) + 1", "(b ? 1 : 2) + 1", 2, 3, 0},
    {"x - (y - 1)", "x - (y - 1)", -15, 7, 0},
    {"x - y - 1", "x - y - 1", -17, 5, 0},
    {"-(x + y)", "-(x + y)", -16, 6, 0},
    {"count(p in P : P[p].busy)", "P[0].busy + P[1].busy + P[2].busy", 0, 3, 0},
    {"count(i in 0..9 : i < 4)", "4", 4, 4, 0},
    {"sum(i in 1..4 : i * i)", "30", 30, 30, 0},
    {"sum(i in 0..2 : a[i])", "a[0] + a[1] + a[2]", 0, 9, 0},
    {"sum(i in 1..0 : a[i])", "0", 0, 0, 0},
    {"max(i in 0..3 : t[i])", "9", 9, 9, 0},
    {"min(i in 0..2 : a[i])", "min(a[0], min(a[1], a[2]))", 0, 3, 0},
    {"sum(i in 0..2 : sum(j in 0..i : 1))", "6", 6, 6, 0},
};

/* Each value is the left side of a comparison with unknown result. */
START_TEST(test_values) {
  struct checked m;
  char text[256];
  snprintf(text, sizeof text, "(%s) == 1000 * x", values[_i].written);
  open_property(&m, text);
  checked_must_hold(&m);
  ck_assert_int_eq(checked_property(&m, "p")->op, EXPR_EQ);
  const struct expr *e = checked_property(&m, "p")->a;
  ck_assert_str_eq(checked_text(&m, e), values[_i].lowered);
  ck_assert_int_eq(e->lo, values[_i].lo);
  ck_assert_int_eq(e->hi, values[_i].hi);
  ck_assert_uint_eq(m.model->site_count, values[_i].sites);
  ck_assert_int_eq(e->can_fail, values[_i].sites > 0);
  checked_close(&m);
}
END_TEST

static const struct {
  const char *written, *lowered;
} truths[] = {
    {"true and b", "b"},
    {"b and true", "b"},
    {"false and b", "0"},
    {"b and false", "0"},
    {"true or b", "1"},
    {"b or false", "b"},
    {"true and x", "x != 0"},
    {"x or false", "x != 0"},
    {"x", "x != 0"},
    {"y", "1"},
    {"not not x", "x != 0"},
    {"not x", "not x"},
    {"not b", "not b"},
    {"b and x", "b and x"},
    {"false implies b", "1"},
    {"true implies b", "b"},
    {"b implies x == 1", "not b or x == 1"},
    {"x & 1 == 1", "(x & 1) == 1"},
    {"not (x == 1)", "x != 1"},
    {"not (x lt 1)", "1 <= x"},
    {"not (x le 1)", "1 < x"},
    {"x gt 1", "1 < x"},
    {"x ge 1", "1 <= x"},
    {"x le 7", "1"},
    {"x lt -7", "0"},
    {"x != 100", "1"},
    {"(x == 1) == b", "(x == 1) == b"},
    {"b and (x == 1 or x == 2)", "b and (x == 1 or x == 2)"},
    {"b and x == 1 or x == 2", "b and x == 1 or x == 2"},
    {"b ? x == 1 : x == 2", "b ? x == 1 : x == 2"},
    {"P[1].idle", "P[1].idle"},
    {"not P[1].idle", "not P[1].idle"},
    {"not P[1].idle and b", "not P[1].idle and b"},
    {"P[b].busy", "P[b].busy"},
    {"Q.m", "Q.m"},
    {"m[1][2] == 1", "m[1][2] == 1"},
    {"m[y][x] == 1", "m[y][x] == 1"},
    {"m[0][x % 3] == m[x][2]", "m[0][x % 3] == m[x][2]"},
    {"m[x][0] == m[x + 1][y - 1]", "m[x][0] == m[x + 1][y - 1]"},
    {"P[y].q[x][b]", "P[y].q[x][b]"},
    {"P[1].q[0][b] and P[2].q[b][1]", "P[1].q[0][b] and P[2].q[b][1]"},
    {"P[0].q[b][0] and P[0].q[1][0]", "P[0].q[b][0] and P[0].q[1][0]"},
    {"top == 3", "max(max(a[0], a[1]), a[2]) == 3"},
    {"some(2) == 1", "(a[0] == 2 ? 0 : a[1] == 2 ? 1 : a[2] == 2 ? 2 : -1) == 1"},
    {"sure(y)", "a[y] * 0 + (b ? 1 : a[y]) != 0"}, /* it can fail */
    {"sure(2)", "(b ? 1 : a[2]) != 0"},
    {"empty(c)", "len(c) == 0"},
    {"full(c)", "len(c) == 2"},
    {"all(p in P : P[p].idle)", "P[0].idle and P[1].idle and P[2].idle"},
    {"exists(p in P : p == 1)", "1"},
    {"all(i in 0..2 : i == 1 implies a[i])", "a[1] != 0"},
    {"all(i in 1..0 : 1 / 0)", "1"},
    {"exists(i in 1..0 : true)", "0"},
    {"exists(i in 0..1 : i)", "1"},
    {"false and 1 / 0", "0"},
    {"true or a[7]", "1"},
    {"N > 2 or 9223372036854775807 + 1", "1"},
    {"a[y] and false", "a[y] and 0"}, /* it can fail */
    {"x == 1 + (2 == 2)", "x == 2"},
};

START_TEST(test_truths) {
  struct checked m;
  open_property(&m, truths[_i].written);
  checked_must_hold(&m);
  ck_assert_str_eq(checked_text(&m, checked_property(&m, "p")), truths[_i].lowered);
  checked_close(&m);
}
END_TEST

/* The output of expr_text can be read again with the same meaning. */
START_TEST(test_text_again) {
  struct checked m, again;
  open_property(&m, truths[_i].written);
  const char *text = checked_text(&m, checked_property(&m, "p"));
  open_property(&again, text);
  checked_must_hold(&again);
  ck_assert_str_eq(checked_text(&again, checked_property(&again, "p")), text);
  checked_close(&again);
  checked_close(&m);
}
END_TEST

/* An operand that may fail keeps its position: the left one is evaluated first. */
START_TEST(test_order_of_evaluation) {
  struct checked m;
  open_property(&m, "a[y] > t[x]");
  checked_must_hold(&m);
  const struct expr *e = checked_property(&m, "p");
  ck_assert_int_eq(e->op, EXPR_NOT);
  ck_assert_int_eq(e->a->op, EXPR_LE);
  ck_assert_str_eq(checked_text(&m, e->a->a), "a[y]");
  checked_close(&m);
}
END_TEST

/* Each index has its own site. */
START_TEST(test_dimension_sites) {
  struct checked m;
  open_property(&m, "m[y][x] == 1");
  checked_must_hold(&m);
  ck_assert_uint_eq(m.model->site_count, 2);
  ck_assert_str_eq(m.model->sites[0].what, "m");
  ck_assert_int_eq(m.model->sites[0].hi, 1);
  ck_assert_str_eq(m.model->sites[1].what, "m[y]");
  ck_assert_int_eq(m.model->sites[1].hi, 2);
  checked_close(&m);
}
END_TEST

START_TEST(test_sites) {
  struct checked m;
  open_property(&m, "a[y] == 1 and y / x == 1 and all(i in 0..1 : a[y + i])");
  checked_must_hold(&m);
  ck_assert_uint_eq(m.model->site_count, 3); /* instances share the sites */
  const struct site *sites = m.model->sites;
  ck_assert_int_eq(sites[0].kind, SITE_INDEX);
  ck_assert_str_eq(sites[0].what, "a");
  ck_assert_int_eq(sites[0].lo, 0);
  ck_assert_int_eq(sites[0].hi, 2);
  ck_assert_int_eq(sites[1].kind, SITE_DIVISION);
  ck_assert_str_eq(sites[1].what, "x");
  ck_assert_int_eq(sites[2].kind, SITE_INDEX);
  checked_close(&m);
}
END_TEST

/* The depth of a long quantifier is logarithmic. */
static unsigned depth(const struct expr *e) {
  unsigned deepest = 0;
  const struct expr *operands[] = {e->a, e->b, e->c};
  for (int i = 0; i < 3; i++) {
    unsigned d = operands[i] ? depth(operands[i]) : 0;
    deepest = d > deepest ? d : deepest;
  }
  return deepest + 1;
}

START_TEST(test_long_quantifier) {
  struct checked m;
  open_property(&m, "sum(i in 1..60000 : x + i) != 1");
  checked_must_hold(&m);
  ck_assert_uint_lt(depth(checked_property(&m, "p")), 25);
  checked_close(&m);
}
END_TEST

/* And that of a long chain, which is printed as it was written. */
START_TEST(test_long_chain) {
  enum { TERMS = 20000 };
  struct checked m;
  char *text = mem_alloc(TERMS * 24), *end = text;
  for (int i = 0; i < TERMS; i++)
    end += sprintf(end, "%sx == %d", i ? " or " : "", i % 7);
  open_property(&m, text);
  checked_must_hold(&m);
  const struct expr *e = checked_property(&m, "p");
  ck_assert_uint_lt(depth(e), 100);
  ck_assert_str_eq(checked_text(&m, e), text);
  checked_close(&m);
  mem_free(text);
}
END_TEST

/* A second check with the same log, which keeps each message once, fails too. */
START_TEST(test_errors_twice) {
  struct checked m;
  struct arena arena;
  const struct model *model = NULL;
  open_property(&m, "x + unknown");
  ck_assert_int_eq(m.status, FLOE_ERROR_MODEL);
  arena_init(&arena);
  ck_assert_int_eq(model_check(m.syntax, NULL, 0, &arena, m.log, &model), FLOE_ERROR_MODEL);
  ck_assert_ptr_null(model);
  ck_assert_uint_eq(floe_log_errors(m.log), 1);
  arena_free(&arena);
  checked_close(&m);
}
END_TEST

/* Every failing allocation is reported as such, and no memory leaks. */
START_TEST(test_out_of_memory) {
  bool failed = true;
  for (long n = 1; failed; n++) {
    char xml[4096];
    struct checked m;
    snprintf(xml, sizeof xml, frame, "sum(i in 1..300 : x + i) != 1");
    checked_open(&m, xml, "");
    checked_must_hold(&m);
    struct arena arena;
    const struct model *model = NULL;
    arena_init(&arena);
    mem_fail_after(n);
    floe_status status = model_check(m.syntax, NULL, 0, &arena, m.log, &model);
    mem_fail_after(0);
    failed = status != FLOE_OK;
    ck_assert_int_eq(status, failed ? FLOE_ERROR_MEMORY : FLOE_OK);
    ck_assert(failed == !model);
    arena_free(&arena);
    checked_close(&m);
  }
}
END_TEST

START_TEST(test_nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  TCase *tests = tcase_create("expressions");
  const int value_count = sizeof values / sizeof *values;
  const int truth_count = sizeof truths / sizeof *truths;
  tcase_add_loop_test(tests, test_values, 0, value_count);
  tcase_add_loop_test(tests, test_truths, 0, truth_count);
  tcase_add_loop_test(tests, test_text_again, 0, truth_count);
  add_tests(tests, test_order_of_evaluation, test_dimension_sites, test_sites, test_long_quantifier, test_long_chain,
            test_errors_twice, test_out_of_memory, test_nothing_leaks);
  return run_suite("check_expr", CK_NOFORK, tests);
}
