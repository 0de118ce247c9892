/* libFuzzer harness: the bytes as a Murphi file through reading, checking and some hundred states of the interpreter.
   Half of the mutations change whole tokens. */
#include "api/api.h"
#include "core/mem.h"
#include "floe.h"
#include "frontend/murphi/murphi_language.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* ---- exploration --------------------------------------------------------------------------------- */

#define MOST_STATES 200
#define MOST_STEPS 20 /* of each state */

struct search {
  const floe_model *model;
  floe_state *states[MOST_STATES];
  size_t count;
};

static void add(struct search *s, const floe_state *state) {
  for (size_t i = 0; i < s->count; i++)
    if (floe_state_equal(s->states[i], state))
      return;
  if (s->count < MOST_STATES && floe_state_copy(state, &s->states[s->count]) == FLOE_OK)
    s->count++;
}

/* Everything that a trace or the browser shows of a state. */
static void look(floe_expansion *expansion, size_t steps) {
  const floe_change *values;
  size_t count;
  if (floe_expansion_values(expansion, &values, &count) != FLOE_OK)
    abort();
  for (size_t i = 0; i < steps; i++) {
    floe_step step;
    if (floe_expansion_step(expansion, i, &step) != FLOE_OK ||
        !step.cause[0] == floe_expansion_step_fails(expansion, i))
      abort();
  }
}

static void expand(struct search *s, const floe_state *state, bool shown) {
  floe_expansion *expansion;
  if (floe_expand(s->model, state, NULL, &expansion) != FLOE_OK)
    return; /* too many steps */
  const size_t all = floe_expansion_steps(expansion), steps = all < MOST_STEPS ? all : MOST_STEPS;
  for (size_t i = 0; i < floe_model_properties(s->model); i++) {
    floe_property_value value;
    if (floe_expansion_property(expansion, i, &value) != FLOE_OK)
      abort();
  }
  if (shown)
    look(expansion, steps);
  for (size_t i = 0; i < steps; i++) {
    const floe_state *next;
    if (!floe_expansion_step_fails(expansion, i) && floe_expansion_successor(expansion, i, &next) == FLOE_OK)
      add(s, next);
  }
  floe_expansion_free(expansion);
}

static void explore(const floe_model *model) {
  struct search s = {.model = model};
  floe_state *initial;
  if (floe_state_initial(model, NULL, &initial) != FLOE_OK)
    return;
  add(&s, initial);
  floe_state_free(initial);
  for (size_t i = 0; i < s.count; i++)
    expand(&s, s.states[i], i < 5);
  while (s.count > 0)
    floe_state_free(s.states[--s.count]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  floe_model *model = NULL;
  floe_log *log;
  if (floe_log_create(&log) != FLOE_OK)
    return 0;
  murphi_language.recognise((const char *)data, size);
  floe_status status = floe_model_parse("fuzz.m", (const char *)data, size, log, &model);
  if (status == FLOE_OK)
    status = floe_model_check(model, log);
  /* exactly the failures are logged */
  if (status == FLOE_ERROR_INTERNAL || (status == FLOE_OK) != (floe_log_errors(log) == 0))
    abort();
  if (status == FLOE_OK)
    explore(model);
  floe_model_free(model);
  floe_log_free(log);
  if (mem_live() != 0)
    abort();
  return 0;
}

/* ---- mutations of tokens ------------------------------------------------------------------------- */

#define MOST_TOKENS 4096

static struct token { size_t from, to; } tokens[MOST_TOKENS];

static bool in_word(uint8_t c) { return isalnum(c) || c == '_'; }

static size_t find_tokens(const uint8_t *text, size_t size) {
  size_t count = 0;
  for (size_t at = 0; at < size && count < MOST_TOKENS;) {
    const size_t from = at++;
    if (isspace(text[from]))
      continue;
    while (in_word(text[from]) && at < size && in_word(text[at]))
      at++;
    tokens[count++] = (struct token){from, at};
  }
  return count;
}

/* Copies text[from..to) to the end of out, with a blank; false: no room. */
static bool append(uint8_t *out, size_t *length, size_t most, const uint8_t *text, size_t from, size_t to) {
  if (most - *length < to - from + 1)
    return false;
  memcpy(out + *length, text + from, to - from);
  *length += to - from;
  out[(*length)++] = ' ';
  return true;
}

static const char *const numbers[] = {
    "0", "1", "-1", "2", "64", "4294967296", "2305843009213693952", "9223372036854775807"};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  const size_t count = seed % 2 ? find_tokens(data, size) : 0;
  uint8_t *out = count ? malloc(most) : NULL;
  if (!out)
    return LLVMFuzzerMutate(data, size, most);
  srand(seed);
  const size_t a = (size_t)rand() % count, b = (size_t)rand() % count, run = 1 + (size_t)rand() % 12;
  const size_t a_end = a + run < count ? a + run : count, b_end = b + run < count ? b + run : count;
  const char *number = numbers[(size_t)rand() % (sizeof numbers / sizeof *numbers)];
  const struct token first = tokens[a], last = tokens[a_end - 1], from = tokens[b], to = tokens[b_end - 1];
  size_t length = 0;
  bool fits = append(out, &length, most, data, 0, first.from);
  switch (rand() % 6) {
  case 0: /* delete tokens */
    fits = fits && append(out, &length, most, data, last.to, size);
    break;
  case 1: /* replace one */
    fits = fits && append(out, &length, most, data, from.from, from.to) &&
           append(out, &length, most, data, first.to, size);
    break;
  case 2: /* replace some */
    fits =
        fits && append(out, &length, most, data, from.from, to.to) && append(out, &length, most, data, last.to, size);
    break;
  case 3: /* insert one */
    fits = fits && append(out, &length, most, data, from.from, from.to) &&
           append(out, &length, most, data, first.from, size);
    break;
  case 4: /* insert some */
    fits = fits && append(out, &length, most, data, from.from, to.to) &&
           append(out, &length, most, data, first.from, size);
    break;
  default: /* a number */
    fits = fits && append(out, &length, most, (const uint8_t *)number, 0, strlen(number)) &&
           append(out, &length, most, data, first.to, size);
  }
  if (fits)
    memcpy(data, out, length);
  free(out);
  return fits ? length : LLVMFuzzerMutate(data, size, most);
}
