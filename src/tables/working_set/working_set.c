/* Working-set table: runs batches over both levels, and holds the pairs evicted from the recent level. */
#include "tables/working_set/working_set.h"

#include "core/mem.h"
#include "core/system/clock.h"
#include "core/threads/thread_pool.h"

#include <assert.h>
#include <string.h>

struct workset {
  struct workset_config config;
  struct thread_pool *pool;
  struct recent_level *recent_level;
  struct host_level *host_level;
  struct workset_old evicted; /* pairs evicted from the recent level and not yet in the host level */
  struct workset_traffic traffic;
};

/* ---- creating and freeing --------------------------------------------------------------------------- */

static const struct recent_level_kind *recent_kind(const struct workset *set) { return set->config.recent_level; }
static const struct host_level_kind *host_kind(const struct workset *set) { return set->config.variant->host_level; }

static struct recent_level_config recent_config_of(const struct workset_config *config) {
  return (struct recent_level_config){
      .capacity = config->recent, .batch = config->batch, .seed = config->seed, .timed = config->timed};
}

static floe_status create_levels(struct workset *set) {
  const struct workset_config *config = &set->config;
  struct recent_level_config recent_level = recent_config_of(config);
  FLOE_TRY(pool_create(config->variant->serial ? 1 : config->threads, &set->pool));
  const struct host_level_config host_level = {
      .capacity = config->rest, .batch = config->batch, .seed = config->seed, .pool = set->pool};
  recent_level.pool = set->pool;
  FLOE_TRY(config->recent_level->create(config->device, &recent_level, &set->recent_level));
  return config->variant->host_level->create(&host_level, &set->host_level);
}

floe_status workset_create(const struct workset_config *config, struct workset **out) {
  assert(config->recent && config->rest && config->batch && config->threads);
  struct workset *set = mem_alloc(sizeof *set);
  if (!set)
    return FLOE_ERROR_MEMORY;
  set->config = *config;
  floe_status status = create_levels(set);
  if (status == FLOE_OK)
    *out = set;
  else
    workset_free(set);
  return status;
}

void workset_free(struct workset *set) {
  if (!set)
    return;
  recent_kind(set)->free(set->recent_level);
  host_kind(set)->free(set->host_level);
  pool_free(set->pool);
  mem_free(set);
}

uint64_t workset_bytes(const struct workset_config *config) {
  const struct recent_level_config recent_level = recent_config_of(config);
  return config->recent_level->bytes(&recent_level) + config->variant->host_level->bytes(config->rest);
}

/* ---- a batch ------------------------------------------------------------------------------------- */

static void add_time(double *seconds, double since) { *seconds += clock_seconds() - since; }

static void put_evicted(struct workset *set, bool beside) {
  const double begun = clock_seconds();
  if (!set->evicted.n)
    return;
  host_kind(set)->put(set->host_level, set->evicted.pairs, set->evicted.n);
  set->evicted.n = 0;
  add_time(&set->traffic.second, begun);
  if (beside)
    add_time(&set->traffic.beside, begun);
}

/* Takes the pairs of missing keys from the host level; the recent level has them afterwards. */
static floe_status take_missing(struct workset *set) {
  struct workset_missing missing;
  const double begun = clock_seconds();
  FLOE_TRY(recent_kind(set)->missing(set->recent_level, &missing));
  add_time(&set->traffic.waited, begun);
  const double asked = clock_seconds();
  const uint64_t before = host_kind(set)->count(set->host_level);
  host_kind(set)->take(set->host_level, missing.keys, missing.n, missing.found, missing.values);
  add_time(&set->traffic.second, asked);
  set->traffic.asked += missing.n;
  set->traffic.moved_up += before - host_kind(set)->count(set->host_level);
  return FLOE_OK;
}

static floe_status timed(struct workset *set, floe_status (*step)(struct recent_level *recent_level)) {
  const double begun = clock_seconds();
  FLOE_TRY(step(set->recent_level));
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

/* Starts the lookup of the batch; the recent level may still write the answers of the batch before. */
static floe_status start_lookup(struct workset *set, const struct workset_queries *queries, size_t at) {
  const double begun = clock_seconds();
  if (at >= queries->n)
    return FLOE_OK;
  const struct workset_batch batch = batch_at(set, queries, at);
  FLOE_TRY(recent_kind(set)->lookup(set->recent_level, &batch));
  add_time(&set->traffic.waited, begun);
  set->traffic.batches++;
  set->traffic.operations += batch.n;
  return FLOE_OK;
}

/* Returns the oldest pairs without a place to the caller, in the entries of the last puts of new keys. There are
   enough of these: without them the table would have had room. */
static void return_surplus(const struct workset_queries *queries, size_t at, size_t n, const struct workset_pair *pairs,
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
  FLOE_TRY(recent_kind(set)->finish(set->recent_level, &old));
  add_time(&set->traffic.waited, begun);
  const uint64_t room = set->config.rest - host_kind(set)->count(set->host_level);
  const size_t surplus = old.n > room ? old.n - (size_t)room : 0;
  const size_t left = queries->n - at;
  assert(!set->evicted.n);
  return_surplus(queries, at, left < set->config.batch ? left : set->config.batch, old.pairs, surplus);
  set->evicted = (struct workset_old){old.pairs + surplus, old.n - surplus};
  set->traffic.moved_down += old.n;
  *full += surplus;
  return FLOE_OK;
}

/* While the recent level looks up a batch's keys, the host level takes the pairs evicted by the batch before. */
static floe_status run_batch(struct workset *set, const struct workset_queries *queries, size_t at, uint64_t *full) {
  put_evicted(set, true);
  FLOE_TRY(take_missing(set));
  FLOE_TRY(timed(set, recent_kind(set)->apply));
  FLOE_TRY(start_lookup(set, queries, at + set->config.batch));
  return finish(set, queries, at, full);
}

floe_status workset_run(struct workset *set, const struct workset_queries *queries, uint64_t *full) {
  const double begun = clock_seconds();
  uint64_t surplus = 0;
  floe_status status = start_lookup(set, queries, 0);
  for (size_t at = 0; at < queries->n && status == FLOE_OK; at += set->config.batch)
    status = run_batch(set, queries, at, &surplus);
  add_time(&set->traffic.seconds, begun);
  *full = surplus;
  return status;
}

struct workset_traffic workset_traffic(const struct workset *set) {
  struct workset_traffic traffic = set->traffic;
  if (recent_kind(set)->times)
    traffic.first = recent_kind(set)->times(set->recent_level);
  return traffic;
}

/* ---- the whole table ----------------------------------------------------------------------------- */

floe_status workset_count(struct workset *set, uint64_t used[2]) {
  FLOE_TRY(recent_kind(set)->count(set->recent_level, &used[0]));
  used[1] = host_kind(set)->count(set->host_level) + set->evicted.n;
  return FLOE_OK;
}

floe_status workset_clear(struct workset *set, uint64_t seed) {
  FLOE_TRY(recent_kind(set)->clear(set->recent_level, seed));
  host_kind(set)->clear(set->host_level, seed);
  set->evicted.n = 0;
  set->traffic = (struct workset_traffic){0};
  set->config.seed = seed;
  return FLOE_OK;
}

static void each_evicted(const struct workset *set, workset_visit *visit, void *user) {
  for (size_t i = 0; i < set->evicted.n; i++)
    visit(user, &set->evicted.pairs[i].key, &set->evicted.pairs[i].value, 1);
}

/* Several threads may run it concurrently: it moves nothing. */
floe_status workset_each(struct workset *set, unsigned part, unsigned parts, workset_visit *visit, void *user) {
  assert(part < parts);
  if (part == 0) {
    FLOE_TRY(recent_kind(set)->each(set->recent_level, visit, user));
    each_evicted(set, visit, user);
  }
  host_kind(set)->each(set->host_level, part, parts, visit, user);
  return FLOE_OK;
}

/* Counts keys of the recent level that are also in the host level. It looks for them by taking them, and puts them
   back. */
struct duplicates {
  struct workset *set;
  uint64_t found;
};

static void count_duplicates(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  struct duplicates *duplicates = user;
  struct workset *set = duplicates->set;
  (void)values;
  for (size_t i = 0; i < n; i++) {
    uint8_t found;
    struct workset_pair pair = {.key = keys[i]};
    host_kind(set)->take(set->host_level, &pair.key, 1, &found, &pair.value);
    if (found)
      host_kind(set)->put(set->host_level, &pair, 1);
    duplicates->found += found;
  }
}

floe_status workset_check(struct workset *set, uint64_t *wrong) {
  struct duplicates duplicates = {.set = set};
  uint64_t recent_level;
  put_evicted(set, false);
  FLOE_TRY(recent_kind(set)->check(set->recent_level, &recent_level));
  FLOE_TRY(recent_kind(set)->each(set->recent_level, count_duplicates, &duplicates));
  *wrong = recent_level + host_kind(set)->check(set->host_level) + duplicates.found;
  return FLOE_OK;
}

/* ---- moving -------------------------------------------------------------------------------------- */

struct move {
  struct workset *to;
  uint64_t *keys, *values; /* of the recent level, the one used last at the end */
  size_t room;             /* free entries before them */
};

static void put_in_host_level(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  enum { SOME = 64 };
  struct workset *to = ((const struct move *)user)->to;
  const size_t most = to->config.batch < SOME ? to->config.batch : (size_t)SOME;
  struct workset_pair pairs[SOME];
  for (size_t at = 0; at < n; at += most) {
    const size_t count = n - at < most ? n - at : most;
    for (size_t i = 0; i < count; i++)
      pairs[i] = (struct workset_pair){keys[at + i], values[at + i]};
    host_kind(to)->put(to->host_level, pairs, count);
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
  FLOE_TRY(recent_kind(from)->each(from->recent_level, collect, move));
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
    each_evicted(from, put_in_host_level, &move);
    host_kind(from)->each(from->host_level, 0, 1, put_in_host_level, &move);
    status = move_recent(from, &move, used[0], answers);
  }
  mem_free(move.keys);
  mem_free(move.values);
  mem_free(answers);
  return status;
}
