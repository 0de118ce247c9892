/* The CPU search as a member of a group. A level takes one or more phases (engine/comm/exchange.h) with a collective
   decision after each (engine/distributed/collective.h), from which all members continue alike. If one member must
   end, all end. */
#include "engine/cpu/cpu_search.h"

/* ---- contribution of this member ----------------------------------------------------------------- */

static uint64_t triggered_here(const struct cpu_search *self) {
  uint64_t triggered = 0;
  for (unsigned i = 0; i < self->worker_count; i++)
    triggered |= self->workers[i].block.triggered;
  return triggered & search_pending_properties(&self->search);
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
                                 .unfinished = has_rest(self, active),
                                 .checkpoint_due = self->group.checkpoint_due};
  for (unsigned i = 0; i < self->worker_count; i++) {
    const struct worker *worker = &self->workers[i];
    figures.next += worker->closed.states;
    figures.failed |= worker->block.failed;
    figures.firing_failed = figures.firing_failed || worker->block.firing_failed;
  }
  return figures;
}

/* The least violating state of all workers. */
static const struct engine_violation *least_violation(void *of, size_t property) {
  const struct cpu_search *self = of;
  const struct engine_violation *least = NULL;
  for (unsigned i = 0; i < self->worker_count; i++) {
    const struct engine_violation *violation = &self->workers[i].violations[property];
    if (violation->violation && (!least || words_less(violation->state, least->state, self->state_words)))
      least = violation;
  }
  return least;
}

/* The reduction has included those of the workers. */
static void clear_violations(struct cpu_search *self) {
  for (unsigned i = 0; i < self->worker_count; i++) {
    self->workers[i].block.triggered = 0;
    for (size_t p = 0; p < self->search.task->model->property_count; p++)
      self->workers[i].violations[p].violation = false;
  }
}

static struct reduced_stats reduce(struct cpu_search *self, unsigned active) {
  const struct member_stats mine = figures_of(self, active);
  const struct reduced_stats sum = collective_reduce(&self->collective, &mine, least_violation, self);
  if (sum.gathered)
    clear_violations(self);
  return sum;
}

void cpu_collective_begin(struct cpu_search *self) {
  struct member_stats mine = self->workers ? figures_of(self, 0) : (struct member_stats){0};
  mine.triggered = 0; /* of a level that is not done yet: its end reports them */
  mine.checkpoint_due = 0, self->group.checkpoint_due = false; /* found due again in the first phase */
  collective_begin(&self->collective, &mine);
}

/* ---- a phase ------------------------------------------------------------------------------------- */

/* The checkpoint saves the keys that the worker holds as pending. */
static void keep_for_checkpoint(struct worker *worker) {
  worker->search->group.out_of_space = true;
  if (worker->received.message)
    exchange_ack(worker->search->collective.exchange);
}

#define NO_PLACE (STOP_FULL | STOP_MEMORY | STOP_TREE | STOP_DISK)

/* Inserts the keys that the worker holds, if necessary into a larger table, and sends those of other members. If the
   search ends before that, it keeps them for the checkpoint. */
static void flush_worker(struct worker *worker) {
  struct cpu_search *self = worker->search;
  while (collective_is_exact(&self->collective) && !worker_flush(worker)) {
    const unsigned why = cpu_stopped(self) & ~(unsigned)STOP_GROUP;
    if (self->search.ended && (why & NO_PLACE)) {
      keep_for_checkpoint(worker);
      break;
    }
    if (self->search.ended)
      atomic_store_explicit(&self->stop, 0, memory_order_relaxed); /* the table may still be nearly full */
    else
      cpu_handle_stop(self, why);
  }
  atomic_store_explicit(&self->stop, 0, memory_order_relaxed);
}

static void insert_message(struct cpu_search *self, struct message *packet) {
  if (self->group.out_of_space) {
    packet->next = self->group.deferred;
    self->group.deferred = packet;
    exchange_ack(self->collective.exchange);
    return;
  }
  self->workers[0].received.message = packet;
  self->workers[0].received.next = 0;
  flush_worker(&self->workers[0]);
}

/* No member expands any more: receives the messages still in flight to this member. */
static void drain(struct cpu_search *self) {
  struct comm *comm = self->search.task->group.comm;
  struct exchange *exchange = self->collective.exchange;
  unsigned idle_rounds = 0;
  double since = 0;
  for (exchange_progress(exchange); !exchange_is_over(exchange); exchange_progress(exchange)) {
    if (!collective_is_exact(&self->collective))
      exchange_discard(exchange);
    struct message *packet = exchange_take(exchange);
    if (packet) {
      insert_message(self, packet);
      idle_rounds = 0;
      continue;
    }
    if (comm_timed_out(comm, &self->search.stop, &since) || comm_status(comm) != FLOE_OK)
      break;
    comm_backoff(comm, &idle_rounds);
  }
}

void cpu_collective_stop(struct cpu_search *self) {
  atomic_store_explicit(&self->stop, 0, memory_order_relaxed);
  for (unsigned i = 0; i < self->worker_count; i++)
    flush_worker(&self->workers[i]);
  exchange_stop(self->collective.exchange);
  drain(self);
}

/* Until all states are expanded or some member stops. */
static void do_phase(struct cpu_search *self, bool all_workers) {
  bool stop = self->search.ended;
  while (!stop) {
    cpu_work(self, all_workers);
    const unsigned why = cpu_stopped(self);
    if (!why)
      break;
    cpu_handle_stop(self, why);
    stop = self->search.ended || (why & (STOP_GROUP | STOP_CHECKPOINT));
  }
  if (stop)
    cpu_collective_stop(self);
}

/* Allocates memory for the next level before the reduction, so that a failure is known to all members. */
static void prepare_next(struct cpu_search *self) {
  if (!self->search.ended && (!cpu_close_chunks(self) || !search_make_room(&self->search, 1)))
    search_finish(&self->search, FLOE_END_MEMORY);
}

bool cpu_collective_expand(struct cpu_search *self) {
  const bool all_workers = cpu_begin_level(self);
  const unsigned active = all_workers ? self->worker_count : 1;
  for (;;) {
    comm_next_epoch(self->search.task->group.comm);
    exchange_begin(self->collective.exchange, active);
    for (unsigned i = 0; i < active; i++)
      self->workers[i].exhausted = false;
    do_phase(self, all_workers);
    prepare_next(self);
    const struct reduced_stats sum = reduce(self, active);
    if (sum.checkpoint_due)
      cpu_save(self);
    if (self->search.ended)
      return false;
    if (!sum.unfinished) {
      self->frontier.assigned = false;
      return true;
    }
  }
}
