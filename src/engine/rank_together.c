/* The CPU's rank as one of several: each level is a few phases (engine/exchange.h) with an agreement after each
   (engine/together.h), from which all members go on alike. What one has to end for ends all. */
#include "engine/rank.h"

/* ---- what this member says ----------------------------------------------------------------------- */

static uint64_t triggered_here(const struct rank *rank) {
  uint64_t triggered = 0;
  for (unsigned i = 0; i < rank->worker_count; i++)
    triggered |= rank->workers[i].block.triggered;
  return triggered & search_wanted(rank->search);
}

static bool has_rest(const struct rank *rank, unsigned active) {
  for (unsigned i = 0; i < active; i++)
    if (!rank->workers[i].exhausted)
      return true;
  return false;
}

static struct together_figures figures_of(struct rank *rank, unsigned active) {
  struct together_figures figures = {.states = rank_states(rank),
                                     .transitions = rank_transitions(rank),
                                     .triggered = triggered_here(rank),
                                     .rest = has_rest(rank, active)};
  for (unsigned i = 0; i < rank->worker_count; i++) {
    const struct worker *worker = &rank->workers[i];
    figures.next += worker->closed.states;
    figures.failed |= worker->block.failed;
    figures.cut = figures.cut || worker->block.cut;
  }
  return figures;
}

/* The least of the workers' witnesses. */
static const struct engine_hit *least_hit(void *of, size_t property) {
  const struct rank *rank = of;
  const struct engine_hit *least = NULL;
  for (unsigned i = 0; i < rank->worker_count; i++) {
    const struct engine_hit *hit = &rank->workers[i].hits[property];
    if (hit->hit && (!least || words_less(hit->state, least->state, rank->state_words)))
      least = hit;
  }
  return least;
}

/* The workers' own are among what was said. */
static void drop_hits(struct rank *rank) {
  for (unsigned i = 0; i < rank->worker_count; i++) {
    rank->workers[i].block.triggered = 0;
    for (size_t p = 0; p < rank->search->task->model->property_count; p++)
      rank->workers[i].hits[p].hit = false;
  }
}

/* True: some member has states of the level to expand yet. */
static bool conclude(struct rank *rank, unsigned active) {
  const struct together_figures mine = figures_of(rank, active);
  const struct together_sum sum = together_conclude(&rank->together, &mine, least_hit, rank);
  if (sum.gathered)
    drop_hits(rank);
  return sum.rest;
}

void rank_together_begin(struct rank *rank) {
  const struct together_figures mine = rank->workers ? figures_of(rank, 0) : (struct together_figures){0};
  together_begin(&rank->together, &mine);
}

/* ---- a phase ------------------------------------------------------------------------------------- */

/* What the workers hold is put, and sent. False: the search has to end. */
static bool settle(struct rank *rank) {
  for (unsigned i = 0; i < rank->worker_count; i++)
    while (!rank->search->ended && !worker_settle(&rank->workers[i])) {
      const unsigned why = rank_stopped(rank);
      rank_handle_stop(rank, why & ~(unsigned)STOP_OTHERS);
    }
  return !rank->search->ended;
}

/* Nobody expands any more: what is under way to this member arrives, and is put as long as that is possible. */
static void drain(struct rank *rank) {
  struct post *post = rank->search->task->post;
  struct worker *first = &rank->workers[0];
  unsigned rests = 0;
  double since = 0;
  if (rank->search->ended)
    exchange_give_up(rank->together.exchange);
  for (exchange_work(rank->together.exchange); !exchange_is_over(rank->together.exchange);
       exchange_work(rank->together.exchange)) {
    struct message *letter = rank->search->ended ? NULL : exchange_take(rank->together.exchange);
    if (letter) {
      first->letter = letter;
      first->letter_next = 0;
      if (!settle(rank))
        exchange_give_up(rank->together.exchange);
      rests = 0;
      continue;
    }
    if (post_is_lost(post, &rank->search->stop, &since) || post->status != FLOE_OK)
      break;
    post_rest(post, &rests);
  }
}

static void stop_phase(struct rank *rank) {
  if (!rank->search->ended)
    settle(rank);
  exchange_stop(rank->together.exchange);
  drain(rank);
}

/* Until all is expanded, or somebody stops. */
static void do_phase(struct rank *rank, bool together) {
  bool stop = rank->search->ended;
  while (!stop) {
    rank_work(rank, together);
    const unsigned why = rank_stopped(rank);
    if (!why)
      break;
    rank_handle_stop(rank, why);
    stop = rank->search->ended || (why & STOP_OTHERS);
  }
  if (stop)
    stop_phase(rank);
}

/* That the level has a next one fails here, where all learn of it. */
static void prepare_next(struct rank *rank) {
  if (!rank->search->ended && (!rank_close_chunks(rank) || !search_make_room(rank->search, 1)))
    search_finish(rank->search, FLOE_END_MEMORY);
}

bool rank_together_expand(struct rank *rank) {
  const bool together = rank_share_out(rank);
  const unsigned active = together ? rank->worker_count : 1;
  for (;;) {
    post_next(rank->search->task->post);
    exchange_begin(rank->together.exchange, active);
    for (unsigned i = 0; i < active; i++)
      rank->workers[i].exhausted = false;
    do_phase(rank, together);
    prepare_next(rank);
    const bool rest = conclude(rank, active);
    if (rank->search->ended)
      return false;
    if (!rest) {
      rank->dealt = false;
      return true;
    }
  }
}
