#include "cmd/simulate/repl.h"

#include "cmd/console/message.h"
#include "cmd/simulate/line_editor.h"
#include "cmd/simulate/trace_replay.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE 4096
#define MOST_LISTED 40 /* firings in the automatic list */

struct repl {
  struct simulation *simulation;
  bool changed; /* print the list before the next prompt */
  bool done;
  bool out_of_memory; /* while a step of a replayed trace was recorded */
};

/* ---- enabled firings ----------------------------------------------------------------------- */

static void print_firing(const floe_step *step, size_t i) {
  printf("%5zu  ", i + 1);
  put_printable(stdout, step->action);
  if (step->cause[0])
    printf(": fails: %s", printable(step->cause));
  putchar('\n');
}

static floe_status list_enabled(struct repl *repl, size_t most) {
  floe_expansion *state;
  floe_status status = floe_simulator_expansion(repl->simulation->simulator, &state);
  const size_t count = status == FLOE_OK ? floe_expansion_steps(state) : 0;
  for (size_t i = 0; i < count && i < most && status == FLOE_OK; i++) {
    floe_step step;
    status = floe_expansion_step(state, i, &step);
    if (status == FLOE_OK)
      print_firing(&step, i);
  }
  if (status == FLOE_OK && count == 0)
    puts("       no step is enabled");
  if (status == FLOE_OK && count > most)
    printf("       and %zu more: l lists all\n", count - most);
  return status;
}

/* ---- commands ------------------------------------------------------------------------------ */

static floe_status print_commands(struct repl *repl, const char *argument) {
  (void)repl, (void)argument;
  puts("  NUMBER     execute this step of the list; or its name,\n"
       "             or its label if no other step has it\n"
       "  r [N]      execute a random step, or N\n"
       "  u [N]      undo the last step, or N\n"
       "  s          print the state in full\n"
       "  l          list all enabled steps\n"
       "  t FILE     replay the first trace of a file, from the start\n"
       "  q          quit\n"
       "  h          print this help");
  return FLOE_OK;
}

/* The number in an argument; 1 without an argument, 0 after a message if it is not a number. */
static size_t repeat_count(const char *argument) {
  if (!*argument)
    return 1;
  char *end;
  unsigned long long n = strtoull(argument, &end, 10);
  if (isdigit((unsigned char)*argument) && n > 0 && !*end)
    return (size_t)n;
  printf("'%s' is not a number of steps\n", printable(argument));
  return 0;
}

static floe_status fire_number(struct repl *repl, const char *argument) {
  char *end;
  size_t number = strtoull(argument, &end, 10);
  floe_expansion *state;
  floe_status status = floe_simulator_expansion(repl->simulation->simulator, &state);
  if (status != FLOE_OK)
    return status;
  const size_t count = floe_expansion_steps(state);
  if (*end || number < 1 || number > count) {
    printf("no step %s: the list has %zu\n", printable(argument), count);
    return FLOE_OK;
  }
  repl->changed = true;
  return simulation_fire(repl->simulation, number - 1);
}

static const char *step_action(const floe_step *step) { return step->action; }
static const char *step_label(const floe_step *step) { return step->label; }

/* Counts the firings with this text; *number is that of the first, from 1. */
static floe_status find_by(const char *(*text)(const floe_step *step), floe_expansion *state, const char *name,
                           size_t *named, size_t *number) {
  floe_status status = FLOE_OK;
  *named = 0;
  for (size_t i = 0; i < floe_expansion_steps(state) && status == FLOE_OK; i++) {
    floe_step step;
    status = floe_expansion_step(state, i, &step);
    if (status == FLOE_OK && strcmp(printable(text(&step)), name) == 0 && (*named)++ == 0)
      *number = i + 1;
  }
  return status;
}

/* By the whole name, else by the label of the transition alone. */
static floe_status fire_named(struct repl *repl, const char *name) {
  floe_expansion *state;
  size_t named = 0, number = 0;
  floe_status status = floe_simulator_expansion(repl->simulation->simulator, &state);
  if (status == FLOE_OK)
    status = find_by(step_action, state, name, &named, &number);
  if (status == FLOE_OK && named == 0)
    status = find_by(step_label, state, name, &named, &number);
  if (status != FLOE_OK)
    return status;
  if (named == 0) {
    puts("neither a command nor a step: h lists the commands, l the steps");
    return FLOE_OK;
  }
  if (named > 1) {
    printf("%zu steps have this name, the first is %zu: enter the number of the step\n", named, number);
    return FLOE_OK;
  }
  repl->changed = true;
  return simulation_fire(repl->simulation, number - 1);
}

static floe_status fire_random(struct repl *repl, const char *argument) {
  bool any = true;
  for (size_t left = repeat_count(argument); left > 0; left--) {
    floe_status status = simulation_fire_random(repl->simulation, &any);
    if (status != FLOE_OK)
      return status;
    if (!any) {
      puts("no step is possible");
      return FLOE_OK;
    }
    repl->changed = true;
  }
  return FLOE_OK;
}

static floe_status undo_steps(struct repl *repl, const char *argument) {
  for (size_t left = repeat_count(argument); left > 0; left--) {
    if (floe_simulator_depth(repl->simulation->simulator) == 0) {
      puts("this is the initial state");
      return FLOE_OK;
    }
    floe_status status = simulation_undo(repl->simulation);
    if (status != FLOE_OK)
      return status;
    repl->changed = true;
  }
  if (repl->changed)
    printf("  back at step %zu\n", floe_simulator_depth(repl->simulation->simulator));
  return FLOE_OK;
}

static floe_status print_state(struct repl *repl, const char *argument) {
  (void)argument;
  return simulation_print_state(repl->simulation);
}

static floe_status list_all_enabled(struct repl *repl, const char *argument) {
  (void)argument;
  return list_enabled(repl, SIZE_MAX);
}

static floe_status end_repl(struct repl *repl, const char *argument) {
  (void)argument;
  repl->done = true;
  return FLOE_OK;
}

/* ---- replaying a trace --------------------------------------------------------------------- */

static void report_replayed_step(void *user, const floe_step *step, const char *printed, size_t number) {
  struct repl *repl = user;
  report_step(stdout, step, number, floe_model_file(repl->simulation->model));
  report_printed(stdout, printed);
  if (simulation_record_step(repl->simulation, step, printed) != FLOE_OK)
    repl->out_of_memory = true;
}

static floe_status replay_first(struct repl *repl, const json_t *trace) {
  struct simulation *simulation = repl->simulation;
  struct problem problem;
  if (!trace_replay_fits(simulation->model, trace, &problem)) {
    puts(problem.text);
    return FLOE_OK;
  }
  while (floe_simulator_depth(simulation->simulator))
    floe_simulator_undo(simulation->simulator);
  if (simulation->steps)
    json_array_clear(simulation->steps);
  repl->changed = true;
  switch (trace_replay_run(simulation->model, simulation->simulator, trace, report_replayed_step, repl, &problem)) {
  case REPLAY_NO_MEMORY:
    return FLOE_ERROR_MEMORY;
  case REPLAY_DIFFERS:
    printf("the trace does not replay: %s\n", problem.text);
    break;
  case REPLAY_CONFIRMED:
    break;
  }
  if (repl->out_of_memory)
    return FLOE_ERROR_MEMORY;
  simulation->triggered = 0; /* no property was reported on this path */
  return simulation_report_properties(simulation);
}

static floe_status replay_file(struct repl *repl, const char *path) {
  struct problem problem;
  json_t *traces = *path && strcmp(path, "-") != 0 ? trace_file_load(path, &problem) : NULL;
  if (!*path || strcmp(path, "-") == 0)
    problem_set(&problem, "t needs the name of a file written by check --trace");
  if (!traces) {
    printf("%s%s%s\n", printable(path), *path ? " is not a readable trace file: " : "", problem.text);
    return FLOE_OK;
  }
  floe_status status = replay_first(repl, json_array_get(traces, 0));
  json_decref(traces);
  return status;
}

/* ---- the loop ------------------------------------------------------------------------------ */

static const struct {
  char key;
  floe_status (*run)(struct repl *repl, const char *argument);
} repl_commands[] = {{'r', fire_random}, {'u', undo_steps}, {'s', print_state},   {'l', list_all_enabled},
                     {'t', replay_file}, {'q', end_repl},   {'h', print_commands}};

static floe_status execute(struct repl *repl, char *line) {
  while (isspace((unsigned char)*line))
    line++;
  size_t length = strlen(line);
  while (length && isspace((unsigned char)line[length - 1]))
    line[--length] = 0;
  if (!length)
    return FLOE_OK;
  if (isdigit((unsigned char)*line))
    return fire_number(repl, line);
  const char *argument = line + 1 + strspn(line + 1, " \t");
  for (size_t i = 0; i < sizeof repl_commands / sizeof *repl_commands; i++)
    if (*line == repl_commands[i].key && (!line[1] || isspace((unsigned char)line[1])))
      return repl_commands[i].run(repl, argument);
  return fire_named(repl, line);
}

/* Completions for TAB: commands, names of steps, trace files. */
static void offer_completions(void *user, const char *typed, struct completions *completions) {
  struct repl *repl = user;
  floe_expansion *state;
  for (size_t i = 0; i < sizeof repl_commands / sizeof *repl_commands; i++)
    completion_add(completions, (const char[]){repl_commands[i].key, 0});
  if (strncmp(typed, "t ", 2) == 0)
    completion_add_files(completions, "t ", typed + 2);
  if (floe_simulator_expansion(repl->simulation->simulator, &state) != FLOE_OK)
    return;
  for (size_t i = 0; i < floe_expansion_steps(state); i++) {
    floe_step step;
    if (floe_expansion_step(state, i, &step) == FLOE_OK)
      completion_add(completions, printable(step.action));
  }
}

floe_status repl_run(struct simulation *simulation) {
  struct repl repl = {.simulation = simulation, .changed = true};
  char line[LONGEST_LINE];
  floe_status status = FLOE_OK;
  while (status == FLOE_OK && !repl.done) {
    if (repl.changed)
      status = list_enabled(&repl, MOST_LISTED);
    repl.changed = false;
    if (status != FLOE_OK || !line_read("> ", offer_completions, &repl, line, sizeof line))
      break;
    status = execute(&repl, line);
  }
  return status;
}
