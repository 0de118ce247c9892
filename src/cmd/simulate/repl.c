#include "cmd/simulate/repl.h"

#include "cmd/message.h"
#include "cmd/simulate/line_editor.h"
#include "cmd/simulate/trace_replay.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE 4096
#define MOST_LISTED 40 /* firings that are listed unasked */

struct dialogue {
  struct simulation *simulation;
  bool moved; /* the list is to be shown */
  bool over;
  bool lost; /* a step of the trace that is followed, for which there was no memory */
};

/* ---- what can be done ---------------------------------------------------------------------- */

static void put_firing(const floe_step *step, size_t i) {
  printf("%5zu  ", i + 1);
  put_printable(stdout, step->action);
  if (step->cause[0])
    printf(": fails: %s", printable(step->cause));
  putchar('\n');
}

static floe_status list(struct dialogue *dialogue, size_t most) {
  floe_simulator *simulator = dialogue->simulation->simulator;
  size_t count;
  floe_status status = floe_simulator_enabled(simulator, &count);
  for (size_t i = 0; i < count && i < most && status == FLOE_OK; i++) {
    floe_step step;
    status = floe_simulator_step(simulator, i, &step);
    if (status == FLOE_OK)
      put_firing(&step, i);
  }
  if (status == FLOE_OK && count == 0)
    puts("       nothing is enabled");
  if (status == FLOE_OK && count > most)
    printf("       and %zu more: l lists all\n", count - most);
  return status;
}

/* ---- commands ------------------------------------------------------------------------------ */

static floe_status help(struct dialogue *dialogue, const char *argument) {
  (void)dialogue, (void)argument;
  puts("  NUMBER     take this step; or its name, as the list has it\n"
       "  r [N]      take a random step, or N\n"
       "  u [N]      undo the last step, or N\n"
       "  s          show the state in full\n"
       "  l          list all that can be done\n"
       "  t FILE     follow the first trace of a file, from the start\n"
       "  q          quit\n"
       "  h          this help");
  return FLOE_OK;
}

/* The number of an argument; 1 where there is none, 0 where it is not a number. */
static size_t times(const char *argument) {
  if (!*argument)
    return 1;
  char *end;
  unsigned long long n = strtoull(argument, &end, 10);
  if (isdigit((unsigned char)*argument) && n > 0 && !*end)
    return (size_t)n;
  printf("'%s' is no number of steps\n", printable(argument));
  return 0;
}

static floe_status take(struct dialogue *dialogue, const char *argument) {
  char *end;
  size_t count, number = strtoull(argument, &end, 10);
  floe_status status = floe_simulator_enabled(dialogue->simulation->simulator, &count);
  if (status != FLOE_OK)
    return status;
  if (*end || number < 1 || number > count) {
    printf("there is no step %s: the list has %zu\n", printable(argument), count);
    return FLOE_OK;
  }
  dialogue->moved = true;
  return simulation_fire(dialogue->simulation, number - 1);
}

/* How many of the firings are called so; *number is that of the first, from 1. */
static floe_status find_named(floe_simulator *simulator, const char *name, size_t *named, size_t *number) {
  size_t count;
  floe_status status = floe_simulator_enabled(simulator, &count);
  *named = 0;
  for (size_t i = 0; i < count && status == FLOE_OK; i++) {
    floe_step step;
    status = floe_simulator_step(simulator, i, &step);
    if (status == FLOE_OK && strcmp(printable(step.action), name) == 0 && (*named)++ == 0)
      *number = i + 1;
  }
  return status;
}

static floe_status take_named(struct dialogue *dialogue, const char *name) {
  size_t named, number = 0;
  floe_status status = find_named(dialogue->simulation->simulator, name, &named, &number);
  if (status != FLOE_OK)
    return status;
  if (named == 0) {
    puts("that is no command and no step: h tells which there are");
    return FLOE_OK;
  }
  if (named > 1) {
    printf("%zu steps are called that, the first is %zu: which one is told by its number\n", named, number);
    return FLOE_OK;
  }
  dialogue->moved = true;
  return simulation_fire(dialogue->simulation, number - 1);
}

static floe_status wander(struct dialogue *dialogue, const char *argument) {
  bool any = true;
  for (size_t left = times(argument); left > 0; left--) {
    floe_status status = simulation_random(dialogue->simulation, &any);
    if (status != FLOE_OK)
      return status;
    if (!any) {
      puts("nothing more can be done");
      return FLOE_OK;
    }
    dialogue->moved = true;
  }
  return FLOE_OK;
}

static floe_status undo(struct dialogue *dialogue, const char *argument) {
  for (size_t left = times(argument); left > 0; left--) {
    if (floe_simulator_depth(dialogue->simulation->simulator) == 0) {
      puts("this is the start");
      return FLOE_OK;
    }
    floe_status status = simulation_undo(dialogue->simulation);
    if (status != FLOE_OK)
      return status;
    dialogue->moved = true;
  }
  if (dialogue->moved)
    printf("  back at step %zu\n", floe_simulator_depth(dialogue->simulation->simulator));
  return FLOE_OK;
}

static floe_status show(struct dialogue *dialogue, const char *argument) {
  (void)argument;
  return simulation_tell_state(dialogue->simulation);
}

static floe_status list_all(struct dialogue *dialogue, const char *argument) {
  (void)argument;
  return list(dialogue, SIZE_MAX);
}

static floe_status quit(struct dialogue *dialogue, const char *argument) {
  (void)argument;
  dialogue->over = true;
  return FLOE_OK;
}

/* ---- following a trace --------------------------------------------------------------------- */

static void tell_step(void *user, const floe_step *step, size_t number) {
  struct dialogue *dialogue = user;
  report_step(step, number, floe_model_file(dialogue->simulation->model));
  if (simulation_keep(dialogue->simulation, step) != FLOE_OK)
    dialogue->lost = true;
}

static floe_status trace_replay_first(struct dialogue *dialogue, const json_t *trace) {
  struct simulation *simulation = dialogue->simulation;
  struct problem problem;
  if (!trace_replay_fits(simulation->model, trace, &problem)) {
    puts(problem.text);
    return FLOE_OK;
  }
  while (floe_simulator_depth(simulation->simulator))
    floe_simulator_undo(simulation->simulator);
  if (simulation->steps)
    json_array_clear(simulation->steps);
  dialogue->moved = true;
  switch (follow(simulation->model, simulation->simulator, trace, tell_step, dialogue, &problem)) {
  case REPLAY_NO_MEMORY:
    return FLOE_ERROR_MEMORY;
  case REPLAY_DIFFERS:
    printf("the trace does not replay: %s\n", problem.text);
    break;
  case REPLAY_AS_CLAIMED:
    break;
  }
  if (dialogue->lost)
    return FLOE_ERROR_MEMORY;
  simulation->triggered = 0; /* the way here was not looked at */
  return simulation_tell_properties(simulation);
}

static floe_status trace_replay_file(struct dialogue *dialogue, const char *path) {
  struct problem problem;
  json_t *traces = *path && strcmp(path, "-") != 0 ? trace_file_load(path, &problem) : NULL;
  if (!*path || strcmp(path, "-") == 0)
    problem_set(&problem, "t wants the name of a file that check --trace wrote");
  if (!traces) {
    printf("%s%s%s\n", printable(path), *path ? " cannot be read as traces: " : "", problem.text);
    return FLOE_OK;
  }
  floe_status status = trace_replay_first(dialogue, json_array_get(traces, 0));
  json_decref(traces);
  return status;
}

/* ---- the dialogue -------------------------------------------------------------------------- */

static const struct {
  char letter;
  floe_status (*obey)(struct dialogue *dialogue, const char *argument);
} bids[] = {{'r', wander}, {'u', undo}, {'s', show}, {'l', list_all}, {'t', trace_replay_file},
            {'q', quit},   {'h', help}};

static floe_status obey(struct dialogue *dialogue, char *line) {
  while (isspace((unsigned char)*line))
    line++;
  size_t length = strlen(line);
  while (length && isspace((unsigned char)line[length - 1]))
    line[--length] = 0;
  if (!length)
    return FLOE_OK;
  if (isdigit((unsigned char)*line))
    return take(dialogue, line);
  const char *argument = line + 1 + strspn(line + 1, " \t");
  for (size_t i = 0; i < sizeof bids / sizeof *bids; i++)
    if (*line == bids[i].letter && (!line[1] || isspace((unsigned char)line[1])))
      return bids[i].obey(dialogue, argument);
  return take_named(dialogue, line);
}

/* What TAB offers: commands, steps by their names, files to be followed. */
static void offer_lines(void *user, const char *typed, struct line_offers *offers) {
  struct dialogue *dialogue = user;
  floe_simulator *simulator = dialogue->simulation->simulator;
  size_t count = 0;
  for (size_t i = 0; i < sizeof bids / sizeof *bids; i++)
    line_offer(offers, (const char[]){bids[i].letter, 0});
  if (strncmp(typed, "t ", 2) == 0)
    line_offer_files(offers, "t ", typed + 2);
  if (floe_simulator_enabled(simulator, &count) != FLOE_OK)
    return;
  for (size_t i = 0; i < count; i++) {
    floe_step step;
    if (floe_simulator_step(simulator, i, &step) == FLOE_OK)
      line_offer(offers, printable(step.action));
  }
}

floe_status dialogue(struct simulation *simulation) {
  struct dialogue dialogue = {.simulation = simulation, .moved = true};
  char line[LONGEST_LINE];
  floe_status status = FLOE_OK;
  while (status == FLOE_OK && !dialogue.over) {
    if (dialogue.moved)
      status = list(&dialogue, MOST_LISTED);
    dialogue.moved = false;
    if (status != FLOE_OK || !line_read("> ", offer_lines, &dialogue, line, sizeof line))
      break;
    status = obey(&dialogue, line);
  }
  return status;
}
