#include "multiword_models.h"

#include "step/stepper.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- models ------------------------------------------------------------------------------------------ */

struct text {
  char chars[1 << 16];
  size_t used;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text->used += (size_t)vsnprintf(text->chars + text->used, sizeof text->chars - text->used, format, arguments);
  va_end(arguments);
  ck_assert_uint_lt(text->used, sizeof text->chars);
}

static void put_chains(struct text *text, const struct wide_model *of) {
  const unsigned long long top = of->top;
  for (unsigned c = 0; c < of->count; c++)
    put(text, "<variable name='c%u' range='0..%llu' size='%u'/>", c, top, of->length);
  put(text, "<process name='P'><location name='l' initial='true'/>");
  for (unsigned c = 0; c < of->count; c++)
    put(text,
        "<transition from='l' select='i in 0..%u' guard='c%u[i] == 0 and (i == 0 or c%u[max(i - 1, 0)] == %llu)' "
        "effect='c%u[i] = %llu'/>",
        of->length - 1, c, c, top, c, top);
  put(text, "</process><property id='some' kind='never'>false");
  for (unsigned c = 0; c < of->count; c++)
    put(text, " or c%u[2] == %llu", c, top);
  put(text, "</property><property id='two' kind='reachable'>c0[%u] == %llu and c1[1] == %llu</property>",
      of->length - 1, top, top);
}

static void put_counters(struct text *text, const struct wide_model *of) {
  const unsigned long long top = of->top, round = of->top * of->length;
  for (unsigned c = 0; c < of->count; c++)
    put(text, "<variable name='c%u' range='0..%llu'/>", c, round - 1);
  put(text, "<process name='P'><location name='l' initial='true'/>");
  for (unsigned c = 0; c < of->count; c++)
    put(text, "<transition from='l' effect='c%u = (c%u + %llu) %% %llu'/>", c, c, top, round);
  put(text, "</process><property id='some' kind='invariant'>c0 + c1 != %llu</property>", 5 * top);
  put(text, "<property id='two' kind='reachable'>c0 == %llu and c1 == %llu</property>", 2 * top, top);
}

void wide_model_load(const struct wide_model *of, struct loaded *loaded) {
  static struct text text;
  text.used = 0;
  put(&text, "<model name='wide'>");
  (of->kind == WIDE_CHAINS ? put_chains : put_counters)(&text, of);
  put(&text, "<property id='none' kind='reachable'>c0%s == 1 and c1%s == 1</property></model>",
      of->kind == WIDE_CHAINS ? "[1]" : "", of->kind == WIDE_CHAINS ? "[1]" : "");
  ck_assert_msg(loaded_from_text(loaded, "wide", text.chars, text.used, NULL, 0), "%s", loaded_message(loaded));
  ck_assert_uint_ge(loaded->layout->words, of->least_words);
  ck_assert_ptr_null(loaded->layout->encoding);
}

/* ---- expected results ---------------------------------------------------------------------------------- */

struct finder {
  const struct loaded *loaded;
  struct stepper *stepper;
  struct truth *truth;
  uint64_t *successors;
  struct step_edge *edges;
  uint64_t *slots; /* number of a state + 1; 0: none */
  uint64_t mask;
  size_t room, looked_room; /* states */
};

static const uint64_t *state_at(const struct truth *truth, uint64_t i) { return truth->found + i * truth->words; }

static uint64_t *more(uint64_t *states, size_t *room, uint64_t count, uint32_t words) {
  if (count < *room)
    return states;
  *room = *room * 2 + 1000;
  return realloc(states, *room * words * sizeof *states);
}

static void put_slot(struct finder *finder, uint64_t number) {
  const struct truth *truth = finder->truth;
  uint64_t at = engine_state_mix(state_at(truth, number), truth->words) & finder->mask;
  while (finder->slots[at])
    at = (at + 1) & finder->mask;
  finder->slots[at] = number + 1;
}

static bool check_known_name(const struct finder *finder, const uint64_t *state) {
  const struct truth *truth = finder->truth;
  uint64_t at = engine_state_mix(state, truth->words) & finder->mask;
  for (; finder->slots[at]; at = (at + 1) & finder->mask)
    if (memcmp(state_at(truth, finder->slots[at] - 1), state, truth->words * sizeof *state) == 0)
      return true;
  return false;
}

static void make_slots(struct finder *finder) {
  if (finder->truth->states * 2 < finder->mask)
    return;
  finder->mask = finder->mask * 2 + 1;
  free(finder->slots);
  finder->slots = calloc(finder->mask + 1, sizeof *finder->slots);
  for (uint64_t i = 0; i < finder->truth->states; i++)
    put_slot(finder, i);
}

static void look_up(struct finder *finder, const uint64_t *state, uint64_t lookup) {
  struct truth *truth = finder->truth;
  const size_t bytes = truth->words * sizeof *state;
  truth->looked_up = more(truth->looked_up, &finder->looked_room, lookup, truth->words);
  memcpy(truth->looked_up + lookup * truth->words, state, bytes);
  if (check_known_name(finder, state))
    return;
  truth->found = more(truth->found, &finder->room, truth->states, truth->words);
  memcpy(truth->found + truth->states * truth->words, state, bytes);
  put_slot(finder, truth->states++);
  truth->checksum += engine_state_mix(state, truth->words);
  truth->level_states[truth->levels - 1]++;
  truth->level_checksums[truth->levels - 1] += engine_state_mix(state, truth->words);
  make_slots(finder);
}

static void note_hits(struct finder *finder, const uint64_t *state, uint64_t triggered, uint32_t depth) {
  struct truth *truth = finder->truth;
  for (size_t i = 0; i < truth->properties; i++) {
    struct engine_violation *violation = &truth->violations[i];
    if (!(triggered >> i & 1) || (violation->violation && violation->depth < depth) ||
        (violation->violation && !words_less(state, violation->state, truth->words)))
      continue;
    if (!violation->violation)
      violation->state = calloc(truth->words, sizeof *state);
    memcpy(violation->state, state, truth->words * sizeof *state);
    violation->violation = true;
    violation->depth = depth;
  }
}

static void expand(struct finder *finder, uint64_t number, uint32_t depth) {
  struct truth *truth = finder->truth;
  const struct model *model = finder->loaded->model;
  struct step_error error;
  uint64_t state[64];
  ck_assert_uint_le(truth->words, 64);
  memcpy(state, state_at(truth, number), truth->words * sizeof *state);
  const size_t n = finder->stepper->expand_one(finder->stepper, state, finder->successors, finder->edges);
  uint64_t triggered = finder->stepper->properties(finder->stepper, state, &error);
  for (size_t i = 0; n == 0 && i < truth->properties; i++)
    if (model->properties[i].kind == FLOE_DEADLOCK)
      triggered |= UINT64_C(1) << i;
  note_hits(finder, state, triggered, depth);
  truth->deadlocks += n == 0;
  truth->max_out_degree = n > truth->max_out_degree ? (uint32_t)n : truth->max_out_degree;
  for (size_t i = 0; i < n; i++) {
    ck_assert_uint_eq(finder->edges[i].site, NO_SITE);
    truth->fired[finder->edges[i].transition]++;
    look_up(finder, finder->successors + i * truth->words, ++truth->transitions);
  }
}

static void find_levels(struct finder *finder) {
  struct truth *truth = finder->truth;
  for (uint64_t next = 0; next < truth->states;) {
    const uint64_t end = truth->states;
    const uint32_t depth = truth->levels++ - 1;
    truth->level_states = realloc(truth->level_states, truth->levels * sizeof *truth->level_states);
    truth->level_checksums = realloc(truth->level_checksums, truth->levels * sizeof *truth->level_checksums);
    truth->level_states[depth + 1] = truth->level_checksums[depth + 1] = 0;
    while (next < end)
      expand(finder, next++, depth);
  }
  truth->levels--; /* the last one is empty */
}

void truth_find(const struct loaded *loaded, struct truth *out) {
  const struct model *model = loaded->model;
  struct finder finder = {.loaded = loaded, .truth = out, .mask = 1023};
  uint64_t initial[64];
  *out = (struct truth){.words = loaded->layout->words,
                        .levels = 1,
                        .level_states = calloc(1, sizeof(uint64_t)),
                        .level_checksums = calloc(1, sizeof(uint64_t)),
                        .fired = calloc(model->transition_count + 1, sizeof(uint64_t)),
                        .violations = calloc(model->property_count, sizeof(struct engine_violation)),
                        .properties = model->property_count};
  ck_assert_int_eq(interpreter_create(model, loaded->layout, &finder.stepper), FLOE_OK);
  finder.successors = calloc((size_t)finder.stepper->max_successors * out->words + 1, sizeof(uint64_t));
  finder.edges = calloc(finder.stepper->max_successors + 1, sizeof *finder.edges);
  finder.slots = calloc(finder.mask + 1, sizeof *finder.slots);
  layout_initial(model, loaded->layout, initial);
  look_up(&finder, initial, 0);
  find_levels(&finder);
  finder.stepper->free(finder.stepper);
  free(finder.successors);
  free(finder.edges);
  free(finder.slots);
}

void truth_free(struct truth *truth) {
  for (size_t i = 0; i < truth->properties; i++)
    free(truth->violations[i].state);
  free(truth->violations);
  free(truth->level_states);
  free(truth->level_checksums);
  free(truth->found);
  free(truth->looked_up);
  free(truth->fired);
}
