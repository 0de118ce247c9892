/* expand_all MODEL MOST [NAME=VALUE]...: prints the expansion of each reachable state, breadth first, and its blocked
   transitions, as JSON: {"expansion": {...}, "blocked": [...]}, a line each. Exit code 3: the model is wrong, 2: it has
   more than MOST states. */
#include "floe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static floe_model *model;
static floe_state **found;
static size_t count, most;

static void must(floe_status status) {
  if (status == FLOE_OK)
    return;
  fprintf(stderr, "%s\n", floe_status_name(status));
  exit(status == FLOE_ERROR_MODEL ? 3 : 1);
}

static void add(const floe_state *state) {
  for (size_t i = 0; i < count; i++)
    if (floe_state_equal(found[i], state))
      return;
  if (count == most)
    exit(2);
  must(floe_state_copy(state, &found[count++]));
}

static void print_state(const floe_state *state) {
  floe_expansion *expansion;
  const floe_trace *blocked;
  const floe_state *next;
  must(floe_expand(model, state, NULL, &expansion));
  for (size_t i = 0; i < floe_expansion_steps(expansion); i++)
    if (floe_expansion_successor(expansion, i, &next) == FLOE_OK)
      add(next);
  must(floe_expansion_blocked(expansion, 0, &blocked));
  fputs("{\"expansion\": ", stdout);
  must(floe_expansion_write_json(expansion, stdout));
  fputs(", \"blocked\": ", stdout);
  must(floe_blocked_write_json(blocked, stdout));
  puts("}");
  floe_expansion_free(expansion);
}

int main(int argc, char **argv) {
  floe_state *first;
  if (argc < 3)
    return EXIT_FAILURE;
  must(floe_model_load(argv[1], NULL, &model));
  for (int i = 3; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (!equals)
      return EXIT_FAILURE;
    *equals = 0;
    must(floe_model_define(model, argv[i], equals + 1, NULL));
  }
  must(floe_model_check(model, NULL));
  most = (size_t)atoi(argv[2]);
  found = calloc(most + 1, sizeof(floe_state *));
  must(floe_state_initial(model, NULL, &first));
  add(first);
  floe_state_free(first);
  for (size_t i = 0; i < count; i++)
    print_state(found[i]);
  for (size_t i = 0; i < count; i++)
    floe_state_free(found[i]);
  free(found);
  floe_model_free(model);
  return EXIT_SUCCESS;
}
