/* Composition of processes by a language without syntax trees, explored by both engines. The numbers are computed by
   hand from doc/semantics.md. */
#include "run.h"

struct numbers {
  uint64_t states, transitions, deadlocks;
};

static void has(const char *text, struct numbers expected) {
  const floe_engine engines[] = {FLOE_ENGINE_INTERPRETER, FLOE_ENGINE_CPU};
  for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
    struct run run;
    open_run(&run, "m.processes", text);
    explore(&run, engines[i]);
    const floe_summary *summary = floe_result_summary(run.result);
    ck_assert_uint_eq(summary->states, expected.states);
    ck_assert_uint_eq(summary->transitions, expected.transitions);
    ck_assert_uint_eq(summary->deadlocks, expected.deadlocks);
    close_run(&run);
  }
}

/* The sender chooses 1 or 2; one of two receivers gets it. */
START_TEST(handshake) {
  has("processes\n"
      "value x 0 3\n"
      "channel c 0 0 3\n"
      "process S 1 s t\n"
      "process R 2 r u\n"
      "S s t for 1 2 send c i\n"
      "R r u receive c x\n",
      (struct numbers){.states = 1 + 2 * 2, .transitions = 2 * 2, .deadlocks = 2 * 2});
}
END_TEST

/* Receivers whose conditions read the message, and the number of their instance. */
START_TEST(conditions_on_the_message) {
  has("processes\n"
      "value x 0 3\n"
      "channel c 0 0 3\n"
      "process S 1 s t\n"
      "process R 2 r u v w\n"
      "S s t for 0 3 send c i\n"
      "R r u if m 2 receive c m\n"
      "R r v receive c = self set x 3\n"
      "R r w for 1 3 if m i receive c m set x m\n",
      /* u: 2 instances; v: 0 and 1; w: 2 instances with 1, 2, 3, each in a state of its own */
      (struct numbers){.states = 1 + 2 + 2 + 6, .transitions = 2 + 2 + 6, .deadlocks = 10});
}
END_TEST

/* An instance does not receive its own message. */
START_TEST(no_handshake_alone) {
  has("processes\n"
      "channel c 0 0 3\n"
      "process P 1 a b\n"
      "P a b send c 1\n"
      "P a b receive c = 1\n",
      (struct numbers){.states = 1, .deadlocks = 1});
}
END_TEST

/* Contents of up to two messages, each 1 or 2: 7. Then x is any of 0, 1, 2. */
START_TEST(buffer) {
  has("processes\n"
      "value x 0 3\n"
      "channel d 2 1 2\n"
      "process S 1 s\n"
      "process R 1 r\n"
      "S s s for 1 2 send d i\n"
      "R r r receive d m set x m\n",
      (struct numbers){.states = 7 * 3, .transitions = 3 * 3 * 2 + 6 * 3});
}
END_TEST

/* Each of two receivers takes one of two alternatives; a third process cannot take part. */
START_TEST(broadcast) {
  has("processes\n"
      "value x 0 3\n"
      "channel e all 0 3\n"
      "process S 1 s t\n"
      "process R 2 r u v\n"
      "process Q 1 q n\n"
      "S s t send e 2\n"
      "R r u receive e = 2\n"
      "R r v for 0 1 if m 2 receive e m\n"
      "Q q n receive e = 1\n",
      /* v has two values of its select, which lead to the same state */
      (struct numbers){.states = 1 + 2 * 2, .transitions = 3 * 3, .deadlocks = 4});
}
END_TEST

/* Nothing else moves while a process is at b. */
START_TEST(committed_location) {
  has("processes\n"
      "process P 2 a b! c\n"
      "P a b\n"
      "P b c\n",
      (struct numbers){.states = 9 - 1, .transitions = 8, .deadlocks = 1});
  has("processes\n"
      "process P 2 a b c\n"
      "P a b\n"
      "P b c\n",
      (struct numbers){.states = 9, .transitions = 12, .deadlocks = 1});
}
END_TEST

/* `else` after a send of either value has filled the buffer. */
START_TEST(otherwise) {
  has("processes\n"
      "value x 0 1\n"
      "channel d 1 0 1\n"
      "process P 1 a b\n"
      "P a a if x 0 set x 1\n"
      "P a a for 0 1 send d i\n"
      "P a b else\n",
      /* x and the buffer in any order; then b */
      (struct numbers){.states = 2 * 3 + 2, .transitions = 3 + 2 * 2 + 2, .deadlocks = 2});
}
END_TEST

START_TEST(undecided_else) {
  struct run run;
  open_run(&run, "m.processes",
           "processes\n"
           "channel c 0 0 1\n"
           "process P 2 a b\n"
           "P a b send c 1\n"
           "P a b receive c = 1\n"
           "P a b else\n");
  ck_assert_int_eq(floe_model_check(run.model, run.log), FLOE_ERROR_MODEL);
  ck_assert_str_eq(floe_log_at(run.log, 0)->message, "other processes decide about else at a");
  ck_assert_uint_eq(floe_log_at(run.log, 0)->line, 6);
  close_run(&run);
}
END_TEST

/* A sent value is outside the channel's range. */
START_TEST(range_of_the_channel) {
  struct run run;
  open_run(&run, "m.processes",
           "processes\n"
           "value x 3 4\n"
           "channel c 0 0 3\n"
           "process S 1 s t\n"
           "process R 1 r u\n"
           "S s s if x 3 set x 4\n"
           "S s t send c x\n"
           "R r u receive c m\n"
           "never x 4\n");
  explore(&run, FLOE_ENGINE_CPU);
  const floe_verdict errors = floe_result_verdict(run.result, 1);
  ck_assert_int_eq(errors.value, FLOE_VIOLATED);
  ck_assert_int_eq(errors.depth, 1);
  ck_assert_int_eq(floe_result_verdict(run.result, 0).depth, 1);
  close_run(&run);
}
END_TEST

/* The steps of a trace have both participants. */
START_TEST(participants) {
  struct run run;
  open_run(&run, "m.processes",
           "processes\n"
           "value x 0 3\n"
           "channel c 0 0 3\n"
           "process S 1 s t\n"
           "process R 2 r u\n"
           "S s t send c 3\n"
           "R r u receive c x\n"
           "never x 3\n");
  explore(&run, FLOE_ENGINE_INTERPRETER);
  const floe_step step = floe_trace_step(floe_result_verdict(run.result, 0).trace, 0);
  ck_assert_uint_eq(step.participants, 2);
  ck_assert_str_eq(step.participant_list[0].process, "S");
  ck_assert_str_eq(step.participant_list[1].process, "R");
  ck_assert_uint_eq(step.participant_list[1].line, 7);
  close_run(&run);
}
END_TEST

int main(void) {
  return run_tests("compose", CK_NOFORK, handshake, conditions_on_the_message, no_handshake_alone, buffer, broadcast,
                   committed_location, otherwise, undecided_else, range_of_the_channel, participants);
}
