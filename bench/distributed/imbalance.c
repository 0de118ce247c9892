/* How evenly state_owner_of (engine/distributed/state_owner.h) assigns states of real searches to the members of a
   group. Explores a model with the CPU engine, which keeps all levels, and expands them again for each size of
   group: states, transitions and lookups of each member and level, sums and greatest.

       imbalance MODEL.xml [NAME=VALUE ...] [--sizes=2,4,8] [--barrier=COST] [--levels] [--all-bits]

   The owner bits are those that a search chooses (engine/distributed/state_owner.h), or all. A member's cost in a
   level is the number of states that it expands and of keys that it looks up after the duplicate filter
   (engine/cpu/duplicate_filter.h), one each. A search that synchronises after each level takes the greatest cost of
   each level, and `barrier` for its end. "Keep": the mean of all members, summed over the levels, divided by that
   sum of greatest costs. Members expand their states in the order of the search, each with one filter, although a
   member of several threads has several. Keys are fields of one word. */
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/cpu/duplicate_filter.h"
#include "engine/distributed/owner_sampling.h"
#include "engine/distributed/state_owner.h"
#include "engine/engine.h"
#include "engine/trace/level_archive.h"
#include "tests/step/loaded.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "imbalance"
#include "bench/tool.h"

#define CHUNK 512
#define MOST_DEFINITIONS 16
#define MOST_SIZES 16
#define MOST_MEMBERS 4096
#define LARGE 100 /* states per member from which on a level is large */

/* One quantity of all members in a level, then in all levels. */
struct load {
  uint64_t *of; /* [size] in this level */
  uint64_t total, greatest;
  double means, maxima; /* sums over levels */
};

enum quantity { STATES, OUT, IN, LOOKUPS, COST, QUANTITIES };

struct deal {
  unsigned size;
  double barrier;
  uint64_t owner_mask;
  struct state_owner state_owner;
  bool tell_levels;
  struct load loads[QUANTITIES];
  uint32_t *pairs;  /* [size * size] keys from one member to another in this level */
  uint32_t *used;   /* [size * size] pairs that are not 0 */
  uint64_t *recent; /* [size * DUPLICATE_FILTER_SLOTS] */
  size_t used_count;
  uint64_t transitions, left, left_filtered, looked; /* left: sent to another member */
  uint64_t pairs_used;                               /* summed over levels */
  double predicted;                                  /* sum over levels of the expected greatest number of states */
  double worst; /* greatest states by mean in a level with LARGE states per member; 0: no such level */
};

/* ---- the search ---------------------------------------------------------------------------------- */

struct explored {
  struct loaded loaded;
  struct stepper *stepper;
  struct archive *archive;
  uint64_t states, transitions;
  uint32_t levels;
};

static void keep_levels(struct explored *explored) {
  static atomic_bool interrupt;
  const floe_options options = {.threads = 1,
                                .table = "iceberg",
                                .memory = UINT64_C(4) << 30,
                                .max_depth = UINT32_MAX,
                                .max_states = UINT64_MAX,
                                .progress_seconds = 1e9,
                                .keep_going = true};
  struct loaded *loaded = &explored->loaded;
  struct engine_outcome outcome;
  uint64_t initial;
  if (key_of_initial(loaded->model, loaded->layout, &initial) != FLOE_OK ||
      archive_create(1, UINT64_C(1) << 30, loaded->log, &explored->archive) != FLOE_OK)
    fail("no archive");
  struct engine_task task = {.model = loaded->model,
                             .layout = loaded->layout,
                             .initial = &initial,
                             .stepper = explored->stepper,
                             .options = &options,
                             .limits.interrupt = &interrupt,
                             .limits.started = clock_seconds(),
                             .archive = explored->archive};
  if (engine_run(&engine_cpu, &task, loaded->log, &outcome) != FLOE_OK || outcome.end != FLOE_END_COMPLETE)
    fail("no exploration");
  explored->states = outcome.states;
  explored->transitions = outcome.transitions;
  explored->levels = outcome.levels;
  engine_outcome_free(&outcome);
}

static void explore(const char *path, const struct loaded_constant *definitions, size_t count,
                    struct explored *explored) {
  const struct compile_options compiler = {.compiler = "cc", .cache_dir = ""};
  struct loaded *loaded = &explored->loaded;
  if (!loaded_from_file(loaded, path, definitions, count))
    fail(loaded_message(loaded));
  if (loaded->layout->words != 1)
    fail("states of several words");
  if (compiled_create(loaded->model, loaded->layout, &compiler, loaded->log, &explored->stepper) != FLOE_OK &&
      interpreter_create(loaded->model, loaded->layout, &explored->stepper) != FLOE_OK)
    fail("no stepper");
  keep_levels(explored);
}

/* ---- what chance gives --------------------------------------------------------------------------- */

/* The expected greatest of `size` independent numbers with Poisson's distribution and this mean: the sum over k of
   P(some number is above k). Numbers with a fixed sum, as here, are slightly more even. */
static double expected_greatest(double mean, unsigned size) {
  /* beyond these the terms are only rounding errors */
  const double first = floor(fmax(0, mean - 12 * sqrt(mean) - 20)), last = mean + 12 * sqrt(mean) + 40;
  double below = 0, sum = first;
  for (double k = first; k < last; k++) {
    below += exp(k * log(mean) - mean - lgamma(k + 1));
    sum += below >= 1 ? 0 : -expm1(size * log(below));
  }
  return sum;
}

/* ---- a level ------------------------------------------------------------------------------------- */

static void count_transition(struct deal *deal, unsigned from, uint64_t key) {
  const unsigned to = state_owner_of(&deal->state_owner, &key);
  const size_t new = duplicate_filter_drop(deal->recent + from * DUPLICATE_FILTER_SLOTS, &key, 1);
  deal->transitions++;
  deal->left += from != to;
  if (!new)
    return;
  deal->loads[LOOKUPS].of[to]++;
  deal->loads[COST].of[to]++;
  if (from == to)
    return;
  deal->left_filtered++;
  deal->loads[OUT].of[from]++;
  deal->loads[IN].of[to]++;
  const size_t pair = (size_t)from * deal->size + to;
  if (!deal->pairs[pair]++)
    deal->used[deal->used_count++] = (uint32_t)pair;
}

static void expand(struct deal *deal, const struct stepper *stepper, struct step_block *block) {
  while (block->next < block->count) {
    size_t state = block->next, successor = 0;
    block->produced = 0;
    stepper->expand_block(stepper, block);
    for (; state < block->next; state++) {
      const unsigned from = state_owner_of(&deal->state_owner, block->states + state);
      deal->loads[STATES].of[from]++;
      deal->loads[COST].of[from]++;
      for (; successor < block->ends[state]; successor++)
        count_transition(deal, from, block->successors[successor]);
    }
  }
}

static double ratio(double a, double b) { return b > 0 ? a / b : 1; }

static void close_level(struct deal *deal, uint32_t level) {
  uint64_t sums[QUANTITIES], most[QUANTITIES];
  uint32_t most_pair = 0;
  for (unsigned q = 0; q < QUANTITIES; q++) {
    struct load *load = &deal->loads[q];
    sums[q] = most[q] = 0;
    for (unsigned i = 0; i < deal->size; i++) {
      sums[q] += load->of[i];
      most[q] = load->of[i] > most[q] ? load->of[i] : most[q];
    }
    load->total += sums[q];
    load->means += (double)sums[q] / deal->size;
    load->maxima += (double)most[q];
    memset(load->of, 0, deal->size * sizeof *load->of);
  }
  for (size_t i = 0; i < deal->used_count; i++) {
    most_pair = deal->pairs[deal->used[i]] > most_pair ? deal->pairs[deal->used[i]] : most_pair;
    deal->pairs[deal->used[i]] = 0;
  }
  const double mean = (double)sums[STATES] / deal->size, pairs = (double)deal->size * (deal->size - 1);
  deal->predicted += deal->size == 1 ? mean : expected_greatest(mean, deal->size);
  if (mean >= LARGE && (double)most[STATES] / mean > deal->worst)
    deal->worst = (double)most[STATES] / mean;
  if (deal->tell_levels)
    printf("%u\t%" PRIu32 "\t%" PRIu64 "\t%.4f\t%" PRIu64 "\t%.4f\t%.4f\t%zu\t%.4f\n", deal->size, level, sums[STATES],
           ratio((double)most[STATES], mean), sums[OUT], ratio((double)most[OUT] * deal->size, (double)sums[OUT]),
           ratio((double)most[IN] * deal->size, (double)sums[IN]), deal->used_count,
           ratio(most_pair * pairs, (double)sums[OUT]));
  deal->pairs_used += deal->used_count;
  deal->used_count = 0;
}

/* ---- a size of group ----------------------------------------------------------------------------- */

static void deal_create(struct deal *deal) {
  const size_t size = deal->size;
  for (unsigned q = 0; q < QUANTITIES; q++)
    deal->loads[q].of = room_for(size, sizeof(uint64_t));
  deal->pairs = room_for(size * size, sizeof *deal->pairs);
  deal->used = room_for(size * size, sizeof *deal->used);
  deal->recent = room_for(size * DUPLICATE_FILTER_SLOTS, sizeof *deal->recent);
  for (size_t i = 0; i < size; i++)
    duplicate_filter_begin(deal->recent + i * DUPLICATE_FILTER_SLOTS);
}

static void deal_free(struct deal *deal) {
  for (unsigned q = 0; q < QUANTITIES; q++)
    free(deal->loads[q].of);
  free(deal->pairs);
  free(deal->used);
  free(deal->recent);
}

static void deal_levels(struct deal *deal, const struct explored *explored) {
  const struct stepper *stepper = explored->stepper;
  const size_t capacity = stepper->max_successors + (size_t)16 * CHUNK;
  uint64_t states[CHUNK];
  uint32_t ends[CHUNK];
  struct step_block block = {.states = states,
                             .ends = ends,
                             .successors = room_for(capacity, sizeof *block.successors),
                             .capacity = capacity,
                             .fired = room_for(explored->loaded.model->transition_count, sizeof *block.fired)};
  for (uint32_t level = 0; level < explored->levels; level++) {
    const uint64_t all = archive_states(explored->archive, level);
    for (uint64_t first = 0; first < all; first += block.count) {
      block.count = all - first < CHUNK ? (size_t)(all - first) : CHUNK;
      block.next = 0;
      if (archive_read(explored->archive, level, first, block.count, states) != FLOE_OK)
        fail("the levels cannot be read");
      expand(deal, stepper, &block);
    }
    close_level(deal, level);
  }
  if (deal->transitions != explored->transitions || deal->loads[STATES].total != explored->states)
    fail("the levels are not those of the search");
  free(block.successors);
  free(block.fired);
}

static double kept(const struct load *load) { return ratio(load->means, load->maxima); }

static void print_head(bool levels) {
  puts(levels ? "members\tlevel\tstates\tmost by mean\tkeys sent\tout, most by mean\tin, most by mean\tpairs\tpair, "
                "most by mean"
              : "members\tstates\ttransitions\tlevels\tstates keep\tby chance\tout keeps\tin keeps\tcost keeps\t"
                "with barrier\tleave\tleave after filter\tlookups a state\tkeys a pair and level\tworst large level");
}

static void print_deal(const struct deal *deal, const struct explored *explored) {
  const struct load *loads = deal->loads, *cost = &loads[COST];
  const double transitions = (double)deal->transitions;
  printf("%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.3f\t%.1f\t",
         deal->size, explored->states, deal->transitions, explored->levels, kept(&loads[STATES]),
         ratio(loads[STATES].means, deal->predicted), kept(&loads[OUT]), kept(&loads[IN]), kept(cost),
         ratio(cost->means, cost->maxima + deal->barrier * explored->levels), ratio((double)deal->left, transitions),
         ratio((double)deal->left_filtered, transitions), ratio((double)loads[LOOKUPS].total, (double)explored->states),
         deal->pairs_used ? (double)deal->left_filtered / (double)deal->pairs_used : 0);
  printf(deal->worst > 0 ? "%.3f\n" : "\n", deal->worst);
}

/* ---- arguments ----------------------------------------------------------------------------------- */

struct request {
  const char *model;
  struct loaded_constant definitions[MOST_DEFINITIONS];
  size_t definition_count;
  unsigned sizes[MOST_SIZES];
  size_t size_count;
  double barrier;
  bool levels, head, all_bits;
};

static uint64_t chosen_bits(const struct explored *explored, unsigned size) {
  const struct loaded *loaded = &explored->loaded;
  uint64_t initial, mask;
  if (key_of_initial(loaded->model, loaded->layout, &initial) != FLOE_OK ||
      owner_mask_choose(loaded->model, loaded->layout, &initial, size, &mask) != FLOE_OK)
    fail("no owners");
  return mask;
}

static void read_sizes(struct request *request, const char *text) {
  request->size_count = 0;
  for (char *end; *text; text = *end == ',' ? end + 1 : end) {
    const unsigned long size = strtoul(text, &end, 10);
    if (end == text || !size || size > MOST_MEMBERS || request->size_count == MOST_SIZES)
      fail("--sizes=1,2,...: up to 16 numbers from 1 to 4096");
    request->sizes[request->size_count++] = (unsigned)size;
  }
}

static void read_argument(struct request *request, char *argument) {
  char *value = strchr(argument, '=');
  if (strcmp(argument, "--levels") == 0)
    request->levels = true;
  else if (strcmp(argument, "--head") == 0)
    request->head = true;
  else if (strcmp(argument, "--all-bits") == 0)
    request->all_bits = true;
  else if (strncmp(argument, "--sizes=", 8) == 0)
    read_sizes(request, argument + 8);
  else if (strncmp(argument, "--barrier=", 10) == 0)
    request->barrier = strtod(argument + 10, NULL);
  else if (!value)
    request->model = argument;
  else if (request->definition_count == MOST_DEFINITIONS)
    fail("too many constants");
  else {
    *value = 0;
    request->definitions[request->definition_count++] = (struct loaded_constant){.name = argument, .value = value + 1};
  }
}

int main(int argc, char **argv) {
  struct request request = {.sizes = {2, 4, 8, 64, 1024}, .size_count = 5};
  struct explored explored = {0};
  for (int i = 1; i < argc; i++)
    read_argument(&request, argv[i]);
  if (request.head)
    print_head(request.levels);
  if (!request.model)
    return request.head ? EXIT_SUCCESS : (fail("MODEL.xml [NAME=VALUE ...]"), EXIT_FAILURE);
  explore(request.model, request.definitions, request.definition_count, &explored);
  for (size_t i = 0; i < request.size_count; i++) {
    struct deal deal = {.size = request.sizes[i], .barrier = request.barrier, .tell_levels = request.levels};
    deal.owner_mask = request.all_bits ? UINT64_MAX : chosen_bits(&explored, deal.size);
    state_owner_make(explored.loaded.layout, &deal.owner_mask, deal.size, &deal.state_owner);
    deal_create(&deal);
    deal_levels(&deal, &explored);
    if (!request.levels)
      print_deal(&deal, &explored);
    deal_free(&deal);
    fflush(stdout);
  }
  archive_free(explored.archive);
  explored.stepper->free(explored.stepper);
  loaded_free(&explored.loaded);
  return EXIT_SUCCESS;
}
