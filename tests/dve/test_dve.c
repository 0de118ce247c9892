/* Models of DVE through the public interface: the cases have the same results on the interpreter and as compiled code,
   with EMULATED on an emulated GPU; expressions over states. cases.sh compares with what the cases state. */
#ifdef EMULATED
#include "tests/gpu/device/emulated_suite.h"
#endif

#include "tests/api/cases.h"

#ifdef EMULATED
START_TEST(on_the_emulated_gpu) { compare_cases("dve", ".dve", 16, FLOE_ENGINE_GPU, at_length() ? 1 : 6); }
END_TEST
#else
START_TEST(compiled) { compare_cases("dve", ".dve", 16, FLOE_ENGINE_CPU, 1); }
END_TEST

/* ---- expressions --------------------------------------------------------------------------------- */

static const char pair[] =
    "const byte N = 2;\n"
    "byte x = 3, a[N] = {5, 7};\n"
    "process P { int y = -1; state s, t; init s; trans s -> t { effect x = 4, y = 2, a[1] = 9; }; }\n"
    "system async;\n";

static floe_expansion *expansion_of(const floe_model *model, const floe_change *values, size_t count) {
  floe_state *state;
  floe_expansion *expansion;
  ck_assert_int_eq(floe_state_from_values(model, values, count, messages, &state), FLOE_OK);
  ck_assert_int_eq(floe_expand(model, state, messages, &expansion), FLOE_OK);
  floe_state_free(state);
  return expansion;
}

static void evaluates(const floe_model *model, const char *text, const char *value) {
  floe_expression *expression;
  floe_evaluation found;
  floe_log_clear(messages);
  ck_assert_msg(floe_expression_create(model, text, messages, &expression) == FLOE_OK, "%s: %s", text,
                floe_log_count(messages) ? floe_log_at(messages, 0)->message : "");
  floe_expansion *expansion = expansion_of(model, NULL, 0);
  ck_assert_int_eq(floe_expansion_evaluate(expansion, expression, &found), FLOE_OK);
  ck_assert_str_eq(found.text, value);
  floe_expansion_free(expansion);
  floe_expression_free(expression);
}

static void refuses(const floe_model *model, const char *text, unsigned column, const char *message) {
  floe_expression *expression;
  floe_log_clear(messages);
  ck_assert_int_eq(floe_expression_create(model, text, messages, &expression), FLOE_ERROR_MODEL);
  const floe_message *first = floe_log_at(messages, 0);
  ck_assert_str_eq(first->file, "expression");
  ck_assert_uint_eq(first->column, column);
  ck_assert_str_eq(first->message, message);
}

START_TEST(expressions) {
  floe_model *model;
  begin();
  ck_assert_int_eq(floe_model_parse("pair.dve", pair, strlen(pair), messages, &model), FLOE_OK);
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
  evaluates(model, "x + P->y", "2");
  evaluates(model, "a + a[1] == 12 and P.s", "true");
  evaluates(model, "not P.s", "false");
  evaluates(model, "P.t imply x == N", "true");
  evaluates(model, "(x)", "3");
  refuses(model, "x + nothing", 5, "there is no variable 'nothing'");
  refuses(model, "x +", 4, "expected an expression, but the file ends");
  refuses(model, "x x", 3, "expected an operator or the end, found 'x'");
  refuses(model, "P.u", 3, "process 'P' has no state 'u'");
  floe_model_free(model);
  end();
}
END_TEST

/* In state t x is 1. With another value, the step leaves the range that x has in reachable states: it fails. */
START_TEST(unreachable_state) {
  static const char text[] =
      "byte x;\n"
      "process P { state s, t; init s; trans s -> t { effect x = 1; }, t -> s { effect x = x - 1; }; }\n"
      "system async;\n";
  const floe_change there[] = {{.name = "P", .after = "t"}, {.name = "x", .after = "1"}};
  floe_model *model;
  begin();
  ck_assert_int_eq(floe_model_parse("sum.dve", text, strlen(text), messages, &model), FLOE_OK);
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
  for (size_t count = 1; count <= 2; count++) {
    floe_expansion *expansion = expansion_of(model, there, count);
    ck_assert_uint_eq(floe_expansion_steps(expansion), 1);
    ck_assert_int_eq(floe_expansion_step_fails(expansion, 0), count == 1);
    floe_expansion_free(expansion);
  }
  floe_model_free(model);
  end();
}
END_TEST
#endif

int main(void) {
#ifdef EMULATED
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *test = tcase_create("dve");
  tcase_set_timeout(test, 0);
  add_tests(test, on_the_emulated_gpu);
  return emulated_run("DVE, emulated GPU", test);
#else
  return run_tests("DVE", CK_NOFORK, compiled, expressions, unreachable_state);
#endif
}
