#include "working_set_suite.h"

#include "base/splitmix64.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- programs ------------------------------------------------------------------------------------ */

struct program {
  const char *name;
  uint64_t slots, recent;
  size_t batch, most;     /* operations of a call are 1 .. most */
  unsigned keys;          /* different ones */
  unsigned puts, deletes; /* of 100 operations; the rest are finds and gets */
  unsigned hot;           /* of 100 operations are of a tenth of the keys */
};

static const struct program programs[] = {
    {"a bit of everything", 600, 64, 50, 170, 400, 30, 10, 50},
    {"one at a time", 60, 7, 1, 9, 40, 40, 20, 0},
    {"a first level smaller than a batch", 500, 5, 64, 128, 300, 50, 10, 30},
    {"a first level of one", 100, 1, 16, 60, 80, 50, 20, 20},
    {"a first level with everything", 500, 499, 100, 300, 450, 50, 20, 30},
    {"few keys, often", 90, 20, 200, 600, 9, 40, 30, 0},
    {"both levels full", 120, 30, 40, 100, 400, 70, 5, 20},
    {"full, and a second level of one", 21, 20, 30, 90, 100, 60, 20, 0},
    {"finds only miss", 300, 40, 64, 200, 3000, 10, 0, 0},
    {"come and go", 400, 50, 128, 128, 500, 45, 45, 40},
    {"one large batch", 3000, 200, 2000, 2000, 2500, 50, 10, 30},
};
enum { PROGRAMS = sizeof programs / sizeof *programs, MOST_KEYS = 3000, MOST = 2000 };

/* Includes key 0 and the largest one. */
static uint64_t key_of(unsigned id) { return id < 2 ? -(uint64_t)id : id * UINT64_C(0x9e3779b97f4a7c15); }

/* ---- the model ----------------------------------------------------------------------------------- */

static struct {
  bool present, first;  /* first: in the first level */
  uint64_t value, used; /* used: time of the last use */
} pairs[MOST_KEYS];
static uint64_t now;

static struct call {
  uint8_t operations[MOST], answers[MOST];
  uint64_t keys[MOST], values[MOST];
  unsigned ids[MOST];
  size_t n, full;
} given, wanted;

static void model_one(struct call *call, size_t i) {
  const unsigned id = call->ids[i], operation = call->operations[i];
  const bool puts = operation == FLOE_HASH_PUT || operation == FLOE_HASH_ADD;
  call->answers[i] = pairs[id].present ? FLOE_HASH_FOUND : puts ? FLOE_HASH_NEW : FLOE_HASH_NONE;
  if (operation == FLOE_HASH_DELETE) {
    pairs[id].present = pairs[id].first = false;
    return;
  }
  if (puts)
    pairs[id].value = call->values[i];
  else if (pairs[id].present && operation == FLOE_HASH_GET)
    call->values[i] = pairs[id].value;
  if (!pairs[id].present && !puts)
    return;
  pairs[id].present = pairs[id].first = true;
  pairs[id].used = ++now;
}

/* The least or most recently used pair of a level; -1: none. */
static int edge_of(const struct program *p, bool first, bool newest, uint64_t than) {
  int found = -1;
  for (unsigned id = 0; id < p->keys; id++)
    if (pairs[id].present && pairs[id].first == first && (!newest || pairs[id].used < than) &&
        (found < 0 || (pairs[id].used > pairs[found].used) == newest))
      found = (int)id;
  return found;
}

static uint64_t count_of(const struct program *p, bool first) {
  uint64_t n = 0;
  for (unsigned id = 0; id < p->keys; id++)
    n += pairs[id].present && pairs[id].first == first;
  return n;
}

/* Surplus pairs of the first level move down, the oldest first; of these the oldest have no place. */
static void model_end(const struct program *p, struct call *call, size_t begin, size_t end) {
  const uint64_t first = count_of(p, true), second = count_of(p, false);
  const uint64_t down = first > p->recent ? first - p->recent : 0, rest = p->slots - p->recent;
  const uint64_t surplus = down + second > rest ? down + second - rest : 0;
  size_t at = end;
  for (uint64_t i = 0; i < surplus; i++)
    while (call->answers[--at] != FLOE_HASH_NEW)
      ;
  for (uint64_t i = 0; i < down; i++) {
    const int id = edge_of(p, true, false, 0);
    pairs[id].first = false;
    if (i >= surplus)
      continue;
    pairs[id].present = false;
    while (call->answers[at] != FLOE_HASH_NEW)
      at++;
    call->answers[at] = FLOE_HASH_NONE;
    call->keys[at] = key_of((unsigned)id);
    call->values[at] = pairs[id].value;
    call->full++;
  }
  (void)begin;
}

static void model_run(const struct program *p, struct call *call) {
  call->full = 0;
  for (size_t at = 0; at < call->n; at += p->batch) {
    const size_t end = at + p->batch < call->n ? at + p->batch : call->n;
    for (size_t i = at; i < end; i++)
      model_one(call, i);
    model_end(p, call, at, end);
  }
}

/* ---- comparing ----------------------------------------------------------------------------------- */

static bool failed;
#define WRONG(...) (failed = true, printf(__VA_ARGS__), printf("\n"))

struct visited {
  const struct program *program;
  uint64_t n, first;
  uint64_t than; /* time of use of the pair before */
  bool seen[MOST_KEYS];
};

static int id_of(const struct program *p, uint64_t key) {
  for (unsigned id = 0; id < p->keys; id++)
    if (key_of(id) == key)
      return (int)id;
  return -1;
}

static void visit(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  struct visited *visited = user;
  for (size_t i = 0; i < n && !failed; i++, visited->n++) {
    const int id = id_of(visited->program, keys[i]);
    if (id < 0 || !pairs[id].present || visited->seen[id])
      WRONG("  a key that is not to be there: %d", id);
    else if (pairs[id].value != values[i])
      WRONG("  the value of %d", id);
    else if (pairs[id].first != (visited->n < visited->first))
      WRONG("  %d is in the wrong level", id);
    else if (pairs[id].first && pairs[id].used >= visited->than)
      WRONG("  %d comes after one that was used before it", id);
    else
      visited->seen[id] = true, visited->than = pairs[id].used;
  }
}

static void compare_content(const struct program *p, floe_hash_table *table) {
  static struct visited visited;
  floe_hash_stats stats;
  uint64_t wrong = 77, count = 0;
  visited = (struct visited){.program = p, .first = count_of(p, true), .than = UINT64_MAX};
  if (floe_hash_statistics(table, &stats) != FLOE_OK || floe_hash_check(table, &wrong) != FLOE_OK ||
      floe_hash_count(table, &count) != FLOE_OK || floe_hash_each(table, 0, 1, visit, &visited) != FLOE_OK)
    WRONG("  an error in looking at it");
  else if (wrong)
    WRONG("  %" PRIu64 " are where they must not be", wrong);
  else if (stats.level_used[0] != visited.first || stats.level_used[1] != count_of(p, false))
    WRONG("  %" PRIu64 " and %" PRIu64 " in the levels, not %" PRIu64 " and %" PRIu64, stats.level_used[0],
          stats.level_used[1], visited.first, count_of(p, false));
  else if (visited.n != stats.used || count != stats.used)
    WRONG("  %" PRIu64 " visited of %" PRIu64, visited.n, stats.used);
}

static void compare_answers(void) {
  if (given.full != wanted.full)
    WRONG("  %zu full, not %zu", given.full, wanted.full);
  for (size_t i = 0; i < given.n && !failed; i++)
    if (given.answers[i] != wanted.answers[i] || given.keys[i] != wanted.keys[i] || given.values[i] != wanted.values[i])
      WRONG("  operation %zu of %zu, %s of %u: answer %u, not %u; value %" PRIu64 ", not %" PRIu64 "; key %s", i,
            given.n, floe_hash_operation_name((floe_hash_operation)given.operations[i]), given.ids[i], given.answers[i],
            wanted.answers[i], given.values[i], wanted.values[i], given.keys[i] == wanted.keys[i] ? "same" : "other");
}

/* ---- running ------------------------------------------------------------------------------------- */

static unsigned draw_operation(const struct program *p, uint64_t *random) {
  const unsigned of100 = splitmix64_next(random) % 100;
  if (of100 < p->puts)
    return splitmix64_next(random) % 4 ? FLOE_HASH_PUT : FLOE_HASH_ADD;
  if (of100 < p->puts + p->deletes)
    return FLOE_HASH_DELETE;
  return splitmix64_next(random) % 3 ? FLOE_HASH_GET : FLOE_HASH_FIND;
}

static void draw_call(const struct program *p, uint64_t *random) {
  const bool same = splitmix64_next(random) % 8 == 0; /* one operation for all */
  const unsigned operation = draw_operation(p, random), tenth = (p->keys + 9) / 10;
  given.n = 1 + splitmix64_next(random) % p->most;
  for (size_t i = 0; i < given.n; i++) {
    given.operations[i] = (uint8_t)(same ? operation : draw_operation(p, random));
    given.ids[i] = (unsigned)(splitmix64_next(random) % (splitmix64_next(random) % 100 < p->hot ? tenth : p->keys));
    given.keys[i] = key_of(given.ids[i]);
    given.values[i] = splitmix64_next(random) % 5 ? splitmix64_next(random) : -(splitmix64_next(random) % 2);
    given.answers[i] = 0xee;
  }
}

static bool all_same(void) {
  for (size_t i = 1; i < given.n; i++)
    if (given.operations[i] != given.operations[0])
      return false;
  return true;
}

static void run_call(const struct program *p, floe_hash_table *table, uint64_t *random) {
  draw_call(p, random);
  wanted = given;
  model_run(p, &wanted);
  given.full = 999;
  floe_status status;
  const bool same = all_same() && splitmix64_next(random) % 2;
  if (same)
    status = floe_hash_run(table, (floe_hash_operation)given.operations[0], given.keys, given.values, given.n,
                           given.answers, &given.full);
  else
    status =
        floe_hash_run_mixed(table, given.operations, given.keys, given.values, given.n, given.answers, &given.full);
  if (status != FLOE_OK)
    WRONG("  %s", floe_status_name(status));
  if (same && !(given.operations[0] == FLOE_HASH_PUT || given.operations[0] == FLOE_HASH_ADD))
    given.full = wanted.full; /* floe_hash_run also counts absent keys */
  compare_answers();
}

static floe_hash_options options_for(const struct working_set_settings *settings, const struct program *p,
                                     const char *variant, uint64_t seed) {
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.scheme = "working-set";
  options.value_bits = 64;
  options.slots = p->slots;
  options.recent_slots = p->recent;
  options.batch = p->batch;
  options.variant = variant;
  options.seed = seed;
  options.threads = 1 + (unsigned)(seed % 3);
  options.engine = settings->engine;
  options.cache_dir = settings->cache_dir;
  return options;
}

/* Sometimes all pairs move to a table of other sizes, or the table is cleared. */
static void change(struct program *p, floe_hash_table *table, uint64_t *random) {
  const uint64_t what = splitmix64_next(random) % 40;
  if (what == 0) {
    if (floe_hash_clear(table, splitmix64_next(random)) != FLOE_OK)
      WRONG("  clear");
    memset(pairs, 0, sizeof pairs);
  } else if (what == 1) {
    const uint64_t slots = p->recent + 1 + splitmix64_next(random) % (p->slots + p->slots / 4);
    const bool fits = count_of(p, false) <= slots - p->recent;
    const floe_status status = floe_hash_resize(table, slots);
    if (status != (fits ? FLOE_OK : FLOE_ERROR_USAGE))
      WRONG("  resize to %" PRIu64 ": %s", slots, floe_status_name(status));
    p->slots = fits ? slots : p->slots;
  }
}

static bool run_program(const struct working_set_settings *settings, const struct program *which, const char *variant,
                        uint64_t seed) {
  struct program p = *which;
  uint64_t random = seed * 1000003;
  const floe_hash_options options = options_for(settings, &p, variant, seed);
  floe_hash_table *table;
  failed = false;
  memset(pairs, 0, sizeof pairs);
  if (floe_hash_create(&options, settings->log, &table) != FLOE_OK) {
    WRONG("  no table: %s", floe_log_count(settings->log) ? floe_log_at(settings->log, 0)->message : "");
    return false;
  }
  for (unsigned i = 0; i < settings->calls && !failed; i++) {
    run_call(&p, table, &random);
    if (!failed && splitmix64_next(&random) % 4)
      compare_content(&p, table);
    if (!failed)
      change(&p, table, &random);
    if (failed)
      printf("  in call %u\n", i);
  }
  if (!failed)
    compare_content(&p, table);
  floe_hash_free(table);
  return !failed;
}

static bool tell(const struct working_set_settings *settings, bool good, const char *variant, const char *name,
                 unsigned seed) {
  if (!good || settings->tells)
    printf("%s, %s, seed %u: %s\n", variant, name, seed, good ? "ok" : "FAILED");
  return good;
}

int working_set_run(const struct working_set_settings *settings, const char *variant) {
  int failures = 0;
  for (unsigned i = 0; i < PROGRAMS; i++)
    for (unsigned seed = 1; seed <= settings->seeds; seed++)
      failures += !tell(settings, run_program(settings, &programs[i], variant, seed), variant, programs[i].name, seed);
  return failures;
}

/* ---- large ones, beside the CPU ------------------------------------------------------------------ */

struct side {
  floe_hash_table *table;
  uint64_t *keys, *values;
  uint8_t *answers;
  size_t full;
  uint64_t order; /* hash of the order of the first level, and of the content of the second */
  uint64_t left;  /* pairs of the first level that were not visited yet */
};

static uint64_t mix(uint64_t x) {
  uint64_t state = x;
  return splitmix64_next(&state);
}

static void digest(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  struct side *side = user;
  for (size_t i = 0; i < n; i++) {
    const uint64_t pair = mix(mix(keys[i]) + values[i]);
    side->order = side->left ? mix(side->order + pair) : side->order + pair;
    side->left -= side->left > 0;
  }
}

static bool look(struct side *side) {
  floe_hash_stats stats;
  uint64_t wrong = 1;
  side->order = 0;
  if (floe_hash_statistics(side->table, &stats) != FLOE_OK)
    return false;
  side->left = stats.level_used[0];
  return floe_hash_each(side->table, 0, 1, digest, side) == FLOE_OK &&
         floe_hash_check(side->table, &wrong) == FLOE_OK && !wrong && !side->left;
}

static bool make_side(struct side *side, const floe_hash_options *options, size_t n, floe_log *log) {
  side->keys = malloc(n * sizeof *side->keys);
  side->values = malloc(n * sizeof *side->values);
  side->answers = malloc(n);
  return side->keys && side->values && side->answers && floe_hash_create(options, log, &side->table) == FLOE_OK;
}

static void free_side(struct side *side) {
  floe_hash_free(side->table);
  free(side->keys);
  free(side->values);
  free(side->answers);
}

/* Two thirds of the operations use a twentieth of the keys, one in twenty a single key. */
static void draw_large(struct side *side, uint8_t *operations, size_t slots, size_t n, uint64_t *random) {
  static const uint8_t kinds[] = {FLOE_HASH_PUT, FLOE_HASH_PUT,  FLOE_HASH_GET,   FLOE_HASH_GET,
                                  FLOE_HASH_GET, FLOE_HASH_FIND, FLOE_HASH_DELETE};
  for (size_t i = 0; i < n; i++) {
    const uint64_t of60 = splitmix64_next(random) % 60, keys = slots + slots / 4;
    operations[i] = kinds[splitmix64_next(random) % sizeof kinds];
    side->keys[i] = mix(of60 < 3 ? 0 : splitmix64_next(random) % (of60 < 40 ? keys / 20 + 1 : keys));
    side->values[i] = splitmix64_next(random);
  }
}

static bool same(const struct side *a, const struct side *b, size_t n) {
  return a->full == b->full && a->order == b->order && memcmp(a->answers, b->answers, n) == 0 &&
         memcmp(a->keys, b->keys, n * sizeof *a->keys) == 0 && memcmp(a->values, b->values, n * sizeof *a->values) == 0;
}

static bool run_side(struct side *side, const uint8_t *operations, size_t n) {
  side->full = 0;
  return floe_hash_run_mixed(side->table, operations, side->keys, side->values, n, side->answers, &side->full) ==
             FLOE_OK &&
         look(side);
}

static bool compare_sides(struct side sides[2], uint8_t *operations, size_t slots, size_t n, unsigned calls) {
  uint64_t random = slots;
  for (unsigned call = 0; call < calls; call++) {
    draw_large(&sides[0], operations, slots, n, &random);
    memcpy(sides[1].keys, sides[0].keys, n * sizeof *sides->keys);
    memcpy(sides[1].values, sides[0].values, n * sizeof *sides->values);
    if (!run_side(&sides[0], operations, n) || !run_side(&sides[1], operations, n) || !same(&sides[0], &sides[1], n)) {
      printf("  the two differ in call %u\n", call);
      return false;
    }
  }
  return true;
}

int working_set_compare(const struct working_set_settings *settings, const char *variant, size_t slots, size_t n) {
  const struct program sizes = {.slots = slots, .recent = slots / 8, .batch = n / 3};
  struct side sides[2] = {{0}, {0}};
  uint8_t *operations = malloc(n);
  floe_hash_options options = options_for(settings, &sizes, variant, 7);
  bool good = make_side(&sides[0], &options, n, settings->log);
  options.engine = FLOE_ENGINE_CPU;
  options.variant = NULL;
  good = make_side(&sides[1], &options, n, settings->log) && good;
  good = good && operations && compare_sides(sides, operations, slots, n, settings->calls);
  free_side(&sides[0]);
  free_side(&sides[1]);
  free(operations);
  return !tell(settings, good, variant, "beside the CPU's", (unsigned)n);
}
