#include "frontend/parse/syntax.h"

#include "reading.h"

#define LONGEST 4000

/* A text that is the whole file: place i is byte i. */
static struct parser_input input_of(struct reading *r, const char *text) {
  size_t length = strlen(text);
  reading_init(r, text, length);
  source_at *at = mem_array(length + 1, sizeof *at);
  for (size_t i = 0; i <= length; i++)
    at[i] = (source_at)i;
  return (struct parser_input){&r->source, {text, length, at}, &r->arena, r->log};
}

static void input_free(struct parser_input *input, struct reading *r) {
  mem_free((void *)input->text.at);
  reading_free(r);
}

/* ---- the tree as text: prefix form ------------------------------------------------------ */

static const char *const op_names[] = {
    [SYN_INDEX] = "[]",    [SYN_FIELD] = ".",       [SYN_NEG] = "-",         [SYN_NOT] = "!",
    [SYN_ADD] = "+",       [SYN_SUB] = "-",         [SYN_MUL] = "*",         [SYN_DIV] = "/",
    [SYN_MOD] = "%",       [SYN_LT] = "<",          [SYN_LE] = "<=",         [SYN_GT] = ">",
    [SYN_GE] = ">=",       [SYN_EQ] = "==",         [SYN_NE] = "!=",         [SYN_AND] = "&&",
    [SYN_OR] = "||",       [SYN_IMPLIES] = "=>",    [SYN_COND] = "?",        [SYN_MIN] = "min",
    [SYN_MAX] = "max",     [SYN_ALL] = "all",       [SYN_EXISTS] = "exists", [SYN_COUNT] = "count",
    [SYN_SUM] = "sum",     [SYN_MIN_OF] = "min_of", [SYN_MAX_OF] = "max_of", [SYN_LEN] = "len",
    [SYN_EMPTY] = "empty", [SYN_FULL] = "full",     [SYN_BITNOT] = "~",      [SYN_BITAND] = "&",
    [SYN_BITXOR] = "^",    [SYN_BITOR] = "|",       [SYN_SHL] = "<<",        [SYN_SHR] = ">>",
    [SYN_CALL] = "call",
};

static char *show(char *out, const struct syntax_expr *e);

static char *show_range(char *out, const struct syntax_range *range) {
  if (!range->lo)
    return out + sprintf(out, "bool");
  out = show(out, range->lo);
  if (range->hi) {
    out += sprintf(out, "..");
    out = show(out, range->hi);
  }
  return out;
}

static char *show(char *out, const struct syntax_expr *e) {
  if (e->op == SYN_NUMBER)
    return out + sprintf(out, "%lld", (long long)e->value);
  if (e->op == SYN_NAME)
    return out + sprintf(out, "%s", e->name);
  out += sprintf(out, "(%s", op_names[e->op]);
  if (e->name && e->op != SYN_FIELD)
    out += sprintf(out, " %s", e->name);
  if (e->range.lo) {
    *out++ = ' ';
    out = show_range(out, &e->range);
  }
  const struct syntax_expr *parts[] = {e->a, e->b, e->c};
  for (size_t i = 0; i < 3; i++)
    if (parts[i]) {
      *out++ = ' ';
      out = show(out, parts[i]);
    }
  for (size_t i = 0; i < e->arguments.n; i++) {
    *out++ = ' ';
    out = show(out, e->arguments.items[i]);
  }
  if (e->op == SYN_FIELD)
    out += sprintf(out, " %s", e->name);
  return out + sprintf(out, ")");
}

static void assert_tree(const char *text, const char *tree) {
  char shown[LONGEST];
  struct reading r;
  struct parser_input input = input_of(&r, text);
  struct syntax_expr *expr = parse_expression(&input);
  ck_assert_msg(expr != NULL, "%s: %s", text, reading_message(&r));
  show(shown, expr);
  ck_assert_str_eq(shown, tree);
  input_free(&input, &r);
}

/* ---- expressions --------------------------------------------------------------------- */

START_TEST(precedence) {
  assert_tree("1 + 2 * 3", "(+ 1 (* 2 3))");
  assert_tree("1 * 2 + 3", "(+ (* 1 2) 3)");
  assert_tree("1 - 2 - 3", "(- (- 1 2) 3)");
  assert_tree("8 / 4 % 3 * 2", "(* (% (/ 8 4) 3) 2)");
  assert_tree("-a * b", "(* (- a) b)");
  assert_tree("!a == b", "(== (! a) b)");
  assert_tree("- - a", "(- (- a))");
  assert_tree("a - -b", "(- a (- b))");
  assert_tree("a < b + 1", "(< a (+ b 1))");
  assert_tree("a < b == c > d", "(== (< a b) (> c d))");
  assert_tree("a == b && c != d", "(&& (== a b) (!= c d))");
  assert_tree("a || b && c || d", "(|| (|| a (&& b c)) d)");
  assert_tree("a implies b implies c", "(=> a (=> b c))");
  assert_tree("a or b implies c and d", "(=> (|| a b) (&& c d))");
  assert_tree("a implies b ? c : d", "(? (=> a b) c d)");
  assert_tree("a ? b : c ? d : e", "(? a b (? c d e))");
  assert_tree("a ? b ? 1 : 2 : 3", "(? a (? b 1 2) 3)");
  assert_tree("(a ? b : c) + 1", "(+ (? a b c) 1)");
  assert_tree("(1 + 2) * 3", "(* (+ 1 2) 3)");
  assert_tree("a | b ^ c & d << e + f * ~g", "(| a (^ b (& c (<< d (+ e (* f (~ g)))))))");
  assert_tree("a * b + c >> d & e ^ f | g", "(| (^ (& (>> (+ (* a b) c) d) e) f) g)");
  assert_tree("a << b >> c << d", "(<< (>> (<< a b) c) d)");
  assert_tree("a & b & c == d | e", "(== (& (& a b) c) (| d e))");
  assert_tree("a < b << c && d", "(&& (< a (<< b c)) d)");
  assert_tree("~-!a", "(~ (- (! a)))");
}
END_TEST

START_TEST(words_and_symbols) {
  assert_tree("a lt b and not c ge d or e eq f", "(|| (&& (< a b) (>= (! c) d)) (== e f))");
  assert_tree("a le b && c gt d || e ne f", "(|| (&& (<= a b) (> c d)) (!= e f))");
  assert_tree("a<=b", "(<= a b)");
  assert_tree("a>=b", "(>= a b)");
  assert_tree("notes + android + order + inner", "(+ (+ (+ notes android) order) inner)");
  assert_tree("a bitor b bitxor c bitand d shl 1 shr bitnot e", "(| a (^ b (& c (>> (<< d 1) (~ e)))))");
  assert_tree("true + false", "(+ 1 0)");
  assert_tree("self + index", "(+ self index)");
  assert_tree("9223372036854775807", "9223372036854775807");
  assert_tree("007", "7");
  assert_tree("\t a\r\n+ b ", "(+ a b)");
}
END_TEST

START_TEST(references) {
  assert_tree("a[i + 1]", "([] a (+ i 1))");
  assert_tree("a[b[c[0]]]", "([] a ([] b ([] c 0)))");
  assert_tree("P.x", "(. P x)");
  assert_tree("P[1].x", "(. ([] P 1) x)");
  assert_tree("P[i].x[j]", "([] (. ([] P i) x) j)");
  assert_tree("P.x[j]", "([] (. P x) j)");
  assert_tree("_x + x_1", "(+ _x x_1)");
  assert_tree("count + min * in", "(+ count (* min in))");
  assert_tree("all[len] == empty.full[sum]", "(== ([] all len) ([] (. empty full) sum))");
  assert_tree("assert ? exists : max", "(? assert exists max)");
}
END_TEST

START_TEST(quantifiers) {
  assert_tree("all(i in 0..N-1 : a[i] == 0)", "(all i 0..(- N 1) (== ([] a i) 0))");
  assert_tree("exists(p in P : P[p].l)", "(exists p P (. ([] P p) l))");
  assert_tree("count(p in P : P[p].l) le 1", "(<= (count p P (. ([] P p) l)) 1)");
  assert_tree("sum(i in 1..3 : i ? 1 : 2)", "(sum i 1..3 (? i 1 2))");
  assert_tree("all(i in (N) .. M ? 1 : 2 : i)", "(all i N..(? M 1 2) i)");
  assert_tree("min(a, b) + max(1, 2)", "(+ (min a b) (max 1 2))");
  assert_tree("min(i in 0..3 : i) + max(p in P : p)", "(+ (min_of i 0..3 i) (max_of p P p))");
  assert_tree("all(in in 0..in : min(in, index))", "(all in 0..in (min in index))");
  assert_tree("min(in in sum : max(count in 0..1 : count))", "(min_of in sum (max_of count 0..1 count))");
  assert_tree("len(len) + len", "(+ (len len) len)");
  assert_tree("len(c) + empty(c[1]) + full(d)", "(+ (+ (len c) (empty ([] c 1))) (full d))");
}
END_TEST

static void assert_extent(const char *text, const char *part) {
  struct reading r;
  struct parser_input input = input_of(&r, text);
  struct syntax_expr *expr = parse_expression(&input);
  ck_assert_ptr_nonnull(expr);
  const struct syntax_expr *b = expr->b;
  ck_assert_uint_eq(b->end - b->start, strlen(part));
  ck_assert_int_eq(strncmp(text + b->start, part, strlen(part)), 0);
  ck_assert_uint_eq(expr->start, 0);
  ck_assert_uint_eq(expr->end, strlen(text));
  input_free(&input, &r);
}

START_TEST(extents) {
  assert_extent("a + b", "b");
  assert_extent("a + (b * c)", "(b * c)");
  assert_extent("a + b[i + 1]", "b[i + 1]");
  assert_extent("a + P[0].x[2]", "P[0].x[2]");
  assert_extent("a and all(i in 0..1 : i)", "all(i in 0..1 : i)");
  assert_extent("a + max(b, c)", "max(b, c)");
  assert_extent("a implies not b", "not b");
  assert_extent("a + len(c)", "len(c)");
}
END_TEST

static char *repeat(const char *before, const char *unit, size_t n, const char *after) {
  size_t unit_length = strlen(unit);
  char *text = mem_alloc(strlen(before) + unit_length * n + strlen(after) + 1);
  char *out = stpcpy(text, before);
  for (size_t i = 0; i < n; i++)
    out = stpcpy(out, unit);
  strcpy(out, after);
  return text;
}

static void assert_accepts(bool accepted, char *text) {
  struct reading r;
  struct parser_input input = input_of(&r, text);
  ck_assert_int_eq(parse_expression(&input) != NULL, accepted);
  ck_assert_uint_eq(floe_log_errors(r.log), !accepted);
  input_free(&input, &r);
  mem_free(text);
}

START_TEST(depth_is_bounded) {
  assert_accepts(true, repeat("", "- ", 200, "1"));
  assert_accepts(false, repeat("", "!", 300, "1"));
  assert_accepts(false, repeat("", "(", 100000, ""));
  assert_accepts(false, repeat("", "a[", 100000, ""));
  assert_accepts(false, repeat("", "a ? b : ", 100000, "a"));
  assert_accepts(false, repeat("", "all(i in 0..", 100000, "1"));
  assert_accepts(true, repeat("a", " / a", SYNTAX_MAX_DEPTH - 1, ""));
  assert_accepts(false, repeat("a", " / a", SYNTAX_MAX_DEPTH, ""));
  assert_accepts(false, repeat("a", " % a * a", 100000, ""));
}
END_TEST

/* ---- chains ---------------------------------------------------------------------------------- */

enum { LONG_CHAIN = 100000 };

static unsigned leaves; /* evaluated so far; each has its number, or a value below 2 */

/* Operands from left to right, as far as the result depends on them. */
static int64_t evaluate(const struct syntax_expr *e) {
  leaves += e->op == SYN_NUMBER;
  if (e->op == SYN_NUMBER)
    return e->value;
  const int64_t a = evaluate(e->a);
  if (e->op == SYN_AND || e->op == SYN_IMPLIES)
    return a ? evaluate(e->b) : e->op == SYN_IMPLIES;
  if (e->op == SYN_OR)
    return a ? a : evaluate(e->b);
  const int64_t b = evaluate(e->b);
  switch (e->op) {
  case SYN_ADD:
    return a + b;
  case SYN_SUB:
    return a - b;
  case SYN_MUL:
    return a * b;
  case SYN_BITXOR:
    return a ^ b;
  default:
    ck_abort_msg("operator %d", (int)e->op);
  }
}

/* `n` operands, of which the one with number `other` differs: value, and number of operands that are evaluated. */
static const struct long_chain {
  const char *operators[2]; /* in turn */
  int64_t usual, special;
  unsigned other;
  int64_t value;
  unsigned evaluated;
} long_chains[] = {
    {{" or ", " or "}, 0, 1, 70001, 1, 70002},
    {{" and ", " and "}, 1, 0, 70001, 0, 70002},
    {{" implies ", " implies "}, 1, 0, 70001, 1, 70002},
    {{" implies ", " implies "}, 1, 0, LONG_CHAIN - 1, 0, LONG_CHAIN},
    {{" + ", " + "}, 3, 10, 5, 3 * LONG_CHAIN + 7, LONG_CHAIN},
    {{" - ", " - "}, 3, 10, 77777, -3 * (LONG_CHAIN - 2) - 7, LONG_CHAIN},
    {{" + ", " - "}, 3, 10, 77777, 13, LONG_CHAIN}, /* an odd number: added */
    {{" - ", " + "}, 3, 10, 77777, -7, LONG_CHAIN},
    {{" * ", " * "}, 1, 10, 77777, 10, LONG_CHAIN},
    {{" ^ ", " ^ "}, 1, 4, 77777, 5, LONG_CHAIN},
};

/* Any length, without nesting: value and order of evaluation are those of the operators from the left. */
START_TEST(chains_of_any_length) {
  const struct long_chain *chain = &long_chains[_i];
  struct reading r;
  char *text = mem_alloc(LONG_CHAIN * 16), *end = text;
  for (unsigned i = 0; i < LONG_CHAIN; i++)
    end += sprintf(end, "%s%d", i ? chain->operators[(i + 1) % 2] : "",
                   (int)(i == chain->other ? chain->special : chain->usual));
  struct parser_input input = input_of(&r, text);
  const struct syntax_expr *expr = parse_expression(&input);
  ck_assert_msg(expr != NULL, "%s", reading_message(&r));
  ck_assert_uint_lt(expr->depth, 100);
  leaves = 0;
  ck_assert_int_eq(evaluate(expr), chain->value);
  ck_assert_uint_eq(leaves, chain->evaluated);
  input_free(&input, &r);
  mem_free(text);
}
END_TEST

/* ---- lists --------------------------------------------------------------------------- */

START_TEST(lists_of_expressions) {
  struct reading r;
  struct syntax_exprs list = {0};
  struct parser_input input = input_of(&r, "3, max(1, 2), a ? 1 : 2");
  char shown[LONGEST];
  ck_assert_int_eq(parse_expressions(&input, &list), FLOE_OK);
  ck_assert_uint_eq(list.n, 3);
  show(shown, list.items[1]);
  ck_assert_str_eq(shown, "(max 1 2)");
  input_free(&input, &r);
}
END_TEST

static void assert_range(const char *text, const char *tree) {
  char shown[LONGEST];
  struct reading r;
  struct syntax_range range;
  struct parser_input input = input_of(&r, text);
  ck_assert_int_eq(parse_range(&input, &range), FLOE_OK);
  show_range(shown, &range);
  ck_assert_str_eq(shown, tree);
  input_free(&input, &r);
}

START_TEST(ranges) {
  assert_range("0..3", "0..3");
  assert_range("-2 .. N-1", "(- 2)..(- N 1)");
  assert_range("0..a ? 1 : 2", "0..(? a 1 2)");
}
END_TEST

START_TEST(messages) {
  char shown[LONGEST];
  struct reading r;
  struct syntax_ranges fields = {0};
  struct parser_input input = input_of(&r, "0..3, bool,1..N");
  ck_assert_int_eq(parse_fields(&input, &fields), FLOE_OK);
  ck_assert_uint_eq(fields.n, 3);
  show_range(shown, &fields.items[1]);
  ck_assert_str_eq(shown, "bool");
  show_range(shown, &fields.items[2]);
  ck_assert_str_eq(shown, "1..N");
  input_free(&input, &r);
}
END_TEST

START_TEST(selects) {
  char shown[LONGEST];
  struct reading r;
  struct syntax_transition t = {0};
  struct parser_input input = input_of(&r, "i in 0..N-1, j in P");
  ck_assert_int_eq(parse_selects(&input, &t), FLOE_OK);
  ck_assert_uint_eq(t.select_count, 2);
  ck_assert_str_eq(t.selects[0].name, "i");
  show_range(shown, &t.selects[0].range);
  ck_assert_str_eq(shown, "0..(- N 1)");
  ck_assert_str_eq(t.selects[1].name, "j");
  ck_assert_ptr_null(t.selects[1].range.hi);
  ck_assert_str_eq(t.selects[1].range.lo->name, "P");
  input_free(&input, &r);
}
END_TEST

START_TEST(synchronisations) {
  struct reading r;
  struct syntax_transition t = {0};
  struct parser_input input = input_of(&r, "c[i](a, == b + 1, _, d[2])");
  ck_assert_int_eq(parse_sync(&input, false, &t), FLOE_OK);
  ck_assert_int_eq(t.sync->channel->op, SYN_INDEX);
  ck_assert_uint_eq(t.sync->n, 4);
  ck_assert_int_eq(t.sync->arguments[0].kind, ARGUMENT_VALUE);
  ck_assert_int_eq(t.sync->arguments[1].kind, ARGUMENT_MATCH);
  ck_assert_int_eq(t.sync->arguments[1].expr->op, SYN_ADD);
  ck_assert_int_eq(t.sync->arguments[2].kind, ARGUMENT_DROP);
  ck_assert_ptr_null(t.sync->arguments[2].expr);
  ck_assert_int_eq(t.sync->arguments[3].expr->op, SYN_INDEX);
  ck_assert(!t.sync->send && t.sync->brackets);
  input_free(&input, &r);
}
END_TEST

START_TEST(synchronisations_without_fields) {
  static const char *const texts[] = {"c", "c()", "c[1]", "c[1]( )"};
  for (size_t i = 0; i < 4; i++) {
    struct reading r;
    struct syntax_transition t = {0};
    struct parser_input input = input_of(&r, texts[i]);
    ck_assert_int_eq(parse_sync(&input, true, &t), FLOE_OK);
    ck_assert(t.sync->send && t.sync->brackets == (i % 2 == 1));
    ck_assert_uint_eq(t.sync->n, 0);
    input_free(&input, &r);
  }
}
END_TEST

START_TEST(calls) {
  assert_tree("f(1)", "(call f 1)");
  assert_tree("-f(a, g(b + 1)) * c[h(2)]", "(* (- (call f a (call g (+ b 1)))) ([] c (call h 2)))");
  assert_tree("all(i in 0..f(2): f(i))", "(all i 0..(call f 2) (call f i))");
}
END_TEST

/* Loops as [name: ...], branches as (condition ? ... : ...), assignments by the variable's name. */
static char *show_statements(char *out, const struct syntax_statement *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const struct syntax_statement *s = &list[i];
    out += sprintf(out, "%s", i ? " " : "");
    if (s->kind == STATEMENT_FOR) {
      out = show_range(out + sprintf(out, "[%s in ", s->name.name), &s->range);
      out = show_statements(out + sprintf(out, ": "), s->body, s->body_count);
      out += sprintf(out, "]");
    } else if (s->kind == STATEMENT_IF) {
      out = show(out + sprintf(out, "("), s->value);
      out = show_statements(out + sprintf(out, " ? "), s->body, s->body_count);
      out = show_statements(out + sprintf(out, " : "), s->otherwise, s->otherwise_count);
      out += sprintf(out, ")");
    } else if (s->kind == STATEMENT_ASSERT)
      out = show(out + sprintf(out, "assert "), s->value);
    else
      out =
          show(out + sprintf(out, "%s=", s->target->op == SYN_INDEX ? s->target->a->name : s->target->name), s->value);
  }
  return out;
}

static void assert_statements(const char *text, const char *tree) {
  char shown[LONGEST] = "";
  struct reading r;
  struct parser_input input = input_of(&r, text);
  struct syntax_transition t = {0};
  ck_assert_msg(parse_effects(&input, &t) == FLOE_OK, "%s: %s", text, reading_message(&r));
  show_statements(shown, t.effects, t.effect_count);
  ck_assert_str_eq(shown, tree);
  input_free(&input, &r);
}

START_TEST(loops_and_branches) {
  assert_statements("for i in 0..2: x = i; y = 1", "[i in 0..2: x=i] y=1");
  assert_statements("for i in P: { x = i; y[i] = 1; } z = 2;", "[i in P: x=i y=1] z=2");
  assert_statements("if (a) x = 1; else x = 2; y = 3", "(a ? x=1 : x=2) y=3");
  assert_statements("if (a) { x = 1 }; else { x = 2 } y = 3", "(a ? x=1 : x=2) y=3");
  assert_statements("if (a) if (b) x = 1 else x = 2", "(a ? (b ? x=1 : x=2) : )");
  assert_statements("if (a) { if (b) x = 1 } else x = 2", "(a ? (b ? x=1 : ) : x=2)");
  assert_statements("if (a) for i in 0..1: if (b) x = 1; else x = 2; y = 3",
                    "(a ? [i in 0..1: (b ? x=1 : x=2)] : ) y=3");
  assert_statements("if (a) x = 1; else if (b) x = 2; else x = 3", "(a ? x=1 : (b ? x=2 : x=3))");
  assert_statements("if ((a) + (b)) {} else {}", "((+ a b) ?  : )");
  assert_statements("if (a) assert(b) else assert(c)", "(a ? assert b : assert c)");
  assert_statements("for = 1; if[0] = for; else++; if (for) else = if else if -= 1",
                    "for=1 if=for else=(+ else 1) (for ? else=if : if=(- if 1))");
}
END_TEST

START_TEST(effects) {
  static const char *const values[] = {"1", "(+ x 2)", "(- ([] a i) (* 2 b))", "(+ x 1)", "(- x 1)", "(< x 3)"};
  char shown[LONGEST];
  struct reading r;
  struct syntax_transition t = {0};
  struct parser_input input = input_of(&r, "x = 1; x += 2; a[i] -= 2 * b; x++; x--; assert(x lt 3);");
  ck_assert_int_eq(parse_effects(&input, &t), FLOE_OK);
  ck_assert_uint_eq(t.effect_count, 6);
  for (size_t i = 0; i < 6; i++) {
    show(shown, t.effects[i].value);
    ck_assert_str_eq(shown, values[i]);
    ck_assert_int_eq(t.effects[i].kind, i == 5 ? STATEMENT_ASSERT : STATEMENT_ASSIGN);
  }
  ck_assert_int_eq(t.effects[2].target->op, SYN_INDEX);
  input_free(&input, &r);
}
END_TEST

START_TEST(definitions) {
  struct reading r;
  struct syntax_definitions all = {0};
  struct parser_input input = input_of(&r, "N=3, K = -4,flag=true");
  ck_assert_int_eq(parse_definitions(&input, &all), FLOE_OK);
  ck_assert_uint_eq(all.n, 3);
  ck_assert_str_eq(all.items[0].name, "N");
  ck_assert_str_eq(all.items[0].value, "3");
  ck_assert_str_eq(all.items[1].value, "-4");
  ck_assert_str_eq(all.items[2].value, "true");
  input_free(&input, &r);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  TCase *tests = tcase_create("parser");
  tcase_add_loop_test(tests, chains_of_any_length, 0, sizeof long_chains / sizeof *long_chains);
  add_tests(tests, precedence, words_and_symbols, references, quantifiers, extents, depth_is_bounded,
            lists_of_expressions, ranges, messages, selects, synchronisations, synchronisations_without_fields, effects,
            loops_and_branches, calls, definitions, nothing_leaks);
  return run_suite("parser", CK_NOFORK, tests);
}
