#include "engine/snapshot/snapshot.h"

#include "core/clock.h"
#include "core/diag.h"
#include "core/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- keeping ------------------------------------------------------------------------------------- */

static struct engine_hit hit_of(const struct checkpoint_hit *hit) {
  return (struct engine_hit){
      .hit = hit->hit, .depth = hit->depth, .state = (uint64_t *)hit->state, .error = {hit->transition, hit->site}};
}

static const struct keeping *keeping_of(const struct search *search) { return search->task->keeping; }

bool moment_is_due(const struct search *search, double now) {
  const struct keeping *keeping = keeping_of(search);
  return keeping && keeping->every > 0 && now >= search->kept.last + keeping->every;
}

/* Others begin anew in its place. */
static bool is_left_to_others(const struct search *search) {
  return search->needless || search->outgrown || (search->task->may_outgrow && search->end == FLOE_END_MEMORY);
}

bool moment_is_last(const struct search *search) {
  return keeping_of(search) && search->ended && search->status == FLOE_OK && !is_left_to_others(search) &&
         !search->kept.inexact &&
         (search->end == FLOE_END_MEMORY || search->end == FLOE_END_TIMEOUT || search->end == FLOE_END_INTERRUPT ||
          search->end == FLOE_END_STATES);
}

/* All states of the level in work are expanded. */
static bool is_closed(const struct search *search) { return search->complete == search->levels; }

static struct checkpoint_search sums_of(const struct search *search, const struct moment *moment) {
  const struct model *model = search->task->model;
  return (struct checkpoint_search){.level_states = search->level_states,
                                    .levels = search->levels,
                                    .complete = search->complete,
                                    .expanded = search->expanded,
                                    .hits = moment->hits,
                                    .property_count = (uint32_t)model->property_count,
                                    .failed = search->failed,
                                    .cut = search->cut,
                                    .cut_depth = search->cut_depth,
                                    .fired = moment->fired,
                                    .transition_count = (uint32_t)model->transition_count};
}

/* Also of the level in work, where its hits were gathered as the run ended. */
static void add_hits(const struct search *search, struct moment *moment) {
  for (size_t i = 0; i < search->task->model->property_count; i++)
    if (search->hits[i].hit)
      moment_add_hit(moment, i, &search->hits[i], search->task->layout->key_words);
}

/* Without one the search goes on. */
static void tell(struct search *search, const struct moment *moment, floe_status status) {
  search->kept.lost = status != FLOE_OK;
  if (moment->log)
    diag_pass_on_as_warnings(moment->log, search->log);
  if (status == FLOE_ERROR_MEMORY)
    diag_warning(search->log, NULL, NOWHERE, NULL, "no checkpoint: out of memory");
}

static void drop(struct search *search, struct moment *moment) {
  floe_log_free(moment->log);
  mem_free(moment->fired);
  mem_free(moment->hits);
  search->kept.last = clock_seconds();
  search->kept.seconds += search->kept.last - moment->begun;
}

static floe_status make(struct search *search, struct moment *moment) {
  const struct model *model = search->task->model;
  moment->fired = mem_array(model->transition_count, sizeof *moment->fired);
  moment->hits = mem_array(model->property_count, sizeof *moment->hits);
  if (!moment->fired || !moment->hits)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(floe_log_create(&moment->log));
  memcpy(moment->fired, search->fired, model->transition_count * sizeof *moment->fired);
  add_hits(search, moment);
  moment->sums = sums_of(search, moment);
  return FLOE_OK;
}

struct checkpoint_order moment_order(const struct table_config *config, const struct table_shape *shape) {
  if (table_traits(config->scheme)->every_key) /* in that of the keys themselves */
    return (struct checkpoint_order){.permutation = NULL};
  return (struct checkpoint_order){.permutation = config->permutation ? config->permutation : permutation_names()[0],
                                   .seed = config->seed,
                                   .buckets = shape->bucket_slots > 1 ? shape->buckets : 1};
}

bool moment_begin(struct search *search, unsigned lanes, const struct checkpoint_order *order, struct moment *out) {
  const struct keeping *keeping = keeping_of(search);
  struct checkpoint_head head = *keeping->head;
  struct moment moment = {.begun = clock_seconds()};
  head.order = *order;
  head.seconds += moment.begun - search->begun;
  floe_status status = make(search, &moment);
  if (status == FLOE_OK)
    status = checkpoint_create(keeping->path, &head, lanes, moment.log, &moment.writer);
  if (status == FLOE_OK) {
    *out = moment;
    return true;
  }
  tell(search, &moment, status);
  drop(search, &moment);
  return false;
}

bool moment_begin_part(struct search *search, struct moment *out) {
  *out = (struct moment){.begun = clock_seconds()};
  if (make(search, out) == FLOE_OK)
    return true;
  drop(search, out);
  return false;
}

void moment_leave(struct search *search, struct moment *moment) { drop(search, moment); }

void moment_add_part(struct moment *moment, const struct checkpoint_search *part, uint32_t words) {
  struct checkpoint_search *sums = &moment->sums;
  assert(part->transition_count == sums->transition_count && part->property_count == sums->property_count);
  sums->transitions += part->transitions;
  sums->deadlocks += part->deadlocks;
  sums->checksum += part->checksum;
  sums->failed |= part->failed;
  if (part->max_out_degree > sums->max_out_degree)
    sums->max_out_degree = part->max_out_degree;
  if (part->cut && !sums->cut)
    sums->cut_depth = part->cut_depth;
  sums->cut = sums->cut || part->cut;
  for (uint32_t t = 0; t < part->transition_count; t++)
    moment->fired[t] += part->fired[t];
  for (uint32_t i = 0; i < part->property_count; i++) {
    const struct engine_hit hit = hit_of(&part->hits[i]);
    if (hit.hit)
      moment_add_hit(moment, i, &hit, words);
  }
}

void moment_add_hit(struct moment *moment, size_t property, const struct engine_hit *hit, uint32_t words) {
  struct checkpoint_hit *at = &moment->hits[property];
  if (at->hit && !words_less(hit->state, at->state, words))
    return;
  *at = (struct checkpoint_hit){.hit = true,
                                .depth = hit->depth,
                                .state = hit->state,
                                .transition = hit->error.transition,
                                .site = hit->error.site};
}

void moment_end(struct search *search, struct moment *moment) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < moment->sums.property_count; i++)
    moment->hits[i].provisional = moment->hits[i].hit && !is_closed(search) && //
                                  moment->hits[i].depth == search_depth(search);
  floe_status status = checkpoint_commit(moment->writer, &moment->sums, &bytes);
  search->kept.count += status == FLOE_OK;
  if (status == FLOE_OK)
    search->kept.bytes = bytes;
  tell(search, moment, status);
  drop(search, moment);
}

void moment_give_up(struct search *search, struct moment *moment, floe_status status) {
  checkpoint_abandon(moment->writer);
  tell(search, moment, status);
  drop(search, moment);
}

/* ---- going on ------------------------------------------------------------------------------------ */

uint64_t moment_states(const struct engine_task *task) {
  return task->from ? checkpoint_sizes_of(task->from, CHECKPOINT_KEYS).states : task->resumes;
}

static void find_origin(struct search *search) {
  const struct checkpoint_reader *from = search->task->from;
  if (!from)
    return;
  search->origin.search = checkpoint_search_of(from);
  for (enum checkpoint_section i = 0; i < CHECKPOINT_SECTIONS; i++)
    search->origin.states[i] = checkpoint_sizes_of(from, i).states;
}

static floe_status contradicts(const struct search *search, const char *what) {
  diag_error(search->log, NULL, NOWHERE, NULL, "the checkpoint contradicts itself: %s", what);
  return FLOE_ERROR_IO;
}

/* Whose hits and firings there are is told by the digest of the model; that the levels add up only by the file. */
static floe_status check_levels(const struct search *search, const struct checkpoint_search *from) {
  const uint64_t next = search->origin.states[CHECKPOINT_NEXT], rest = search->origin.states[CHECKPOINT_REST];
  uint64_t states = 0;
  if (from->levels == 0 || from->complete > from->levels || from->complete + 1 < from->levels)
    return contradicts(search, "it is at no level");
  if (from->transition_count != search->task->model->transition_count ||
      from->property_count != search->task->model->property_count)
    return contradicts(search, "it is of another model");
  for (uint32_t i = 0; i < from->levels; i++)
    states += from->level_states[i];
  if (rest > from->level_states[from->levels - 1] || states + next != search->origin.states[CHECKPOINT_KEYS])
    return contradicts(search, "its levels do not have its states");
  return FLOE_OK;
}

static void restore_hits(struct search *search, const struct checkpoint_search *from) {
  const uint32_t words = search->task->layout->key_words;
  for (uint32_t i = 0; i < from->property_count; i++) {
    if (!from->hits[i].hit || from->hits[i].provisional)
      continue;
    const struct engine_hit hit = hit_of(&from->hits[i]);
    hit_keep_least(&search->hits[i], hit.state, words, hit.depth, hit.error);
    search->hits_so_far |= UINT64_C(1) << i;
  }
}

floe_status moment_restore(struct search *search) {
  find_origin(search);
  const struct checkpoint_search *from = search->origin.search;
  FLOE_TRY(check_levels(search, from));
  if (!search_make_room(search, from->levels))
    return FLOE_ERROR_MEMORY;
  memcpy(search->level_states, from->level_states, from->levels * sizeof *from->level_states);
  search->levels = from->levels;
  search->complete = from->levels - 1;
  search->expanded = 0;
  for (uint32_t i = 0; i < search->complete; i++)
    search->expanded += from->level_states[i];
  memcpy(search->fired, from->fired, from->transition_count * sizeof *from->fired);
  restore_hits(search, from);
  search_note_failures(search, from->failed, from->cut, from->cut_depth);
  return FLOE_OK;
}

void moment_each_hit(const struct search *search, void (*take)(void *user, size_t property, const struct engine_hit *),
                     void *user) {
  const struct checkpoint_search *from = search->origin.search;
  for (uint32_t i = 0; i < from->property_count; i++) {
    const struct engine_hit hit = hit_of(&from->hits[i]);
    if (hit.hit && from->hits[i].provisional)
      take(user, i, &hit);
  }
}

floe_status moment_check(const struct search *search, uint64_t fresh, uint64_t checksum) {
  if (fresh != search->origin.states[CHECKPOINT_KEYS])
    return contradicts(search, "a state is in it twice");
  if (checksum != search->origin.search->checksum)
    return contradicts(search, "its states are not those of its checksum");
  return FLOE_OK;
}

/* A level that is begun ends first. */
void moment_decide(struct search *search) {
  const uint64_t *states = search->origin.states;
  if (search->ended || states[CHECKPOINT_NEXT] || states[CHECKPOINT_PENDING] ||
      states[CHECKPOINT_REST] != search->level_states[search_depth(search)])
    return;
  search_decide(search, false, states[CHECKPOINT_KEYS]);
}
