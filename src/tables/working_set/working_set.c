/* The two levels at work together, and what is on its way from the first to the second. */
#include "tables/working_set/working_set.h"

#include "core/clock.h"
#include "core/mem.h"
#include "core/thread_pool.h"

#include <assert.h>
#include <string.h>

struct workset {
  struct workset_config config;
  struct thread_pool *pool;
  struct front *front;
  struct back *back;
  struct workset_old coming; /* pairs that have left the first level, and are not yet in the second */
  struct workset_traffic traffic;
};

/* ---- owning -------------------------------------------------------------------------------------- */

static const struct front_kind *front_of(const struct workset *set) { return set->config.front; }
static const struct back_kind *back_of(const struct workset *set) { return set->config.variant->back; }

static struct front_config front_config_of(const struct workset_config *config) {
  return (struct front_config){
      .capacity = config->recent, .batch = config->batch, .seed = config->seed, .timed = config->timed};
}

static floe_status fill_in(struct workset *set) {
  const struct workset_config *config = &set->config;
  struct front_config front = front_config_of(config);
  FLOE_TRY(pool_create(config->variant->serial ? 1 : config->threads, &set->pool));
  const struct back_config back = {
      .capacity = config->rest, .batch = config->batch, .seed = config->seed, .pool = set->pool};
  front.pool = set->pool;
  FLOE_TRY(config->front->create(config->machine, &front, &set->front));
  return config->variant->back->create(&back, &set->back);
}

floe_status workset_create(const struct workset_config *config, struct workset **out) {
  assert(config->recent && config->rest && config->batch && config->threads);
  struct workset *set = mem_alloc(sizeof *set);
  if (!set)
    return FLOE_ERROR_MEMORY;
  set->config = *config;
  floe_status status = fill_in(set);
  if (status == FLOE_OK)
    *out = set;
  else
    workset_free(set);
  return status;
}

void workset_free(struct workset *set) {
  if (!set)
    return;
  front_of(set)->free(set->front);
  back_of(set)->free(set->back);
  pool_free(set->pool);
  mem_free(set);
}

uint64_t workset_bytes(const struct workset_config *config) {
  const struct front_config front = front_config_of(config);
  return config->front->bytes(&front) + config->variant->back->bytes(config->rest);
}

/* ---- a batch ------------------------------------------------------------------------------------- */

static void add_time(double *seconds, double since) { *seconds += clock_seconds() - since; }

static void bring_down(struct workset *set, bool beside) {
  const double begun = clock_seconds();
  if (!set->coming.n)
    return;
  back_of(set)->put(set->back, set->coming.pairs, set->coming.n);
  set->coming.n = 0;
  add_time(&set->traffic.second, begun);
  if (beside)
    add_time(&set->traffic.beside, begun);
}

/* What the first level does not have, the second one may; it is the first one's then. */
static floe_status bring_up(struct workset *set) {
  struct workset_missing missing;
  const double begun = clock_seconds();
  FLOE_TRY(front_of(set)->missing(set->front, &missing));
  add_time(&set->traffic.waited, begun);
  const double asked = clock_seconds();
  const uint64_t before = back_of(set)->count(set->back);
  back_of(set)->take(set->back, missing.keys, missing.n, missing.found, missing.values);
  add_time(&set->traffic.second, asked);
  set->traffic.asked += missing.n;
  set->traffic.moved_up += before - back_of(set)->count(set->back);
  return FLOE_OK;
}

static floe_status timed(struct workset *set, floe_status (*step)(struct front *front)) {
  const double begun = clock_seconds();
  FLOE_TRY(step(set->front));
  add_time(&set->traffic.waited, begun);
  return FLOE_OK;
}

static struct workset_batch batch_at(const struct workset *set, const struct workset_queries *queries, size_t at) {
  const size_t left = queries->n - at;
  return (struct workset_batch){.operations = queries->operations ? queries->operations + at : NULL,
                                .operation = queries->operation,
                                .keys = queries->keys + at,
                                .values = queries->values ? queries->values + at : NULL,
                                .answers = queries->answers + at,
                                .n = left < set->config.batch ? left : set->config.batch};
}

/* The first level begins with it; it may still write what the batch before has answered. */
static floe_status ask(struct workset *set, const struct workset_queries *queries, size_t at) {
  const double begun = clock_seconds();
  if (at >= queries->n)
    return FLOE_OK;
  const struct workset_batch batch = batch_at(set, queries, at);
  FLOE_TRY(front_of(set)->ask(set->front, &batch));
  add_time(&set->traffic.waited, begun);
  set->traffic.batches++;
  set->traffic.operations += batch.n;
  return FLOE_OK;
}

/* The oldest pairs without a place go back to the caller in the places of the last puts of new keys: there are as many,
   since without these the table would have had room. */
static void give_back(const struct workset_queries *queries, size_t at, size_t n, const struct workset_pair *pairs,
                      size_t count) {
  size_t i = at + n;
  while (count) {
    assert(i > at);
    if (queries->answers[--i] != TABLE_PUT)
      continue;
    queries->answers[i] = TABLE_FULL;
    queries->keys[i] = pairs[--count].key;
    if (queries->values)
      queries->values[i] = pairs[count].value;
  }
}

static floe_status finish(struct workset *set, const struct workset_queries *queries, size_t at, uint64_t *full) {
  const double begun = clock_seconds();
  struct workset_old old;
  FLOE_TRY(front_of(set)->finish(set->front, &old));
  add_time(&set->traffic.waited, begun);
  const uint64_t room = set->config.rest - back_of(set)->count(set->back);
  const size_t surplus = old.n > room ? old.n - (size_t)room : 0;
  const size_t left = queries->n - at;
  assert(!set->coming.n);
  give_back(queries, at, left < set->config.batch ? left : set->config.batch, old.pairs, surplus);
  set->coming = (struct workset_old){old.pairs + surplus, old.n - surplus};
  set->traffic.moved_down += old.n;
  *full += surplus;
  return FLOE_OK;
}

/* While the first level looks up a batch's keys, the second one takes what the batch before has left. */
static floe_status run_batch(struct workset *set, const struct workset_queries *queries, size_t at, uint64_t *full) {
  bring_down(set, true);
  FLOE_TRY(bring_up(set));
  FLOE_TRY(timed(set, front_of(set)->settle));
  FLOE_TRY(ask(set, queries, at + set->config.batch));
  return finish(set, queries, at, full);
}

floe_status workset_run(struct workset *set, const struct workset_queries *queries, uint64_t *full) {
  const double begun = clock_seconds();
  uint64_t surplus = 0;
  floe_status status = ask(set, queries, 0);
  for (size_t at = 0; at < queries->n && status == FLOE_OK; at += set->config.batch)
    status = run_batch(set, queries, at, &surplus);
  add_time(&set->traffic.seconds, begun);
  *full = surplus;
  return status;
}

struct workset_traffic workset_traffic(const struct workset *set) {
  struct workset_traffic traffic = set->traffic;
  if (front_of(set)->times)
    traffic.first = front_of(set)->times(set->front);
  return traffic;
}

/* ---- the whole table ----------------------------------------------------------------------------- */

floe_status workset_count(struct workset *set, uint64_t used[2]) {
  FLOE_TRY(front_of(set)->count(set->front, &used[0]));
  used[1] = back_of(set)->count(set->back) + set->coming.n;
  return FLOE_OK;
}

floe_status workset_clear(struct workset *set, uint64_t seed) {
  FLOE_TRY(front_of(set)->clear(set->front, seed));
  back_of(set)->clear(set->back, seed);
  set->coming.n = 0;
  set->traffic = (struct workset_traffic){0};
  set->config.seed = seed;
  return FLOE_OK;
}

static void each_coming(const struct workset *set, workset_visit *visit, void *user) {
  for (size_t i = 0; i < set->coming.n; i++)
    visit(user, &set->coming.pairs[i].key, &set->coming.pairs[i].value, 1);
}

/* Several threads may be at it: nothing is moved. */
floe_status workset_each(struct workset *set, unsigned part, unsigned parts, workset_visit *visit, void *user) {
  assert(part < parts);
  if (part == 0) {
    FLOE_TRY(front_of(set)->each(set->front, visit, user));
    each_coming(set, visit, user);
  }
  back_of(set)->each(set->back, part, parts, visit, user);
  return FLOE_OK;
}

/* Is any of these in the second level? They are looked for by taking them, and put back. */
struct doubles {
  struct workset *set;
  uint64_t found;
};

static void look_for_doubles(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  struct doubles *doubles = user;
  struct workset *set = doubles->set;
  (void)values;
  for (size_t i = 0; i < n; i++) {
    uint8_t found;
    struct workset_pair pair = {.key = keys[i]};
    back_of(set)->take(set->back, &pair.key, 1, &found, &pair.value);
    if (found)
      back_of(set)->put(set->back, &pair, 1);
    doubles->found += found;
  }
}

floe_status workset_check(struct workset *set, uint64_t *wrong) {
  struct doubles doubles = {.set = set};
  uint64_t front;
  bring_down(set, false);
  FLOE_TRY(front_of(set)->check(set->front, &front));
  FLOE_TRY(front_of(set)->each(set->front, look_for_doubles, &doubles));
  *wrong = front + back_of(set)->check(set->back) + doubles.found;
  return FLOE_OK;
}

/* ---- moving -------------------------------------------------------------------------------------- */

struct move {
  struct workset *to;
  uint64_t *keys, *values; /* of the first level, the one used last at the end */
  size_t room;             /* places before them */
};

static void move_to_back(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  enum { SOME = 64 };
  struct workset *to = ((const struct move *)user)->to;
  const size_t most = to->config.batch < SOME ? to->config.batch : (size_t)SOME;
  struct workset_pair pairs[SOME];
  for (size_t at = 0; at < n; at += most) {
    const size_t count = n - at < most ? n - at : most;
    for (size_t i = 0; i < count; i++)
      pairs[i] = (struct workset_pair){keys[at + i], values[at + i]};
    back_of(to)->put(to->back, pairs, count);
  }
}

static void collect(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  struct move *move = user;
  for (size_t i = 0; i < n; i++) {
    assert(move->room);
    move->keys[--move->room] = keys[i];
    move->values[move->room] = values[i];
  }
}

static floe_status move_recent(struct workset *from, struct move *move, size_t n, uint8_t *answers) {
  uint64_t full;
  const struct workset_queries queries = {
      .operation = TABLE_PUT_NEW, .keys = move->keys, .values = move->values, .answers = answers, .n = n};
  FLOE_TRY(front_of(from)->each(from->front, collect, move));
  FLOE_TRY(workset_run(move->to, &queries, &full));
  assert(!full);
  (void)full;
  move->to->traffic = from->traffic;
  return FLOE_OK;
}

floe_status workset_move(struct workset *from, struct workset *to, uint64_t *left) {
  uint64_t used[2];
  FLOE_TRY(workset_count(from, used));
  const uint64_t pushed = used[0] > to->config.recent ? used[0] - to->config.recent : 0;
  *left = used[1] + pushed > to->config.rest ? used[1] + pushed - to->config.rest : 0;
  if (*left)
    return FLOE_OK;
  struct move move = {.to = to, .room = used[0]};
  move.keys = mem_array(used[0], sizeof *move.keys);
  move.values = mem_array(used[0], sizeof *move.values);
  uint8_t *answers = mem_alloc(used[0]);
  floe_status status = move.keys && move.values && answers ? FLOE_OK : FLOE_ERROR_MEMORY;
  if (status == FLOE_OK) {
    each_coming(from, move_to_back, &move);
    back_of(from)->each(from->back, 0, 1, move_to_back, &move);
    status = move_recent(from, &move, used[0], answers);
  }
  mem_free(move.keys);
  mem_free(move.values);
  mem_free(answers);
  return status;
}
