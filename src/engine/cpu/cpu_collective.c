/* The CPU's rank as one of several: each level is a few phases (engine/comm/exchange.h) with an agreement after each
   (engine/distributed/collective.h), from which all members go on alike. What one has to end for ends all. */
#include "engine/cpu/cpu_search.h"

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
                                     .rest = has_rest(rank, active),
                                     .keep = rank->keep_due};
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

static struct together_sum conclude(struct rank *rank, unsigned active) {
  const struct together_figures mine = figures_of(rank, active);
  const struct together_sum sum = together_conclude(&rank->together, &mine, least_hit, rank);
  if (sum.gathered)
    drop_hits(rank);
  return sum;
}

void rank_together_begin(struct rank *rank) {
  struct together_figures mine = rank->workers ? figures_of(rank, 0) : (struct together_figures){0};
  mine.triggered = 0;                    /* of a level that others began, which its end will tell */
  mine.keep = 0, rank->keep_due = false; /* the first phase will find it due, too */
  together_begin(&rank->together, &mine);
}

/* ---- a phase ------------------------------------------------------------------------------------- */

/* What the worker holds is to be in the checkpoint as pending. */
static void set_aside(struct worker *worker) {
  worker->rank->stuck = true;
  if (worker->letter)
    exchange_put(worker->rank->together.exchange);
}

#define NO_PLACE (STOP_FULL | STOP_MEMORY | STOP_TREE | STOP_DISK)

/* What the worker holds is put, and sent, if need be in a larger table; or set aside, where the run is to end. */
static void settle(struct worker *worker) {
  struct rank *rank = worker->rank;
  while (together_is_exact(&rank->together) && !worker_settle(worker)) {
    const unsigned why = rank_stopped(rank) & ~(unsigned)STOP_OTHERS;
    if (rank->search->ended && (why & NO_PLACE)) {
      set_aside(worker);
      break;
    }
    if (rank->search->ended)
      atomic_store_explicit(&rank->stop, 0, memory_order_relaxed); /* it may be nearly full now */
    else
      rank_handle_stop(rank, why);
  }
  atomic_store_explicit(&rank->stop, 0, memory_order_relaxed);
}

static void settle_letter(struct rank *rank, struct message *letter) {
  if (rank->stuck) {
    letter->next = rank->aside;
    rank->aside = letter;
    exchange_put(rank->together.exchange);
    return;
  }
  rank->workers[0].letter = letter;
  rank->workers[0].letter_next = 0;
  settle(&rank->workers[0]);
}

/* Nobody expands any more: what is under way to this member arrives. */
static void drain(struct rank *rank) {
  struct post *post = rank->search->task->post;
  struct exchange *exchange = rank->together.exchange;
  unsigned rests = 0;
  double since = 0;
  for (exchange_work(exchange); !exchange_is_over(exchange); exchange_work(exchange)) {
    if (!together_is_exact(&rank->together))
      exchange_give_up(exchange);
    struct message *letter = exchange_take(exchange);
    if (letter) {
      settle_letter(rank, letter);
      rests = 0;
      continue;
    }
    if (post_is_lost(post, &rank->search->stop, &since) || post_status(post) != FLOE_OK)
      break;
    post_rest(post, &rests);
  }
}

void rank_together_stop(struct rank *rank) {
  atomic_store_explicit(&rank->stop, 0, memory_order_relaxed);
  for (unsigned i = 0; i < rank->worker_count; i++)
    settle(&rank->workers[i]);
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
    stop = rank->search->ended || (why & (STOP_OTHERS | STOP_KEEP));
  }
  if (stop)
    rank_together_stop(rank);
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
    const struct together_sum sum = conclude(rank, active);
    if (sum.keep)
      rank_keep(rank);
    if (rank->search->ended)
      return false;
    if (!sum.rest) {
      rank->dealt = false;
      return true;
    }
  }
}
