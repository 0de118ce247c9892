/* Walks through the public API: firings, steps, undo, properties, errors of the model, memory that
 * ends. */
#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <string.h>

static floe_log *messages;
static floe_model *model;
static floe_simulator *simulator;

static void begin(const char *text) {
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
  ck_assert_int_eq(floe_model_parse("m.xml", text, strlen(text), messages, &model), FLOE_OK);
  ck_assert_int_eq(floe_simulator_create(model, messages, &simulator), FLOE_OK);
}

static void end(void) {
  floe_simulator_free(simulator);
  floe_model_free(model);
  floe_log_free(messages);
  ck_assert_uint_eq(mem_live(), 0);
}

static floe_expansion *here(void) {
  floe_expansion *expansion;
  ck_assert_int_eq(floe_simulator_expansion(simulator, &expansion), FLOE_OK);
  return expansion;
}

static size_t firings(void) { return floe_expansion_steps(here()); }

static floe_step firing(size_t i) {
  floe_step step;
  ck_assert_int_eq(floe_expansion_step(here(), i, &step), FLOE_OK);
  return step;
}

static void check_value(const char *name, const char *wanted) {
  const floe_change *values;
  size_t count, i = 0;
  ck_assert_int_eq(floe_expansion_values(here(), &values, &count), FLOE_OK);
  while (i < count && strcmp(values[i].name, name) != 0)
    i++;
  ck_assert_uint_lt(i, count);
  ck_assert_str_eq(values[i].after, wanted);
}

static floe_property_value observe(const char *id) {
  floe_property_value observation;
  size_t i = 0;
  while (strcmp(floe_model_property(model, i).id, id) != 0)
    i++;
  ck_assert_int_eq(floe_expansion_property(here(), i, &observation), FLOE_OK);
  return observation;
}

static const char send[] = "<model name='send'><channel name='c' message='0..3'/><channel name='b' capacity='2' "
                           "message='0..3, 0..1'/><channel name='bell' broadcast='true'/>"
                           "<process name='S'><location name='l' initial='true'/><location name='m'/>\n"
                           "<transition from='l' to='m' label='give' select='i in 1..2' send='c(i)'/>\n"
                           "<transition from='m' label='call' send='bell'/>\n"
                           "<transition from='m' label='put' send='b(3, 1)'/></process>\n"
                           "<process name='R' instances='2'><variable name='got' range='0..3'/>"
                           "<location name='l' initial='true'/><location name='m'/>"
                           "<transition from='l' to='m' receive='c(got)'/>\n"
                           "<transition from='l' to='m' label='hear' receive='bell'/></process>"
                           "<property id='one' kind='never'>R[0].got == 1</property>"
                           "<property id='heard' kind='reachable'>R[0].m and R[1].m</property></model>";

START_TEST(test_steps) {
  begin(send);
  ck_assert_uint_eq(floe_simulator_depth(simulator), 0);
  ck_assert_uint_eq(firings(), 4);
  floe_step step = firing(2);
  ck_assert_str_eq(step.action, "S give {i=1} -> R[1] l -> m");
  ck_assert_str_eq(step.process, "S");
  ck_assert_str_eq(step.cause, "");
  ck_assert_uint_eq(step.line, 2);
  ck_assert_uint_eq(step.selects, 1);
  ck_assert_str_eq(step.select_list[0].name, "i");
  ck_assert_int_eq(step.select_list[0].value, 1);
  ck_assert_uint_eq(step.participants, 2);
  ck_assert_str_eq(step.participant_list[1].process, "R");
  ck_assert_str_eq(step.participant_list[1].to, "m");
  ck_assert_uint_eq(step.participant_list[1].instance, 1);
  ck_assert_uint_eq(step.participant_list[1].line, 5);
  ck_assert_uint_eq(step.changes, 3);
  ck_assert_int_eq(floe_expansion_step(here(), 4, &step), FLOE_ERROR_USAGE);
  ck_assert_int_eq(floe_simulator_fire(simulator, 4), FLOE_ERROR_USAGE);
  ck_assert_int_eq(floe_simulator_undo(simulator), FLOE_ERROR_USAGE);
  ck_assert_str_eq(step.change_list[2].name, "R[1].got");
  ck_assert_str_eq(step.change_list[2].before, "0");
  ck_assert_str_eq(step.change_list[2].after, "1");
  ck_assert_int_eq(floe_simulator_fire(simulator, 2), FLOE_OK);
  ck_assert_uint_eq(floe_simulator_depth(simulator), 1);
  check_value("R[1].got", "1");
  ck_assert_uint_eq(firings(), 2);
  ck_assert_str_eq(firing(0).action, "S call -> R[0] hear");
  ck_assert_int_eq(floe_simulator_fire(simulator, 1), FLOE_OK);
  check_value("b", "[(3, 1)]");
  ck_assert_int_eq(floe_simulator_undo(simulator), FLOE_OK);
  check_value("b", "[]");
  ck_assert_int_eq(floe_simulator_undo(simulator), FLOE_OK);
  check_value("R[1].got", "0");
  ck_assert_uint_eq(firings(), 4);
  end();
}
END_TEST

static void check_message(size_t i, const char *channel, const char *message) {
  const floe_step step = firing(i);
  ck_assert_str_eq(step.channel, channel);
  ck_assert_str_eq(step.message, message);
}

/* A message in the text form of its fields, with the element of its channel; the values before the step. */
START_TEST(test_messages) {
  begin(send);
  check_message(2, "c", "1");
  check_message(3, "c", "2");
  ck_assert_int_eq(floe_simulator_fire(simulator, 2), FLOE_OK);
  check_message(0, "bell", "");
  check_message(1, "", ""); /* the channel keeps it */
  end();
  begin("<model name='m'><enumeration name='e' values='red, blue'/><variable name='x' range='0..1'/>"
        "<channel name='c' size='2' message='bool, e, 0..9'/><channel name='d' broadcast='true' message='0..9'/>"
        "<process name='S'><location name='l' initial='true'/>"
        "<transition from='l' select='i in 0..1' send='c[x](i == 1, blue, x + 7)' effect='x = 1 - x'/>"
        "<transition from='l' send='d(x + 1)'/><transition from='l' send='d(5 / x)'/></process>"
        "<process name='R'><location name='l' initial='true'/>"
        "<transition from='l' receive='c[x](_, _, _)'/></process></model>");
  check_message(0, "c[0]", "false, blue, 7");
  check_message(1, "c[0]", "true, blue, 7");
  check_message(2, "d", "1");
  check_message(3, "", ""); /* fails */
  ck_assert_int_eq(floe_simulator_fire(simulator, 1), FLOE_OK);
  check_message(0, "c[1]", "false, blue, 8");
  check_message(3, "d", "5");
  end();
}
END_TEST

START_TEST(test_properties) {
  begin(send);
  ck_assert(!observe("one").triggered && !observe("heard").triggered);
  ck_assert_int_eq(floe_simulator_fire(simulator, 0), FLOE_OK);
  ck_assert(observe("one").triggered && !observe("heard").triggered);
  ck_assert_int_eq(floe_simulator_fire(simulator, 0), FLOE_OK);
  ck_assert(observe("one").triggered && observe("heard").triggered);
  ck_assert(!observe("deadlock").triggered && !observe("errors").triggered);
  floe_property_value observation;
  ck_assert_int_eq(floe_expansion_property(here(), floe_model_properties(model), &observation), FLOE_ERROR_USAGE);
  end();
}
END_TEST

START_TEST(test_deadlock) {
  begin("<model name='m'><variable name='x' range='0..2'/><process name='P'><location name='l' "
        "initial='true'/><transition from='l' guard='x lt 2' effect='x++'/></process>"
        "<deadlock unless='x == 1'/></model>");
  for (int i = 0; i < 2; i++) {
    ck_assert(!observe("deadlock").triggered);
    ck_assert_int_eq(floe_simulator_fire(simulator, 0), FLOE_OK);
  }
  ck_assert_uint_eq(firings(), 0);
  ck_assert(observe("deadlock").triggered);
  const floe_trace *waits;
  ck_assert_int_eq(floe_expansion_blocked(here(), 0, &waits), FLOE_OK);
  ck_assert_uint_eq(floe_trace_blocked_transitions(waits), 1);
  ck_assert_str_eq(floe_trace_blocked_transition(waits, 0).obstacle_list[0].text, "x lt 2");
  ck_assert(!floe_trace_blocked_incomplete(waits));
  ck_assert_int_eq(floe_expansion_blocked(here(), 1e-9, &waits), FLOE_OK);
  ck_assert(floe_trace_blocked_incomplete(waits) && !floe_trace_blocked_incomplete(NULL));
  ck_assert_int_eq(floe_simulator_undo(simulator), FLOE_OK);
  ck_assert_int_eq(floe_expansion_blocked(here(), 0, &waits), FLOE_OK);
  ck_assert_uint_eq(floe_trace_blocked_transitions(waits), 0);
  end();
}
END_TEST

START_TEST(test_errors) {
  begin("<model name='m'><variable name='x' range='0..2'/><process name='P'><location name='l' "
        "initial='true'/>\n<transition from='l' label='up' effect='x++'/></process>\n"
        "<property id='p' kind='invariant'>4 / (x - 1) != 1</property></model>");
  ck_assert(!observe("errors").triggered);
  ck_assert_int_eq(floe_simulator_fire(simulator, 0), FLOE_OK);
  ck_assert(observe("errors").triggered && !observe("p").triggered);
  ck_assert_str_eq(observe("errors").cause, "division by zero: (x - 1) is 0 (m.xml:3)");
  ck_assert_int_eq(floe_simulator_fire(simulator, 0), FLOE_OK);
  ck_assert_uint_eq(firings(), 1);
  ck_assert_str_eq(firing(0).cause, "assignment of 3 to x outside 0..2 (m.xml:2)");
  ck_assert_uint_eq(firing(0).changes, 0);
  ck_assert_str_eq(observe("errors").cause, firing(0).cause);
  ck_assert(!observe("deadlock").triggered);
  ck_assert(floe_expansion_step_fails(here(), 0) && !floe_expansion_step_fails(here(), 1));
  ck_assert_int_eq(floe_simulator_fire(simulator, 0), FLOE_ERROR_MODEL);
  ck_assert_uint_eq(floe_simulator_depth(simulator), 2);
  check_value("x", "2");
  end();
}
END_TEST

/* More steps than the initial capacity, in states wider than a word, and undo of all. */
START_TEST(test_long_and_wide) {
  begin("<model name='m'><variable name='x' range='0..999999999' size='5'/><process name='P'>"
        "<location name='l' initial='true'/><transition from='l' effect='x[x[4] % 4]++; x[4]++'/>"
        "</process></model>");
  for (int i = 0; i < 5000; i++)
    ck_assert_int_eq(floe_simulator_fire(simulator, 0), FLOE_OK);
  ck_assert_uint_eq(floe_simulator_depth(simulator), 5000);
  check_value("x[3]", "1250");
  while (floe_simulator_depth(simulator))
    ck_assert_int_eq(floe_simulator_undo(simulator), FLOE_OK);
  check_value("x[4]", "0");
  end();
}
END_TEST

/* Dropped steps count and take no memory; only a restart undoes them. */
START_TEST(test_forgotten) {
  uint64_t fired[1] = {0};
  begin("<model name='m'><variable name='x' range='0..999999999' size='5'/><process name='P'>"
        "<location name='l' initial='true'/><transition from='l' effect='x[x[4] % 4]++; x[4]++'/>"
        "</process></model>");
  uint64_t start = floe_state_hash(floe_expansion_state(here()));
  for (int i = 0; i < 50; i++)
    ck_assert_int_eq(floe_simulator_fire(simulator, 0), FLOE_OK);
  floe_simulator_forget(simulator);
  const size_t before = mem_live();
  for (int i = 0; i < 100000; i++) {
    ck_assert_int_eq(floe_expansion_count_fired(here(), 0, fired), FLOE_OK);
    ck_assert_int_eq(floe_simulator_fire(simulator, 0), FLOE_OK);
    if (i % 10 == 9 && i < 99990)
      floe_simulator_forget(simulator);
  }
  ck_assert_uint_le(mem_live(), before);
  ck_assert_uint_eq(fired[0], 100000);
  ck_assert_uint_eq(floe_simulator_depth(simulator), 100050);
  check_value("x[4]", "100050");
  for (int i = 0; i < 10; i++)
    ck_assert_int_eq(floe_simulator_undo(simulator), FLOE_OK);
  check_value("x[4]", "100040");
  ck_assert_int_eq(floe_simulator_undo(simulator), FLOE_ERROR_USAGE);
  floe_simulator_restart(simulator);
  ck_assert_uint_eq(floe_simulator_depth(simulator), 0);
  ck_assert_uint_eq(floe_state_hash(floe_expansion_state(here())), start);
  ck_assert_uint_eq(firings(), 1);
  end();
}
END_TEST

/* Every allocation fails once: an error is reported, and the simulator keeps its state. */
START_TEST(test_memory_ends) {
  begin(send);
  for (long n = 1; n < 40; n++) {
    floe_expansion *expansion;
    floe_step step;
    floe_simulator *other;
    mem_fail_after(n);
    floe_status status = floe_simulator_create(model, messages, &other);
    if (status == FLOE_OK)
      floe_simulator_free(other);
    else
      ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
    mem_fail_after(n);
    size_t steps = floe_simulator_depth(simulator);
    status = floe_simulator_fire(simulator, 0);
    ck_assert(status == FLOE_OK || status == FLOE_ERROR_MEMORY);
    ck_assert_uint_eq(floe_simulator_depth(simulator), steps + (status == FLOE_OK));
    status = floe_simulator_expansion(simulator, &expansion);
    if (status == FLOE_OK)
      status = floe_expansion_step(expansion, 0, &step);
    ck_assert(status == FLOE_OK || status == FLOE_ERROR_MEMORY);
    mem_fail_after(0);
    while (floe_simulator_depth(simulator))
      ck_assert_int_eq(floe_simulator_undo(simulator), FLOE_OK);
    ck_assert_uint_eq(firings(), 4);
  }
  end();
}
END_TEST

START_TEST(test_refused) {
  static const char text[] = "<model name='m'><constant name='N'/><process name='P'><location "
                             "name='l' initial='true'/></process></model>";
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
  ck_assert_int_eq(floe_model_parse("m.xml", text, strlen(text), messages, &model), FLOE_OK);
  ck_assert_int_eq(floe_simulator_create(model, messages, &simulator), FLOE_ERROR_MODEL);
  simulator = NULL;
  end();
}
END_TEST

int main(void) {
  return run_tests("walk", CK_NOFORK, test_steps, test_messages, test_properties, test_deadlock, test_errors,
                   test_long_and_wide, test_forgotten, test_memory_ends, test_refused);
}
