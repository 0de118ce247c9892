/* Counts the states within some steps of a state, which is the initial one, changed by values given by name. First
   prints its steps, each with the text of the state that it leads to:

     cc expand.c -o expand $(pkg-config --cflags --libs libfloe)
     ./expand peterson.xml 4 'P[0]=wait' */
#include <floe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 100, MOST_STATES = 100000, SLOTS = 1 << 18 };

static floe_log *log;
static floe_model *model;
static floe_state *found[MOST_STATES]; /* breadth first */
static size_t count;
static size_t slots[SLOTS]; /* index of `found` + 1; 0: free */

/* The library prints nothing itself. */
static void must(floe_status status) {
  if (status == FLOE_OK)
    return;
  for (size_t i = 0; i < floe_log_count(log); i++) {
    const floe_message *message = floe_log_at(log, i);
    fprintf(stderr, "%s%s%s\n", message->message, message->hint ? ": " : "", message->hint ? message->hint : "");
  }
  fprintf(stderr, "%s\n", floe_status_name(status));
  exit(EXIT_FAILURE);
}

/* Keeps a copy of a state that is new. */
static void add(const floe_state *state) {
  size_t slot = floe_state_hash(state) % SLOTS;
  for (; slots[slot]; slot = (slot + 1) % SLOTS)
    if (floe_state_equal(found[slots[slot] - 1], state))
      return;
  if (count == MOST_STATES) {
    fprintf(stderr, "more than %d states\n", MOST_STATES);
    exit(EXIT_FAILURE);
  }
  must(floe_state_copy(state, &found[count]));
  slots[slot] = ++count;
}

static void expand(const floe_state *state) {
  floe_expansion *expansion;
  must(floe_expand(model, state, log, &expansion));
  for (size_t i = 0; i < floe_expansion_steps(expansion); i++) {
    const floe_state *next;
    if (floe_expansion_step_fails(expansion, i))
      continue;
    must(floe_expansion_successor(expansion, i, &next));
    add(next);
  }
  floe_expansion_free(expansion);
}

static void print_steps(const floe_state *state) {
  floe_expansion *expansion;
  must(floe_expand(model, state, log, &expansion));
  for (size_t i = 0; i < floe_expansion_steps(expansion); i++) {
    const floe_state *next;
    floe_step step;
    char text[1000] = "";
    must(floe_expansion_step(expansion, i, &step));
    if (!step.cause[0]) {
      must(floe_expansion_successor(expansion, i, &next));
      floe_state_text(next, text, sizeof text);
    }
    printf("%s: %s\n", step.action, step.cause[0] ? step.cause : text);
  }
  floe_expansion_free(expansion);
}

/* "NAME=VALUE" */
static floe_change value_of(char *text) {
  char *equals = strchr(text, '=');
  if (equals)
    *equals = 0;
  return (floe_change){text, "", equals ? equals + 1 : ""};
}

int main(int argc, char **argv) {
  floe_change values[MOST_VALUES];
  floe_state *first;
  if (argc < 3 || argc - 3 > MOST_VALUES || floe_log_create(&log) != FLOE_OK)
    return EXIT_FAILURE;
  for (int i = 3; i < argc; i++)
    values[i - 3] = value_of(argv[i]);
  must(floe_model_load(argv[1], log, &model));
  must(floe_model_check(model, log));
  must(floe_state_from_values(model, values, (size_t)(argc - 3), log, &first));
  print_steps(first);
  add(first);
  floe_state_free(first);
  size_t from = 0;
  for (int depth = 0; depth < atoi(argv[2]); depth++)
    for (const size_t end = count; from < end; from++)
      expand(found[from]);
  printf("%zu states within %d steps\n", count, atoi(argv[2]));
  for (size_t i = 0; i < count; i++)
    floe_state_free(found[i]);
  floe_model_free(model);
  floe_log_free(log);
  return EXIT_SUCCESS;
}
