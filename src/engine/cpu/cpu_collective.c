/* The CPU's rank as one of several: each level is a few phases (engine/comm/exchange.h) with an agreement after each
   (engine/distributed/collective.h), from which all members go on alike. What one has to end for ends all. */
#include "engine/cpu/cpu_search.h"

/* ---- what this member says ----------------------------------------------------------------------- */

static uint64_t triggered_here(const struct cpu_search *self) {
  uint64_t triggered = 0;
  for (unsigned i = 0; i < self->worker_count; i++)
    triggered |= self->workers[i].block.triggered;
  return triggered & search_wanted(self->search);
}

static bool has_rest(const struct cpu_search *self, unsigned active) {
  for (unsigned i = 0; i < active; i++)
    if (!self->workers[i].exhausted)
      return true;
  return false;
}

static struct member_stats figures_of(struct cpu_search *self, unsigned active) {
  struct member_stats figures = {.states = cpu_states(self),
                                     .transitions = cpu_transitions(self),
                                     .triggered = triggered_here(self),
                                     .rest = has_rest(self, active),
                                     .keep = self->keep_due};
  for (unsigned i = 0; i < self->worker_count; i++) {
    const struct worker *worker = &self->workers[i];
    figures.next += worker->closed.states;
    figures.failed |= worker->block.failed;
    figures.cut = figures.cut || worker->block.cut;
  }
  return figures;
}

/* The least of the workers' witnesses. */
static const struct engine_violation *least_hit(void *of, size_t property) {
  const struct cpu_search *self = of;
  const struct engine_violation *least = NULL;
  for (unsigned i = 0; i < self->worker_count; i++) {
    const struct engine_violation *violation = &self->workers[i].violations[property];
    if (violation->violation && (!least || words_less(violation->state, least->state, self->state_words)))
      least = violation;
  }
  return least;
}

/* The workers' own are among what was said. */
static void drop_hits(struct cpu_search *self) {
  for (unsigned i = 0; i < self->worker_count; i++) {
    self->workers[i].block.triggered = 0;
    for (size_t p = 0; p < self->search->task->model->property_count; p++)
      self->workers[i].violations[p].violation = false;
  }
}

static struct reduced_stats conclude(struct cpu_search *self, unsigned active) {
  const struct member_stats mine = figures_of(self, active);
  const struct reduced_stats sum = collective_reduce(&self->collective, &mine, least_hit, self);
  if (sum.gathered)
    drop_hits(self);
  return sum;
}

void cpu_collective_begin(struct cpu_search *self) {
  struct member_stats mine = self->workers ? figures_of(self, 0) : (struct member_stats){0};
  mine.triggered = 0;                    /* of a level that others began, which its end will tell */
  mine.keep = 0, self->keep_due = false; /* the first phase will find it due, too */
  collective_begin(&self->collective, &mine);
}

/* ---- a phase ------------------------------------------------------------------------------------- */

/* What the worker holds is to be in the checkpoint as pending. */
static void set_aside(struct worker *worker) {
  worker->search->stuck = true;
  if (worker->packet)
    exchange_ack(worker->search->collective.exchange);
}

#define NO_PLACE (STOP_FULL | STOP_MEMORY | STOP_TREE | STOP_DISK)

/* What the worker holds is put, and sent, if need be in a larger table; or set aside, where the run is to end. */
static void settle(struct worker *worker) {
  struct cpu_search *self = worker->search;
  while (collective_is_exact(&self->collective) && !worker_settle(worker)) {
    const unsigned why = cpu_stopped(self) & ~(unsigned)STOP_OTHERS;
    if (self->search->ended && (why & NO_PLACE)) {
      set_aside(worker);
      break;
    }
    if (self->search->ended)
      atomic_store_explicit(&self->stop, 0, memory_order_relaxed); /* it may be nearly full now */
    else
      cpu_handle_stop(self, why);
  }
  atomic_store_explicit(&self->stop, 0, memory_order_relaxed);
}

static void settle_letter(struct cpu_search *self, struct message *packet) {
  if (self->stuck) {
    packet->next = self->aside;
    self->aside = packet;
    exchange_ack(self->collective.exchange);
    return;
  }
  self->workers[0].packet = packet;
  self->workers[0].letter_next = 0;
  settle(&self->workers[0]);
}

/* Nobody expands any more: what is under way to this member arrives. */
static void drain(struct cpu_search *self) {
  struct comm *comm = self->search->task->group.comm;
  struct exchange *exchange = self->collective.exchange;
  unsigned rests = 0;
  double since = 0;
  for (exchange_progress(exchange); !exchange_is_over(exchange); exchange_progress(exchange)) {
    if (!collective_is_exact(&self->collective))
      exchange_discard(exchange);
    struct message *packet = exchange_take(exchange);
    if (packet) {
      settle_letter(self, packet);
      rests = 0;
      continue;
    }
    if (comm_timed_out(comm, &self->search->stop, &since) || comm_status(comm) != FLOE_OK)
      break;
    comm_backoff(comm, &rests);
  }
}

void cpu_collective_stop(struct cpu_search *self) {
  atomic_store_explicit(&self->stop, 0, memory_order_relaxed);
  for (unsigned i = 0; i < self->worker_count; i++)
    settle(&self->workers[i]);
  exchange_stop(self->collective.exchange);
  drain(self);
}

/* Until all is expanded, or somebody stops. */
static void do_phase(struct cpu_search *self, bool collective) {
  bool stop = self->search->ended;
  while (!stop) {
    cpu_work(self, collective);
    const unsigned why = cpu_stopped(self);
    if (!why)
      break;
    cpu_handle_stop(self, why);
    stop = self->search->ended || (why & (STOP_OTHERS | STOP_KEEP));
  }
  if (stop)
    cpu_collective_stop(self);
}

/* That the level has a next one fails here, where all learn of it. */
static void prepare_next(struct cpu_search *self) {
  if (!self->search->ended && (!cpu_close_chunks(self) || !search_make_room(self->search, 1)))
    search_finish(self->search, FLOE_END_MEMORY);
}

bool cpu_collective_expand(struct cpu_search *self) {
  const bool collective = cpu_share_chunks(self);
  const unsigned active = collective ? self->worker_count : 1;
  for (;;) {
    comm_next_epoch(self->search->task->group.comm);
    exchange_begin(self->collective.exchange, active);
    for (unsigned i = 0; i < active; i++)
      self->workers[i].exhausted = false;
    do_phase(self, collective);
    prepare_next(self);
    const struct reduced_stats sum = conclude(self, active);
    if (sum.keep)
      cpu_save(self);
    if (self->search->ended)
      return false;
    if (!sum.rest) {
      self->dealt = false;
      return true;
    }
  }
}
