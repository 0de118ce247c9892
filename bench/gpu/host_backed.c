/* Compares policies for the upper level of a host-backed visited set. Explores a model breadth first, records every
   lookup and replays the lookups against policies that have room for a part of all keys. Prints for each policy the
   lookups that the upper level cannot answer, per new state since the upper level was full. 1 is the least possible,
   because only the lower level can decide that a state is new.

       host_backed MODEL.xml [NAME=VALUE ...] */
#include "base/splitmix64.h"
#include "floe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "host_backed"
#include "bench/tool.h"

#define NONE UINT32_MAX

struct replay {
  uint32_t *lookups; /* [n] numbers of states, in the order of their discovery */
  uint32_t *depth;   /* [states] */
  size_t n;
  uint32_t states;
};

/* ---- recording ------------------------------------------------------------------------------- */

static void number_lookups(floe_order *order, const floe_result *result, struct replay *replay) {
  const uint64_t states = floe_result_summary(result)->states, keys = floe_order_information(order)->count;
  uint64_t mask = 1023, *known, level_end = 1, block[4096];
  uint32_t *number, level = 0;
  size_t count;
  while (mask < 2 * states)
    mask = 2 * mask + 1;
  known = room_for(mask + 1, sizeof *known);
  number = room_for(mask + 1, sizeof *number);
  replay->lookups = room_for(keys, sizeof *replay->lookups);
  replay->depth = room_for(states, sizeof *replay->depth);
  while (floe_order_read(order, block, 4096, &count) == FLOE_OK && count)
    for (size_t i = 0; i < count; i++) {
      uint64_t at = splitmix64_mix(block[i]) & mask;
      while (number[at] && known[at] != block[i])
        at = (at + 1) & mask;
      if (!number[at]) {
        if (replay->states == level_end)
          level_end += floe_result_level_states(result, ++level);
        known[at] = block[i];
        replay->depth[replay->states] = level;
        number[at] = ++replay->states;
      }
      replay->lookups[replay->n++] = number[at] - 1;
    }
  if (replay->states != states || replay->n != keys)
    fail("the file of lookups is not that of the run");
  free(known);
  free(number);
}

static void record(floe_model *model, floe_log *log, const char *file, struct replay *replay) {
  floe_options options;
  floe_result *result;
  floe_order *order;
  floe_options_init(&options);
  options.keep_going = true;
  options.threads = 1;
  options.visited_order = file;
  options.order_kind = FLOE_ORDER_LOOKUPS;
  if (floe_explore(model, &options, log, &result) != FLOE_OK || floe_order_open(file, log, &order) != FLOE_OK)
    fail("no exploration");
  if (floe_order_information(order)->key_words != 1 || floe_result_summary(result)->states >= NONE)
    fail("the states are too large, or too many");
  number_lookups(order, result, replay);
  floe_order_close(order);
  floe_result_free(result);
  remove(file);
}

/* ---- policies -------------------------------------------------------------------------------- */

/* One lookup: true if the upper level has the state; else it is put there. `dropped` is set when the first state
   leaves the level. */
struct upper {
  const struct replay *replay;
  uint32_t room, kept, permanent, level;
  bool dropped;
  uint8_t *has;            /* [states] */
  uint32_t *next, *before; /* LRU */
  uint32_t first, last;
  uint32_t *slots, *at, ways; /* set-associative: at: next victim of each bucket */
  uint64_t random, rebuilt;
};

static void drop(struct upper *upper, uint32_t state) {
  upper->has[state] = 0;
  upper->kept--;
  upper->dropped = true;
}

static void keep(struct upper *upper, uint32_t state) {
  upper->has[state] = 1;
  upper->kept++;
}

/* Keeps the current level and the next one. If that is most of the room, keeps only the next one, or none. */
static void drop_levels(struct upper *upper) {
  for (uint32_t least = upper->level; least <= upper->level + 2; least++) {
    for (uint32_t i = 0; i < upper->replay->states; i++)
      if (upper->has[i] && (upper->replay->depth[i] < least || least == upper->level + 2))
        drop(upper, i);
    upper->rebuilt++;
    if (upper->kept <= upper->room / 4 * 3)
      return;
  }
}

static bool by_level(struct upper *upper, uint32_t state) {
  if (upper->has[state])
    return true;
  if (upper->kept == upper->room)
    drop_levels(upper);
  keep(upper, state);
  return false;
}

static void take_out(struct upper *upper, uint32_t state) {
  const uint32_t next = upper->next[state], before = upper->before[state];
  *(before == NONE ? &upper->first : &upper->next[before]) = next;
  *(next == NONE ? &upper->last : &upper->before[next]) = before;
}

static void put_first(struct upper *upper, uint32_t state) {
  upper->next[state] = upper->first;
  upper->before[state] = NONE;
  *(upper->first == NONE ? &upper->last : &upper->before[upper->first]) = state;
  upper->first = state;
}

static bool least_recent(struct upper *upper, uint32_t state) {
  const bool known = upper->has[state];
  if (known)
    take_out(upper, state);
  else if (upper->kept == upper->room) {
    const uint32_t victim = upper->last;
    take_out(upper, victim);
    drop(upper, victim);
  }
  put_first(upper, state);
  if (!known)
    keep(upper, state);
  return known;
}

/* The oldest states leave, whether they were used or not. */
static bool first_in_first_out(struct upper *upper, uint32_t state) {
  return upper->has[state] || least_recent(upper, state);
}

static uint32_t *bucket_of(struct upper *upper, uint32_t state, uint64_t *number) {
  *number = (uint64_t)(uint32_t)splitmix64_mix(state + UINT64_C(0x9e3779b97f4a7c15)) *
                ((upper->room - upper->permanent) / upper->ways) >>
            32;
  return upper->slots + *number * upper->ways;
}

static bool is_permanent(struct upper *upper, uint32_t state) {
  if (upper->has[state] || upper->kept >= upper->permanent)
    return false;
  keep(upper, state);
  return true;
}

static bool in_bucket(struct upper *upper, uint32_t state, bool at_random) {
  uint64_t number;
  if (upper->has[state])
    return true;
  if (is_permanent(upper, state))
    return false;
  uint32_t *bucket = bucket_of(upper, state, &number);
  uint32_t at = upper->at[number]++;
  if (at >= upper->ways) {
    at = at_random ? (uint32_t)(splitmix64_mix(upper->random++) % upper->ways) : at % upper->ways;
    drop(upper, bucket[at]);
  }
  bucket[at] = state;
  keep(upper, state);
  return false;
}

static bool random_victim(struct upper *upper, uint32_t state) { return in_bucket(upper, state, true); }
static bool oldest_victim(struct upper *upper, uint32_t state) { return in_bucket(upper, state, false); }

/* The slots of a bucket in order of use: the last one used first. */
static bool unused_victim(struct upper *upper, uint32_t state) {
  uint64_t number;
  uint32_t *bucket = bucket_of(upper, state, &number), at = 0;
  const bool known = upper->has[state];
  if (known)
    while (bucket[at] != state)
      at++;
  else if (upper->at[number] < upper->ways)
    at = upper->at[number]++;
  else
    drop(upper, bucket[at = upper->ways - 1]);
  memmove(bucket + 1, bucket, at * sizeof *bucket);
  bucket[0] = state;
  if (!known)
    keep(upper, state);
  return known;
}

/* Two tables, a young and an old one, each for half of the room. When the young one is full, the old one is dropped
   and the young one becomes old. has: 1 or 2, alternating; `level`: which one is young; at[0]: states in it. */
static void next_generation(struct upper *upper) {
  upper->level = 3 - upper->level;
  upper->at[0] = 0;
  for (uint32_t i = 0; i < upper->replay->states; i++)
    if (upper->has[i] == upper->level)
      drop(upper, i);
  upper->rebuilt++;
}

static void be_young(struct upper *upper, uint32_t state) {
  if (upper->at[0] == upper->room / 2)
    next_generation(upper);
  upper->kept += !upper->has[state];
  upper->has[state] = (uint8_t)upper->level;
  upper->at[0]++;
}

static bool two_generations(struct upper *upper, uint32_t state) {
  const bool known = upper->has[state];
  if (!known)
    be_young(upper, state);
  return known;
}

/* As two_generations, but an old state becomes young when it is used. (Then it is in both tables, one of which is
   dropped.) */
static bool two_generations_by_use(struct upper *upper, uint32_t state) {
  const bool known = upper->has[state];
  if (upper->has[state] != upper->level)
    be_young(upper, state);
  return known;
}

static const struct policy {
  const char *name;
  bool (*look_up)(struct upper *upper, uint32_t state);
  double permanent;
  uint32_t ways;
} policies[] = {
    {"by level", by_level, 0, 0},
    {"by use (LRU)", least_recent, 0, 0},
    {"by age (FIFO)", first_in_first_out, 0, 0},
    {"32 slots, random", random_victim, 0, 32},
    {"32 slots, FIFO", oldest_victim, 0, 32},
    {"32 slots, LRU", unused_victim, 0, 32},
    {"16 slots, FIFO", oldest_victim, 0, 16},
    {"half oldest, 32 random", random_victim, 0.5, 32},
    {"half oldest, 32 FIFO", oldest_victim, 0.5, 32},
    {"3/4 oldest, 32 FIFO", oldest_victim, 0.75, 32},
    {"two generations", two_generations, 0, 0},
    {"two generations, by use", two_generations_by_use, 0, 0},
};
enum { POLICIES = sizeof policies / sizeof *policies };

/* Lookups of the lower level, per new state since the upper level was full. */
static double asked(const struct replay *replay, const struct policy *policy, unsigned part) {
  const uint32_t ways = policy->ways ? policy->ways : 1;
  const uint32_t room = replay->states / part / ways * ways, states = replay->states;
  struct upper upper = {.replay = replay, .room = room, .ways = ways, .first = NONE, .last = NONE};
  uint64_t asks = 0;
  uint32_t found = 0;
  upper.permanent = (uint32_t)(policy->permanent * room) / ways * ways;
  upper.has = room_for(states, 1);
  upper.next = room_for(states, sizeof *upper.next);
  upper.before = room_for(states, sizeof *upper.before);
  upper.slots = room_for(room, sizeof *upper.slots);
  upper.at = room_for(room, sizeof *upper.at);
  upper.level = policy->look_up == two_generations || policy->look_up == two_generations_by_use;
  for (size_t i = 0; i < replay->n; i++) {
    const uint32_t state = replay->lookups[i];
    if (state == found) { /* a new state */
      found++;
      if (policy->look_up == by_level)
        upper.level = replay->depth[state] ? replay->depth[state] - 1 : 0;
    }
    asks += !policy->look_up(&upper, state) && upper.dropped;
  }
  free(upper.has);
  free(upper.next);
  free(upper.before);
  free(upper.slots);
  free(upper.at);
  return (double)asks / (states - room);
}

static void print_row(const struct replay *replay, const char *model, unsigned part) {
  uint32_t widest = 0, width = 0;
  for (uint32_t i = 1; i < replay->states; i++) {
    width = replay->depth[i] == replay->depth[i - 1] ? width + 1 : 0;
    widest = width > widest ? width : widest;
  }
  printf("%s\t%" PRIu32 "\t%.2f\t%.3f\t1/%u", model, replay->states, (double)replay->n / replay->states,
         (double)widest / replay->states, part);
  for (size_t i = 0; i < POLICIES; i++)
    printf("\t%.2f", asked(replay, &policies[i], part));
  printf("\n");
  fflush(stdout);
}

static void define(floe_model *model, const char *text, floe_log *log) {
  char name[64];
  const char *equals = strchr(text, '=');
  if (!equals || (size_t)(equals - text) >= sizeof name)
    fail("expected NAME=VALUE");
  snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  if (floe_model_define(model, name, equals + 1, log) != FLOE_OK)
    fail("the model has no such constant");
}

int main(int argc, char **argv) {
  static const unsigned parts[] = {4, 8, 16};
  struct replay replay = {0};
  floe_log *log;
  floe_model *model;
  char file[64];
  if (argc == 2 && strcmp(argv[1], "--head") == 0) {
    printf("model\tstates\tlookups a state\twidest level\troom");
    for (size_t i = 0; i < POLICIES; i++)
      printf("\t%s", policies[i].name);
    return puts("") < 0;
  }
  if (argc < 2 || floe_log_create(&log) != FLOE_OK || floe_model_load(argv[1], log, &model) != FLOE_OK)
    fail("no model");
  for (int i = 2; i < argc; i++)
    define(model, argv[i], log);
  snprintf(file, sizeof file, "host_backed.%ld", (long)rand());
  record(model, log, file, &replay);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    print_row(&replay, argv[1], parts[i]);
  floe_model_free(model);
  floe_log_free(log);
  free(replay.lookups);
  free(replay.depth);
  return EXIT_SUCCESS;
}
