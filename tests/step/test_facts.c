/* What is said of all reachable states is true of each of them, as the interpreter finds them; what must be found is.
 */
#include "loaded.h"
#include "random_model.h"
#include "step/facts.h"
#include "step/stepper.h"
#include "suite.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- exploration ----------------------------------------------------------------------------- */

/* Packed states in order of discovery and an index to find them in. */
struct states {
  uint64_t *words;
  size_t n, capacity, width, slot_count;
  size_t *slots; /* number of a state + 1 */
};

static uint64_t hash_of(const uint64_t *words, size_t width) {
  uint64_t h = 0;
  for (size_t i = 0; i < width; i++)
    h = (h ^ words[i] ^ h >> 29) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

static void states_add(struct states *states, const uint64_t *state) {
  const size_t bytes = states->width * sizeof *state;
  size_t slot = hash_of(state, states->width) % states->slot_count;
  if (states->n == states->capacity)
    return;
  for (; states->slots[slot]; slot = (slot + 1) % states->slot_count)
    if (!memcmp(states->words + (states->slots[slot] - 1) * states->width, state, bytes))
      return;
  memcpy(states->words + states->n * states->width, state, bytes);
  states->slots[slot] = ++states->n;
}

static size_t states_seen, models_seen, by_seen, determined_seen;

static void check_state(const struct loaded *loaded, const char *name, const struct facts *facts,
                        const uint64_t *state) {
  static int64_t values[1 << 16];
  ck_assert_uint_le(loaded->model->value_count, sizeof values / sizeof *values);
  layout_unpack(loaded->model, loaded->layout, state, values);
  for (uint32_t e = 0; e < loaded->model->value_count; e++)
    ck_assert_msg(facts->ranges[e].lo <= values[e] && values[e] <= facts->ranges[e].hi,
                  "%s: element %" PRIu32 " is %" PRId64 ", not in %" PRId64 "..%" PRId64, name, e, values[e],
                  facts->ranges[e].lo, facts->ranges[e].hi);
  ck_assert_msg(facts_hold(facts, loaded->model, values), "%s: a fact is wrong", name);
}

/* Every state found until there are `most`, and their successors. */
static void explore(const struct loaded *loaded, const char *name, const struct facts *facts, size_t most) {
  struct stepper *stepper;
  struct states states = {.capacity = most, .width = loaded->layout->words, .slot_count = 1};
  while (states.slot_count < 2 * most + 2)
    states.slot_count *= 2;
  states.words = calloc(most + 1, states.width * sizeof *states.words);
  states.slots = calloc(states.slot_count, sizeof *states.slots);
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  uint64_t *successors = calloc((size_t)stepper->max_successors + 1, states.width * sizeof *successors);
  struct step_edge *edges = calloc((size_t)stepper->max_successors + 1, sizeof *edges);
  layout_initial(loaded->model, loaded->layout, successors);
  states_add(&states, successors);
  check_state(loaded, name, facts, successors);
  for (size_t i = 0; i < states.n; i++) {
    size_t n = stepper->expand_one(stepper, states.words + i * states.width, successors, edges);
    for (size_t k = 0; k < n; k++)
      if (edges[k].site == NO_SITE) {
        check_state(loaded, name, facts, successors + k * states.width);
        states_add(&states, successors + k * states.width);
      }
  }
  states_seen += states.n;
  models_seen++;
  by_seen += facts->by_count;
  determined_seen += facts->determined_count;
  free(edges);
  free(successors);
  free(states.words);
  free(states.slots);
  stepper->free(stepper);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

struct sizes {
  double fields, ranges, by, determined; /* bits */
};

static double bits_of(struct facts_range range) { return log2((double)(range.hi - range.lo) + 1); }

static bool is_determined(const struct facts *facts, uint32_t element) {
  for (uint32_t i = 0; i < facts->determined_count; i++)
    if (facts->determined[i].element == element)
      return true;
  return false;
}

/* What a by saves; its elements and selector are not determined ones. */
static double saved(const struct facts *facts, const struct facts_by *by) {
  double plain = bits_of(facts->ranges[by->selector]), sum = 0;
  const struct facts_range values = facts->ranges[by->selector];
  for (uint32_t i = 0; i < by->element_count; i++)
    plain += bits_of(facts->ranges[by->elements[i]]);
  for (int64_t value = values.lo; value <= values.hi; value++) {
    double product = 1;
    for (uint32_t i = 0; i < by->element_count; i++) {
      struct facts_range range = by->ranges[(size_t)(value - values.lo) * by->element_count + i];
      product *= range.lo > range.hi ? 0 : (double)(range.hi - range.lo) + 1;
    }
    sum += product;
  }
  return plain - log2(sum);
}

static struct sizes sizes_of(const struct loaded *loaded, const struct facts *facts) {
  struct sizes sizes = {.fields = loaded->layout->bits};
  double determined = 0;
  for (uint32_t e = 0; e < loaded->model->value_count; e++) {
    sizes.ranges += bits_of(facts->ranges[e]);
    if (is_determined(facts, e))
      determined += bits_of(facts->ranges[e]);
  }
  sizes.by = sizes.ranges;
  for (uint32_t i = 0; i < facts->by_count; i++)
    sizes.by -= saved(facts, &facts->by[i]);
  sizes.determined = sizes.by - determined;
  return sizes;
}

/* The shape that readers rely on. */
static void check_shape(const struct loaded *loaded, const char *name, const struct facts *facts) {
  const struct model *model = loaded->model;
  unsigned char *uses = calloc(model->value_count + 1, 1);
  for (size_t v = 0; v < model->variable_count; v++)
    for (uint32_t i = 0; i < model->variables[v].count; i++) {
      struct facts_range range = facts->ranges[model->variables[v].first + i];
      ck_assert_msg(model->variables[v].lo <= range.lo && range.lo <= range.hi && range.hi <= model->variables[v].hi,
                    "%s: %s has the range %" PRId64 "..%" PRId64, name, model->variables[v].name, range.lo, range.hi);
    }
  for (uint32_t i = 0; i < facts->by_count; i++) {
    const struct facts_by *by = &facts->by[i];
    ck_assert_uint_gt(by->element_count, 0);
    uses[by->selector]++;
    for (uint32_t k = 0; k < by->element_count; k++)
      uses[by->elements[k]]++;
    ck_assert_msg(saved(facts, by) > 0, "%s: a selector does not pay", name);
  }
  for (uint32_t i = 0; i < facts->determined_count; i++) {
    const struct facts_determined *determined = &facts->determined[i];
    uses[determined->element]++;
    for (uint32_t k = 0; k < determined->term_count; k++)
      ck_assert(!is_determined(facts, determined->terms[k].element));
  }
  for (uint32_t e = 0; e < model->value_count; e++)
    ck_assert_msg(uses[e] <= 1, "%s: element %" PRIu32 " is used twice", name, e);
  free(uses);
}

static const struct facts *facts_of(struct loaded *loaded, const char *name) {
  const struct facts *facts;
  ck_assert_int_eq(facts_make(loaded->model, NULL, &loaded->arena, &facts), FLOE_OK);
  check_shape(loaded, name, facts);
  return facts;
}

/* ---- random and shipped models --------------------------------------------------------------- */

static unsigned from_environment(const char *name, unsigned otherwise) {
  const char *value = getenv(name);
  return value ? (unsigned)strtoul(value, NULL, 10) : otherwise;
}

static void check_random(enum random_size size, unsigned count, size_t most) {
  unsigned first = from_environment("FLOE_TEST_FIRST", 0);
  for (unsigned seed = first; seed < first + count; seed++) {
    char *text, name[32];
    size_t length;
    FILE *file = open_memstream(&text, &length);
    random_model(seed, size, file);
    fclose(file);
    snprintf(name, sizeof name, "random %u of size %d", seed, (int)size);
    struct loaded loaded;
    if (loaded_from_text(&loaded, name, text, length, NULL, 0))
      explore(&loaded, name, facts_of(&loaded, name), most);
    loaded_free(&loaded);
    free(text);
  }
}

START_TEST(random_models) {
  const unsigned seeds = from_environment("FLOE_TEST_SEEDS", quickly() ? 60 : 200);
  check_random(RANDOM_SMALL, seeds, 500);
  check_random(RANDOM_WIDE, seeds / 3, 200);
  check_random(RANDOM_LIVELY, seeds, 500);
  ck_assert_uint_gt(by_seen, 0);
}
END_TEST

static char *text_of(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  char *text = malloc(1 << 20);
  *length = fread(text, 1, 1 << 20, file);
  fclose(file);
  ck_assert_uint_lt(*length, 1 << 20);
  return text;
}

/* With the constants of a block of expected results; the number of blocks. */
static size_t check_expected(const char *name, const char *text, size_t length, const struct loaded *first, size_t k,
                             size_t most) {
  const struct expectation *expect = &first->syntax->expects[k];
  struct definition *definitions = calloc(expect->constant_count + 1, sizeof *definitions);
  struct loaded loaded;
  for (size_t i = 0; i < expect->constant_count; i++)
    definitions[i] = (struct definition){expect->constants[i].name, expect->constants[i].value};
  ck_assert_msg(loaded_from_text(&loaded, name, text, length, definitions, expect->constant_count), "%s: %s", name,
                loaded_message(&loaded));
  explore(&loaded, name, facts_of(&loaded, name), most);
  loaded_free(&loaded);
  free(definitions);
  return first->syntax->expect_count;
}

static void print_sizes(const char *name, const char *text, size_t length) {
  struct loaded loaded;
  static const struct definition none;
  ck_assert_msg(loaded_from_text(&loaded, name, text, length, &none, 0), "%s: %s", name, loaded_message(&loaded));
  double start = clock_seconds();
  const struct facts *facts = facts_of(&loaded, name);
  double seconds = clock_seconds() - start;
  struct sizes sizes = sizes_of(&loaded, facts);
  printf("%-20s %7.0f %7.2f %7.2f %7.2f   %.3f s for %zu transitions\n", name, sizes.fields, sizes.ranges, sizes.by,
         sizes.determined, seconds, loaded.model->transition_count);
  loaded_free(&loaded);
}

static void check_file(const char *path, const char *name) {
  size_t length, blocks = 1;
  char *text = text_of(path, &length);
  struct loaded first;
  ck_assert_msg(loaded_from_text(&first, name, text, length, NULL, 0), "%s: %s", path, loaded_message(&first));
  for (size_t k = 0; k < blocks && first.syntax->expect_count; k++)
    blocks = check_expected(name, text, length, &first, k, quickly() ? 200 : 600);
  loaded_free(&first);
  print_sizes(name, text, length);
  free(text);
}

static void check_folder(const char *folder) {
  const char *root = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", root ? root : ".", folder);
  DIR *open = opendir(path);
  ck_assert_ptr_nonnull(open);
  for (struct dirent *entry; (entry = readdir(open));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".xml") != 0)
      continue;
    snprintf(path, sizeof path, "%s/%s/%.200s", root ? root : ".", folder, entry->d_name);
    check_file(path, entry->d_name);
  }
  closedir(open);
}

START_TEST(shipped_models) {
  size_t before = models_seen;
  printf("%-20s %7s %7s %7s %7s\n", "bits", "fields", "ranges", "by", "left");
  check_folder("models");
  check_folder("models/protocols");
  ck_assert_uint_gt(models_seen, before + 20);
}
END_TEST

START_TEST(nothing_is_left) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  const TTest *const tests[] = {random_models, shipped_models, nothing_is_left};
  return run_suite("facts", tests, sizeof tests / sizeof *tests);
}
