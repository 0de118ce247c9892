/* Expressions over the places of a net, in its initial state, and the places of their errors. */
#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <string.h>

/* Names with blanks and brackets, one the beginning of another. */
static const char net[] =
    "<pnml><net id='n'><page id='a'>"
    "<place id='p1'><name><text>Think</text></name><initialMarking><text>3</text></initialMarking></place>"
    "<place id='p2'><name><text>Think(ph1)</text></name><initialMarking><text>2</text></initialMarking></place>"
    "<place id='p3'><name><text>a fork</text></name></place>"
    "<transition id='t1'><name><text>take</text></name></transition>"
    "<transition id='t2'><name><text>put it</text></name></transition>"
    "<arc id='a1' source='p1' target='t1'/><arc id='a2' source='t1' target='p3'/>"
    "<arc id='a3' source='p3' target='t2'/><arc id='a4' source='t2' target='p1'/>"
    "</page></net></pnml>";

struct fixture {
  floe_log *log;
  floe_model *model;
  floe_state *state;
  floe_expansion *expansion;
};

static void begin(struct fixture *f) {
  ck_assert_int_eq(floe_log_create(&f->log), FLOE_OK);
  ck_assert_int_eq(floe_model_parse("n.pnml", net, strlen(net), f->log, &f->model), FLOE_OK);
  ck_assert_int_eq(floe_model_check(f->model, f->log), FLOE_OK);
  ck_assert_int_eq(floe_state_initial(f->model, f->log, &f->state), FLOE_OK);
  ck_assert_int_eq(floe_expand(f->model, f->state, f->log, &f->expansion), FLOE_OK);
}

static void end(struct fixture *f) {
  floe_expansion_free(f->expansion);
  floe_state_free(f->state);
  floe_model_free(f->model);
  floe_log_free(f->log);
  ck_assert_uint_eq(mem_live(), 0);
}

START_TEST(values) {
  static const char *const cases[][2] = {
      {"Think", "3"},
      {"Think(ph1)", "2"},
      {"Think (ph1)", NULL},
      {"p2 + Think * 2", "8"},
      {"Think - Think(ph1) == 1", "true"},
      {"'a fork' + a fork", "0"},
      {"a fork > 0 or Think >= 3 and not fireable(put it)", "true"},
      {"fireable(take) && !fireable('put it')", "true"},
      {"fireable(t2) || Think < 3", "false"},
      {"-Think <= -3 and 3 != Think + 1 and (true)", "true"},
      {"Think > Think(ph1) and Think(ph1) > p3", "true"},
  };
  struct fixture f;
  begin(&f);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    floe_expression *expression;
    floe_evaluation found;
    const floe_status status = floe_expression_create(f.model, cases[i][0], f.log, &expression);
    ck_assert_msg((status == FLOE_OK) == (cases[i][1] != NULL), "%s", cases[i][0]);
    if (status != FLOE_OK)
      continue;
    ck_assert_int_eq(floe_expansion_evaluate(f.expansion, expression, &found), FLOE_OK);
    ck_assert_msg(strcmp(found.text, cases[i][1]) == 0, "%s is %s", cases[i][0], found.text);
    floe_expression_free(expression);
  }
  end(&f);
}
END_TEST

START_TEST(errors) {
  static const struct {
    const char *text;
    unsigned column;
    const char *message;
  } cases[] = {
      {"", 1, "expected a number, a place or a condition"},
      {"Think >=", 9, "expected a number, a place or a condition"},
      {"Thinks == 1", 1, "the net has no place 'Thinks'"},
      {"fireable(Think)", 10, "the net has no transition 'Think'"},
      {"fireable take", 10, "expected '('"},
      {"(Think", 7, "expected ')'"},
      {"Think = 2", 7, "expected an operator"},
      {"Think 'a fork", 7, "expected an operator"},
  };
  struct fixture f;
  begin(&f);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    floe_expression *expression;
    floe_log_clear(f.log);
    ck_assert_msg(floe_expression_create(f.model, cases[i].text, f.log, &expression) == FLOE_ERROR_MODEL, "%s",
                  cases[i].text);
    const floe_message *first = floe_log_at(f.log, 0);
    ck_assert_msg(strcmp(first->message, cases[i].message) == 0 && first->column == cases[i].column, "%s: %u: %s",
                  cases[i].text, first->column, first->message);
  }
  char deep[2000];
  memset(deep, '(', sizeof deep - 1);
  deep[sizeof deep - 1] = 0;
  floe_expression *expression;
  ck_assert_int_eq(floe_expression_create(f.model, deep, f.log, &expression), FLOE_ERROR_MODEL);
  end(&f);
}
END_TEST

int main(void) { return run_tests("net expressions", CK_NOFORK, values, errors); }
