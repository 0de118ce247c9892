/* make_checkpoint FILE [WORDS]: writes a small checkpoint of an invented search, with states of 1 word or 2, for
   tests of the command and as a seed for fuzzing. */
#include "checkpoint/checkpoint.h"

#include <stdio.h>
#include <string.h>

static const floe_constant constants[] = {{"N", 5, true, false}, {"LAST", -2, false, false}};
static const char *const options[] = {"--max-depth=7", "--table=linear"};
static const uint64_t level_states[] = {1, 5, 24}, fired[] = {40, 30}, witness[] = {17, 0};
static const struct checkpoint_violation violations[] = {{.violation = true, .depth = 1, .state = witness},
                                                         {.violation = false}};

static floe_status write_all(const char *path, uint32_t words, floe_log *log) {
  const struct checkpoint_head head = {.model = "made \33up",
                                       .file = "models/made.xml",
                                       .constants = constants,
                                       .constant_count = 2,
                                       .options = options,
                                       .option_count = 2,
                                       .bits = words == 1 ? 20 : 100,
                                       .words = words,
                                       .order = {"mix", 1, 7},
                                       .written = 1700000000,
                                       .seconds = 2.5};
  const struct checkpoint_search search = {.level_states = level_states,
                                           .levels = 3,
                                           .complete = 2,
                                           .expanded = 6,
                                           .violations = violations,
                                           .property_count = 2,
                                           .fired = fired,
                                           .transition_count = 2,
                                           .transitions = 70};
  struct checkpoint_writer *writer;
  FLOE_TRY(checkpoint_create(path, &head, 1, log, &writer));
  for (uint64_t i = 0; i < 33; i++) {
    const uint64_t state[2] = {i, 5 * i};
    checkpoint_put(writer, 0, CHECKPOINT_KEYS, state, 1);
    if (i >= 20)
      checkpoint_put(writer, 0, i >= 30 ? CHECKPOINT_NEXT : CHECKPOINT_REST, state, 1);
  }
  return checkpoint_commit(writer, &search, NULL);
}

int main(int count, char **arguments) {
  floe_log *log;
  if (count < 2 || count > 3 || floe_log_create(&log) != FLOE_OK)
    return 99;
  floe_status status = write_all(arguments[1], count == 3 && strcmp(arguments[2], "2") == 0 ? 2 : 1, log);
  if (floe_log_count(log) > 0)
    fprintf(stderr, "%s\n", floe_log_at(log, 0)->message);
  floe_log_free(log);
  return status != FLOE_OK;
}
