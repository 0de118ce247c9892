/* The invariants hold in every reachable state that the interpreter finds, and expected invariants are found. */
#include "loaded.h"
#include "random_model.h"
#include "step/analysis/invariants.h"
#include "step/stepper.h"
#include "tests/suite.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
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

static void check_state(const struct loaded *loaded, const char *name, const struct invariants *invariants,
                        const uint64_t *state) {
  static int64_t values[1 << 16];
  ck_assert_uint_le(loaded->model->value_count, sizeof values / sizeof *values);
  layout_unpack(loaded->model, loaded->layout, state, values);
  for (uint32_t e = 0; e < loaded->model->value_count; e++)
    ck_assert_msg(invariants->ranges[e].lo <= values[e] && values[e] <= invariants->ranges[e].hi,
                  "%s: element %" PRIu32 " is %" PRId64 ", not in %" PRId64 "..%" PRId64, name, e, values[e],
                  invariants->ranges[e].lo, invariants->ranges[e].hi);
  ck_assert_msg(invariants_hold(invariants, loaded->model, values), "%s: a fact is wrong", name);
}

/* Finds states until there are `most`, with their successors. */
static void explore(const struct loaded *loaded, const char *name, const struct invariants *invariants, size_t most) {
  struct stepper *stepper;
  struct states states = {.capacity = most, .width = loaded->layout->words, .slot_count = 1};
  while (states.slot_count < 2 * most + 2)
    states.slot_count *= 2;
  states.words = calloc(most + 1, states.width * sizeof *states.words);
  states.slots = calloc(states.slot_count, sizeof *states.slots);
  if (interpreter_create(loaded->model, loaded->layout, &stepper) != FLOE_OK) {
    free(states.words); /* too many successors */
    free(states.slots);
    return;
  }
  uint64_t *successors = calloc((size_t)stepper->max_successors + 1, states.width * sizeof *successors);
  struct step_edge *edges = calloc((size_t)stepper->max_successors + 1, sizeof *edges);
  layout_initial(loaded->model, loaded->layout, successors);
  states_add(&states, successors);
  check_state(loaded, name, invariants, successors);
  for (size_t i = 0; i < states.n && i * stepper->max_successors < 5000000; i++) {
    size_t n = stepper->expand_one(stepper, states.words + i * states.width, successors, edges);
    for (size_t k = 0; k < n; k++)
      if (edges[k].site == NO_SITE) {
        check_state(loaded, name, invariants, successors + k * states.width);
        states_add(&states, successors + k * states.width);
      }
  }
  states_seen += states.n;
  models_seen++;
  by_seen += invariants->by_selector_count;
  determined_seen += invariants->dependent_count;
  free(edges);
  free(successors);
  free(states.words);
  free(states.slots);
  stepper->free(stepper);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

struct sizes {
  double fields, ranges, by, dependent; /* bits */
};

static double bits_of(struct value_interval range) { return log2((double)(range.hi - range.lo) + 1); }

static bool is_dependent(const struct invariants *invariants, uint32_t element) {
  for (uint32_t i = 0; i < invariants->dependent_count; i++)
    if (invariants->dependent[i].element == element)
      return true;
  return false;
}

/* Bits that a ranges_by_selector saves; its elements and selector are not dependent. */
static double saved(const struct invariants *invariants, const struct ranges_by_selector *by) {
  double plain = bits_of(invariants->ranges[by->selector]), sum = 0;
  const struct value_interval values = invariants->ranges[by->selector];
  for (uint32_t i = 0; i < by->element_count; i++)
    plain += bits_of(invariants->ranges[by->elements[i]]);
  for (int64_t value = values.lo; value <= values.hi; value++) {
    double product = 1;
    for (uint32_t i = 0; i < by->element_count; i++) {
      struct value_interval range = by->ranges[(size_t)(value - values.lo) * by->element_count + i];
      product *= range.lo > range.hi ? 0 : (double)(range.hi - range.lo) + 1;
    }
    sum += product;
  }
  return plain - log2(sum);
}

static struct sizes sizes_of(const struct loaded *loaded, const struct invariants *invariants) {
  struct sizes sizes = {.fields = loaded->layout->bits};
  double dependent = 0;
  for (uint32_t e = 0; e < loaded->model->value_count; e++) {
    sizes.ranges += bits_of(invariants->ranges[e]);
    if (is_dependent(invariants, e))
      dependent += bits_of(invariants->ranges[e]);
  }
  sizes.by = sizes.ranges;
  for (uint32_t i = 0; i < invariants->by_selector_count; i++)
    sizes.by -= saved(invariants, &invariants->by_selector[i]);
  sizes.dependent = sizes.by - dependent;
  return sizes;
}

/* Checks the structural rules of struct invariants. */
static void check_shape(const struct loaded *loaded, const char *name, const struct invariants *invariants) {
  const struct model *model = loaded->model;
  unsigned char *uses = calloc(model->value_count + 1, 1);
  for (size_t v = 0; v < model->variable_count; v++)
    for (uint32_t i = 0; i < model->variables[v].count; i++) {
      struct value_interval range = invariants->ranges[model->variables[v].first + i];
      ck_assert_msg(model->variables[v].lo <= range.lo && range.lo <= range.hi && range.hi <= model->variables[v].hi,
                    "%s: %s has the range %" PRId64 "..%" PRId64, name, model->variables[v].name, range.lo, range.hi);
    }
  for (uint32_t i = 0; i < invariants->by_selector_count; i++) {
    const struct ranges_by_selector *by = &invariants->by_selector[i];
    ck_assert_uint_gt(by->element_count, 0);
    uses[by->selector]++;
    for (uint32_t k = 0; k < by->element_count; k++)
      uses[by->elements[k]]++;
    ck_assert_msg(saved(invariants, by) > 0, "%s: a selector does not pay", name);
  }
  for (uint32_t i = 0; i < invariants->dependent_count; i++) {
    const struct dependent_element *dependent = &invariants->dependent[i];
    uses[dependent->element]++;
    for (uint32_t k = 0; k < dependent->term_count; k++)
      ck_assert(!is_dependent(invariants, dependent->terms[k].element));
  }
  for (uint32_t e = 0; e < model->value_count; e++)
    ck_assert_msg(uses[e] <= 1, "%s: element %" PRIu32 " is used twice", name, e);
  free(uses);
}

static const struct invariants *invariants_of(struct loaded *loaded, const char *name) {
  const struct invariants *invariants;
  ck_assert_int_eq(invariants_make(loaded->model, NULL, &loaded->arena, &invariants), FLOE_OK);
  ck_assert_msg(!invariants->disproved, "%s: a proof is wrong", name);
  check_shape(loaded, name, invariants);
  return invariants;
}

/* ---- random and shipped models --------------------------------------------------------------- */

static void check_random(struct random_model *model) {
  explore(&model->loaded, model->name, invariants_of(&model->loaded, model->name), 400);
}

START_TEST(random_models) {
  const unsigned seeds = random_seeds(at_length() ? 200 : 30);
  each_random_model("plain", seeds, check_random);
  each_random_model("wide", seeds / 3, check_random);
  each_random_model("lively", seeds, check_random);
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

/* With the constants of an `expect` block; returns the number of blocks to check: one, or all with FLOE_TEST_LONG=1. */
static size_t check_expected(const char *name, const char *text, size_t length, const struct loaded *first, size_t k,
                             size_t most) {
  const struct expectation *expect = &first->syntax->expects[k];
  struct loaded_constant *definitions = calloc(expect->constant_count + 1, sizeof *definitions);
  struct loaded loaded;
  for (size_t i = 0; i < expect->constant_count; i++)
    definitions[i] = (struct loaded_constant){.name = expect->constants[i].name, .value = expect->constants[i].value};
  ck_assert_msg(loaded_from_text(&loaded, name, text, length, definitions, expect->constant_count), "%s: %s", name,
                loaded_message(&loaded));
  explore(&loaded, name, invariants_of(&loaded, name), most);
  loaded_free(&loaded);
  free(definitions);
  return at_length() ? first->syntax->expect_count : 1;
}

static void print_sizes(const char *name, const char *text, size_t length) {
  struct loaded loaded;
  static const struct loaded_constant none;
  ck_assert_msg(loaded_from_text(&loaded, name, text, length, &none, 0), "%s: %s", name, loaded_message(&loaded));
  double start = clock_seconds();
  const struct invariants *invariants = invariants_of(&loaded, name);
  double seconds = clock_seconds() - start;
  struct sizes sizes = sizes_of(&loaded, invariants);
  printf("%-20s %7.0f %7.2f %7.2f %7.2f   %.3f s for %zu transitions\n", name, sizes.fields, sizes.ranges, sizes.by,
         sizes.dependent, seconds, loaded.model->transition_count);
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

/* ---- what must be found, and what must not ---------------------------------------------------- */

#define ONE_PROCESS(variables, transitions)                                                                            \
  "<model name='m'>" variables "<process name='P'><location name='l' initial='true'/>" transitions "</process></"      \
  "model>"

/* Remaining bits, as logarithms of products that can be counted by hand. */
static const struct {
  const char *what, *text;
  double ranges, by, left; /* numbers of combinations */
} cases[] = {
    {"a counter that is turned back",
     ONE_PROCESS("<variable name='x' range='0..100'/>", "<transition from='l' effect='x = x == 4 ? 0 : x + 1'/>"), 5, 5,
     5},
    {"guards, far from the declared range",
     ONE_PROCESS(
         "<variable name='x' range='-100000..100000'/>",
         "<transition from='l' guard='x lt 70000' effect='x++'/><transition from='l' guard='x > 7' effect='x = 3'/>"),
     70001, 70001, 70001},
    {"what is out of range has no successor",
     ONE_PROCESS("<variable name='x' range='0..5'/><variable name='y' range='0..9'/>",
                 "<transition from='l' effect='x = x + 2; y = x'/>"),
     36, 36, 6},
    {"divisors of both signs",
     ONE_PROCESS("<variable name='x' range='-2..2'/><variable name='y' range='-9..9'/>",
                 "<transition from='l' select='i in -2..2' effect='x = i'/><transition from='l' effect='y = 3 / x'/>"),
     35, 35, 35},
    {"asserted",
     ONE_PROCESS("<variable name='x' range='0..9'/><variable name='y' range='0..9'/>",
                 "<transition from='l' select='i in 0..9' effect='x = i; assert(x lt 3); y = x'/>"),
     9, 9, 3},
    {"a local by its location",
     "<model name='m'><process name='P'><variable name='x' range='0..7'/><location name='a' initial='true'/>"
     "<location name='b'/><transition from='a' to='b' select='i in 0..7' effect='x = i'/>"
     "<transition from='b' to='a' effect='x = 0'/></process></model>",
     16, 9, 9},
    {"a global that one process writes, by its location",
     "<model name='m'><variable name='x' range='0..7'/><process name='P'><location name='a' initial='true'/>"
     "<location name='b'/><transition from='a' to='b' select='i in 0..7' effect='x = i'/>"
     "<transition from='b' to='a' effect='x = 0'/></process></model>",
     16, 9, 9},
    {"a global that another one writes as well",
     "<model name='m'><variable name='x' range='0..7'/><process name='P'><location name='a' initial='true'/>"
     "<location name='b'/><transition from='a' to='b' select='i in 0..7' effect='x = i'/>"
     "<transition from='b' to='a' effect='x = 0'/></process>"
     "<process name='Q'><location name='l' initial='true'/><transition from='l' select='i in 0..7' effect='x = i'/>"
     "</process></model>",
     16, 16, 16},
    {"a local that another process sends",
     "<model name='m'><channel name='c' message='0..7'/><process name='P'><variable name='x' range='0..7'/>"
     "<location name='a' initial='true'/><location name='b'/>"
     "<transition from='a' to='b' select='i in 0..7' effect='x = i'/><transition from='a' receive='c(x)'/>"
     "<transition from='b' to='a' effect='x = 0'/></process>"
     "<process name='Q'><location name='l' initial='true'/><transition from='l' send='c(5)'/></process></model>",
     16, 14, 14},
    {"places by length",
     "<model name='m'><channel name='c' capacity='2' message='0..3'/><process name='P'><location name='l' "
     "initial='true'/>"
     "<transition from='l' select='i in 0..3' send='c(i)'/></process>"
     "<process name='Q'><location name='l' initial='true'/><transition from='l' receive='c(_)'/></process></model>",
     48, 21, 21},
    {"places of a channel with an index, by length",
     "<model name='m'><channel name='c' size='2' capacity='1' message='0..3'/>"
     "<process name='P'><location name='l' initial='true'/>"
     "<transition from='l' select='k in 0..1, i in 0..3' send='c[k](i)'/></process>"
     "<process name='Q'><location name='l' initial='true'/>"
     "<transition from='l' select='k in 0..1' receive='c[k](_)'/></process></model>",
     64, 25, 25},
    {"copies and complements",
     ONE_PROCESS(
         "<variable name='a' range='0..7'/><variable name='b' range='0..7'/><variable name='c' range='0..7' init='7'/>",
         "<transition from='l' select='i in 0..7' effect='a = i; b = i; c = 7 - i'/>"),
     512, 512, 8},
    {"a sum of large numbers",
     ONE_PROCESS("<variable name='x' range='0..1000'/><variable name='y' range='0..1000' init='1000'/>",
                 "<transition from='l' guard='x lt 1000' effect='x++; y--'/>"
                 "<transition from='l' guard='y lt 999' effect='x -= 2; y += 2'/>"),
     1001.0 * 1001, 1001.0 * 1001, 1001},
    {"a sum that one transition far away breaks",
     ONE_PROCESS("<variable name='x' range='0..1000'/><variable name='y' range='0..1000' init='1000'/>",
                 "<transition from='l' guard='x lt 1000 and y > 0' effect='x++; y--'/>"
                 "<transition from='l' guard='x == 900 and y lt 1000' effect='y++'/>"),
     1001.0 * 1001, 1001.0 * 1001, 1001.0 * 1001},
    {"a semaphore",
     "<model name='m'><variable name='free' range='0..2' init='2'/><process name='P' instances='3'>"
     "<location name='out' initial='true'/><location name='inside'/>"
     "<transition from='out' to='inside' guard='free > 0' effect='free--'/>"
     "<transition from='inside' to='out' effect='free++'/></process></model>",
     24, 24, 8},
    {"a lock that is set, not counted: proved by itself",
     "<model name='m'><variable name='free' type='bool' init='true'/><process name='P' instances='3'>"
     "<location name='out' initial='true'/><location name='inside'/><location name='still'/>"
     "<transition from='out' to='inside' guard='free' effect='free = false'/><transition from='inside' to='still'/>"
     "<transition from='still' to='out' effect='free = true'/></process></model>",
     54, 54, 27},
    {"a lock that may be opened twice",
     "<model name='m'><variable name='free' type='bool' init='true'/><process name='P' instances='3'>"
     "<location name='out' initial='true'/><location name='inside'/><location name='still'/>"
     "<transition from='out' to='inside' guard='free' effect='free = false'/><transition from='inside' to='still'/>"
     "<transition from='inside' guard='free == false' effect='free = true'/>"
     "<transition from='still' to='out' effect='free = true'/></process></model>",
     54, 54, 54},
    {"messages in transit follow from the waiting processes",
     "<model name='m'><channel name='c' capacity='2'/><process name='P' instances='2'>"
     "<location name='l' initial='true'/><location name='waits'/><transition from='l' to='waits' send='c'/>"
     "<transition from='waits' to='l' receive='c'/></process></model>",
     12, 12, 4},
    {"a broadcast that some receivers miss",
     "<model name='m'><variable name='told' type='bool'/><channel name='c' broadcast='true'/>"
     "<process name='P'><location name='l' initial='true'/><location name='sent'/>"
     "<transition from='l' to='sent' send='c'/></process>"
     "<process name='Q'><location name='deaf' initial='true'/><location name='hears'/><transition from='deaf' "
     "to='hears'/>"
     "<transition from='hears' receive='c' effect='told = true'/></process></model>",
     8, 6, 6},
    {"what is committed",
     "<model name='m'><variable name='x' range='0..3'/><variable name='y' range='0..3'/><process name='P' "
     "instances='2'>"
     "<location name='a' initial='true'/><location name='b' committed='true'/>"
     "<transition from='a' to='b' effect='x = (x + 1) % 4'/><transition from='b' to='a' effect='y = x'/>"
     "</process></model>",
     64, 64, 64},
};

START_TEST(by_hand) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct loaded loaded;
    static const struct loaded_constant none;
    ck_assert_msg(loaded_from_text(&loaded, cases[i].what, cases[i].text, strlen(cases[i].text), &none, 0), "%s: %s",
                  cases[i].what, loaded_message(&loaded));
    const struct invariants *invariants = invariants_of(&loaded, cases[i].what);
    const struct sizes sizes = sizes_of(&loaded, invariants);
    explore(&loaded, cases[i].what, invariants, 2000);
    if (getenv("FLOE_TEST_VERBOSE"))
      printf("%s: %g %g %g\n", cases[i].what, exp2(sizes.ranges), exp2(sizes.by), exp2(sizes.dependent));
    else {
      ck_assert_msg(fabs(sizes.ranges - log2(cases[i].ranges)) < 1e-6, "%s: ranges have %g", cases[i].what,
                    exp2(sizes.ranges));
      ck_assert_msg(fabs(sizes.by - log2(cases[i].by)) < 1e-6, "%s: by have %g", cases[i].what, exp2(sizes.by));
      ck_assert_msg(fabs(sizes.dependent - log2(cases[i].left)) < 1e-6, "%s: %g are left", cases[i].what,
                    exp2(sizes.dependent));
    }
    loaded_free(&loaded);
  }
}
END_TEST

/* Arrays with more elements than are tracked for an unknown index, read with a known range of the index. */
#define SPAN(top, reads)                                                                                               \
  "<model name='span'><variable name='a' range='0..1' size='300'/><variable name='i' range='0..299'/>"                 \
  "<variable name='n' range='0.." top "'/>"                                                                            \
  "<variable name='b0' range='0..1'/><variable name='b1' range='0..1'/><variable name='b2' range='0..1'/>"             \
  "<variable name='b3' range='0..1'/><variable name='b4' range='0..1'/><variable name='b5' range='0..1'/>"             \
  "<process name='R'><location name='l' initial='true'/>"                                                              \
  "<transition from='l' effect='b5 = b4'/><transition from='l' effect='b4 = b3'/>"                                     \
  "<transition from='l' effect='b3 = b2'/><transition from='l' effect='b2 = b1'/>"                                     \
  "<transition from='l' effect='b1 = b0'/><transition from='l' " reads "/></process>"                                  \
  "<process name='W'><location name='l' initial='true'/>"                                                              \
  "<transition from='l' guard='n &lt; " top "' effect='n++; i = i'/>"                                                  \
  "<transition from='l' guard='n == " top "' effect='a[0] = 1; n = 0'/></process>"                                     \
  "<property id='p' kind='never'>b5 == 1</property><deadlock check='false'/></model>"

static const char *const large_arrays[] = {SPAN("300", "effect='b0 = a[i]'"),
                                           SPAN("300", "guard='a[i] == 1' effect='b0 = 1'"),
                                           SPAN("3", "effect='b0 = a[i]'")};

START_TEST(elements_far_apart) {
  for (size_t i = 0; i < sizeof large_arrays / sizeof *large_arrays; i++) {
    struct loaded loaded;
    static const struct loaded_constant none;
    ck_assert_msg(loaded_from_text(&loaded, "span", large_arrays[i], strlen(large_arrays[i]), &none, 0), "%s",
                  loaded_message(&loaded));
    explore(&loaded, "span", invariants_of(&loaded, "span"), 2500);
    loaded_free(&loaded);
  }
}
END_TEST

/* A variable that is never assigned keeps its value, whatever its range. */
START_TEST(forgotten) {
  static const char text[] = "<model name='forgotten'><variable name='table' range='0..6' size='3' init='3, 5, 2'/>"
                             "<variable name='g' range='0..3'/><process name='P'><location name='l' initial='true'/>"
                             "<transition from='l' effect='g = table[g % 3] % 4'/></process></model>";
  const atomic_bool now = true;
  const struct stop stop = {.interrupt = &now};
  const struct invariants *declared, *made;
  struct loaded loaded;
  static const struct loaded_constant none;
  ck_assert_msg(loaded_from_text(&loaded, "forgotten", text, strlen(text), &none, 0), "%s", loaded_message(&loaded));
  ck_assert_int_eq(invariants_make(loaded.model, &stop, &loaded.arena, &made), FLOE_OK);
  ck_assert_int_eq(invariants_declared(loaded.model, &loaded.arena, &declared), FLOE_OK);
  for (uint32_t e = 0; e < loaded.model->value_count; e++) {
    ck_assert_int_eq(made->ranges[e].lo, declared->ranges[e].lo);
    ck_assert_int_eq(made->ranges[e].hi, declared->ranges[e].hi);
  }
  for (uint32_t e = 0; e < 3; e++)
    ck_assert_int_eq(made->ranges[e].lo, made->ranges[e].hi);
  loaded_free(&loaded);
}
END_TEST

START_TEST(stopped) {
  struct loaded loaded;
  static const struct loaded_constant none;
  const atomic_bool now = true;
  const struct stop stop = {.interrupt = &now};
  const struct invariants *invariants;
  ck_assert(loaded_from_text(&loaded, "stopped", cases[0].text, strlen(cases[0].text), &none, 0));
  ck_assert_int_eq(invariants_make(loaded.model, &stop, &loaded.arena, &invariants), FLOE_OK);
  check_shape(&loaded, "stopped", invariants);
  ck_assert_double_eq(sizes_of(&loaded, invariants).dependent, log2(101));
  loaded_free(&loaded);
}
END_TEST

START_TEST(without_memory) {
  struct loaded loaded;
  static const struct loaded_constant none;
  const struct invariants *invariants;
  unsigned failures = 0;
  ck_assert(loaded_from_text(&loaded, "memory", cases[1].text, strlen(cases[1].text), &none, 0));
  for (unsigned after = 1; after < 100; after++) {
    mem_fail_after(after);
    floe_status status = invariants_make(loaded.model, NULL, &loaded.arena, &invariants);
    mem_fail_after(0);
    if (status == FLOE_OK)
      break;
    ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
    failures++;
  }
  ck_assert_uint_gt(failures, 0);
  ck_assert_int_eq(invariants_make(loaded.model, NULL, &loaded.arena, &invariants), FLOE_OK);
  explore(&loaded, "memory", invariants, 100);
  loaded_free(&loaded);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  TCase *tests = tcase_create("facts");
  add_tests(tests, by_hand, elements_far_apart, forgotten, stopped, without_memory);
  if (random_models_possible())
    tcase_add_test(tests, random_models);
  add_tests(tests, shipped_models, nothing_leaks);
  return run_suite("facts", CK_NOFORK, tests);
}
