#include "checkpoint/fields.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/comm/allgather.h"
#include "engine/snapshot/snapshot_engine.h"

#include <string.h>

#define WAITING_SECTIONS (1u << CHECKPOINT_REST | 1u << CHECKPOINT_NEXT | 1u << CHECKPOINT_PENDING)
/* Words of waiting states inserted together, unless a single state has more. */
#define WAITING_WORDS 4096

/* A thread's position in its input. */
struct reader {
  _Alignas(64) struct checkpoint_block *block; /* NULL: rank 0 reads the file */
  struct message *packet;                      /* contains `states`; NULL: `block` does */
  const uint64_t *states;
  size_t done, n;                  /* states [done, n) are not taken yet */
  enum checkpoint_section section; /* of these */
  uint64_t checksum;               /* of all keys read */
  uint64_t *scratch;               /* of key_state */
  bool exhausted;                  /* it has read the file to its end */
};

struct snapshot_source {
  const struct snapshot_engine *engine;
  struct exchange *exchange; /* NULL: the search has one member */
  uint32_t words;            /* of a state */
  struct reader *readers;    /* [threads] */
  unsigned threads;
  unsigned sections;               /* being read, a mask of 1 << section; one in a group */
  atomic_int status;               /* the first error; FLOE_ERROR_UNSUPPORTED: the search must stop */
  atomic_bool paused;              /* relaxed, as it is a flag without data */
  struct checkpoint_search origin; /* of rank 0's file, in a group; allocated in the arena */
  struct arena arena;
};

static struct search *search_of(const struct snapshot_source *source) { return source->engine->search; }
static struct comm *comm_of(const struct snapshot_source *source) { return search_of(source)->task->group.comm; }
static struct checkpoint_reader *file_of(const struct snapshot_source *source) {
  return search_of(source)->task->snapshot.from;
}

/* ---- states: from the file and from packets -------------------------------------------------------- */

static floe_status status_of(struct snapshot_source *source) {
  return (floe_status)atomic_load_explicit(&source->status, memory_order_relaxed);
}

static void fail(struct snapshot_source *source, floe_status status) {
  int none = FLOE_OK;
  if (status != FLOE_OK)
    atomic_compare_exchange_strong(&source->status, &none, (int)status);
}

static void drop_packet(struct snapshot_source *source, struct reader *reader) {
  if (reader->packet)
    exchange_ack(source->exchange);
  message_free(reader->packet);
  reader->packet = NULL;
  reader->done = reader->n = 0;
}

static bool take_packet(struct snapshot_source *source, struct reader *reader) {
  reader->packet = exchange_take(source->exchange);
  if (!reader->packet)
    return false;
  reader->states = (const uint64_t *)packet_of(reader->packet)->content;
  reader->n = packet_of(reader->packet)->number;
  return true;
}

static bool read_block(struct snapshot_source *source, unsigned thread) {
  struct reader *reader = &source->readers[thread];
  struct checkpoint_states read = {.n = 0};
  const floe_status status = reader->block ? checkpoint_next(file_of(source), reader->block, &read) : FLOE_OK;
  fail(source, status);
  if (status != FLOE_OK)
    return false;
  reader->states = read.states;
  reader->n = read.n;
  if (read.n > 0) {
    reader->section = read.section;
    if (source->sections == 1u << CHECKPOINT_KEYS)
      reader->checksum += engine_keys_mix(search_of(source)->task->layout, read.states, read.n, reader->scratch);
    return true;
  }
  reader->exhausted = true;
  if (source->exchange)
    exchange_worker_done(source->exchange, thread);
  return false;
}

/* False: no states are available now. */
static bool find_states(struct snapshot_source *source, unsigned thread) {
  struct reader *reader = &source->readers[thread];
  drop_packet(source, reader);
  if (stop_requested(&search_of(source)->stop)) {
    fail(source, FLOE_ERROR_UNSUPPORTED);
    return false;
  }
  if (source->exchange && take_packet(source, reader))
    return true;
  if (reader->exhausted || (source->exchange && exchange_backpressured(source->exchange)))
    return false;
  return read_block(source, thread);
}

/* Copies own states of the block or packet to `to`, and sends the others. A packet has only own ones. */
static size_t take_own(struct snapshot_source *source, unsigned thread, uint64_t *to, size_t most) {
  const struct collective *t = source->engine->collective;
  struct reader *reader = &source->readers[thread];
  const size_t words = source->words, rest = reader->n - reader->done;
  const uint64_t *state = reader->states + reader->done * words;
  size_t n = 0;
  if (!source->exchange || reader->packet) {
    n = rest < most ? rest : most;
    memcpy(to, state, n * words * sizeof *to);
    reader->done += n;
    return n;
  }
  for (; reader->done < reader->n && n < most; reader->done++, state += words) {
    const unsigned owner = collective_owner(t, state);
    if (owner == t->rank)
      memcpy(to + n++ * words, state, words * sizeof *to);
    else
      exchange_send(source->exchange, thread, owner, state);
  }
  return n;
}

static bool must_stop(struct snapshot_source *source) {
  return status_of(source) != FLOE_OK || (source->exchange && exchange_is_stopped(source->exchange));
}

/* No states will come; or some may, but only when other threads have continued. */
static bool must_return(struct snapshot_source *source) {
  return !source->exchange || exchange_is_over(source->exchange) ||
         atomic_load_explicit(&source->paused, memory_order_relaxed);
}

size_t snapshot_take(struct snapshot_source *source, unsigned thread, uint64_t *to, size_t most) {
  const struct reader *reader = &source->readers[thread];
  unsigned pauses = 0;
  while (!must_stop(source)) {
    size_t n = 0;
    if (source->exchange)
      exchange_progress(source->exchange);
    if (reader->done < reader->n || find_states(source, thread)) {
      pauses = 0;
      n = take_own(source, thread, to, most);
    } else if (must_return(source)) {
      break;
    } else {
      comm_backoff(comm_of(source), &pauses);
    }
    if (n > 0)
      return n;
  }
  return 0;
}

enum checkpoint_section snapshot_section(const struct snapshot_source *source, unsigned thread) {
  return source->readers[thread].section;
}

void snapshot_pause(struct snapshot_source *source) {
  atomic_store_explicit(&source->paused, true, memory_order_relaxed);
}

void snapshot_continue(struct snapshot_source *source) {
  atomic_store_explicit(&source->paused, false, memory_order_relaxed);
}

/* ---- a phase ------------------------------------------------------------------------------------- */

typedef floe_status put_states(void *user, struct snapshot_source *source);

/* In the calling thread. */
static floe_status put_waiting(void *user, struct snapshot_source *source) {
  const size_t most = source->words < WAITING_WORDS ? WAITING_WORDS / source->words : 1;
  uint64_t *states = mem_array(most, source->words * sizeof *states);
  floe_status status = states ? FLOE_OK : FLOE_ERROR_MEMORY;
  size_t n;
  while (status == FLOE_OK && (n = snapshot_take(source, 0, states, most)) > 0)
    status = source->engine->operations->put_waiting(user, source->readers[0].section, states, n);
  mem_free(states);
  return status;
}

static void begin_phase(struct snapshot_source *source, unsigned sections, unsigned active) {
  source->sections = sections;
  snapshot_continue(source);
  for (unsigned i = 0; i < source->threads; i++) {
    source->readers[i].exhausted = false;
    source->readers[i].section = (enum checkpoint_section)__builtin_ctz(sections);
    source->readers[i].checksum = 0;
  }
  if (source->exchange) {
    comm_next_epoch(comm_of(source));
    exchange_begin(source->exchange, active);
  }
  if (file_of(source))
    checkpoint_choose(file_of(source), sections);
}

/* Rank 0: checks that the sections were read completely and are intact; logs an error's cause. */
static floe_status end_reading(struct snapshot_source *source) {
  const struct snapshot_engine *engine = source->engine;
  uint64_t checksum = 0;
  FLOE_TRY(checkpoint_end_reading(file_of(source)));
  for (unsigned i = 0; i < source->threads; i++)
    checksum += source->readers[i].checksum;
  if (source->sections != 1u << CHECKPOINT_KEYS)
    return FLOE_OK;
  return snapshot_check(engine->search,
                        source->exchange ? engine->search->origin.states[CHECKPOINT_KEYS]
                                         : engine->operations->count_states(engine->user),
                        checksum);
}

/* Stops the phase, unless it is over: receives and drops all packets in transit. */
static void stop_phase(struct snapshot_source *source) {
  struct exchange *exchange = source->exchange;
  unsigned pauses = 0;
  double since = 0;
  for (unsigned i = 0; i < source->threads; i++)
    drop_packet(source, &source->readers[i]);
  if (!exchange || exchange_is_over(exchange))
    return;
  exchange_discard(exchange);
  exchange_stop(exchange);
  for (exchange_progress(exchange); !exchange_is_over(exchange); exchange_progress(exchange)) {
    if (comm_timed_out(comm_of(source), &search_of(source)->stop, &since) || comm_status(comm_of(source)) != FLOE_OK)
      return;
    comm_backoff(comm_of(source), &pauses);
  }
}

static void synchronise(const struct snapshot_source *source) {
  const struct snapshot_engine *engine = source->engine;
  const struct member_stats mine = {.states = engine->operations->count_states(engine->user)};
  if (comm_of(source))
    collective_begin(engine->collective, &mine);
}

/* FLOE_ERROR_UNSUPPORTED: the search must stop, here or in another member. */
static floe_status run_phase(struct snapshot_source *source, put_states *put) {
  const floe_status put_status = put(source->engine->user, source);
  floe_status status = status_of(source);
  if (status == FLOE_OK)
    status = put_status;
  if (status == FLOE_OK && source->exchange && !exchange_is_over(source->exchange))
    status = FLOE_ERROR_UNSUPPORTED;
  if (file_of(source) && status == FLOE_OK)
    return end_reading(source);
  if (file_of(source) && status == FLOE_ERROR_IO)
    checkpoint_end_reading(file_of(source)); /* logs the cause */
  return status;
}

/* `put` inserts the states of these sections with `active` threads, all of which take states. */
static void restore_sections(struct snapshot_source *source, unsigned sections, unsigned active, put_states *put) {
  struct search *search = search_of(source);
  if (search->ended)
    return;
  begin_phase(source, sections, active);
  const floe_status status = run_phase(source, put);
  if (status != FLOE_OK) {
    if (status != FLOE_ERROR_UNSUPPORTED || (!search_check_stop(search) && !source->exchange))
      search_fail(search, status);
    stop_phase(source);
  }
  synchronise(source);
}

static void restore_waiting(struct snapshot_source *source, unsigned sections) {
  put_states *const load = source->engine->operations->load_waiting;
  restore_sections(source, sections, load ? source->threads : 1, load ? load : put_waiting);
}

/* ---- restoring ----------------------------------------------------------------------------------- */

/* Encodes, on rank 0, the number of states of each section, then the search; the other members contribute nothing. */
static floe_status write_origin(const struct snapshot_source *source, struct byte_buffer *byte_buffer) {
  if (!file_of(source))
    return FLOE_OK;
  for (enum checkpoint_section i = 0; i < CHECKPOINT_SECTIONS; i++) {
    const uint64_t states = checkpoint_sizes_of(file_of(source), i).states;
    byte_buffer_add(byte_buffer, &states, sizeof states);
  }
  search_encode(checkpoint_search_of(file_of(source)), source->words, byte_buffer);
  return byte_buffer->failed ? FLOE_ERROR_MEMORY : FLOE_OK;
}

static floe_status read_origin(struct snapshot_source *source, const struct gathered *gathered) {
  struct search_origin *origin = &search_of(source)->origin;
  const size_t sizes = sizeof origin->states;
  memcpy(origin->states, gathered->content, sizes);
  origin->search = &source->origin;
  return search_decode_guarded(gathered->content + sizes, gathered->bytes - sizes, source->words, &source->arena,
                               &source->origin);
}

/* Sends rank 0's origin to all members. The group may be lost (collective_fail). */
static void share_origin(struct snapshot_source *source) {
  struct byte_buffer byte_buffer = {0};
  struct all_gathered all = {NULL, NULL};
  floe_status status = write_origin(source, &byte_buffer);
  if (status == FLOE_OK)
    status = allgather(comm_of(source), byte_buffer.bytes, byte_buffer.n, &search_of(source)->stop, &all);
  mem_free(byte_buffer.bytes);
  if (status == FLOE_OK)
    status = read_origin(source, all.by);
  if (status != FLOE_OK)
    collective_fail(source->engine->collective, status);
  gathered_free(&all);
}

static floe_status open_readers(struct snapshot_source *source) {
  const struct engine_task *task = search_of(source)->task;
  const size_t scratch = key_scratch(task->layout) + 8; /* cache lines of its own */
  source->threads = pool_size(source->engine->pool);
  source->readers = pages_alloc(source->threads * sizeof *source->readers);
  for (unsigned i = 0; source->readers && i < source->threads; i++) {
    struct reader *reader = &source->readers[i];
    reader->scratch = mem_array(scratch, sizeof *reader->scratch);
    reader->block = task->snapshot.from ? checkpoint_block_create(task->snapshot.from) : NULL;
    if (!reader->scratch || (task->snapshot.from && !reader->block))
      return FLOE_ERROR_MEMORY;
  }
  return source->readers ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static void close_readers(struct snapshot_source *source) {
  for (unsigned i = 0; source->readers && i < source->threads; i++) {
    checkpoint_block_free(source->readers[i].block);
    message_free(source->readers[i].packet);
    mem_free(source->readers[i].scratch);
  }
  if (source->readers)
    pages_free(source->readers, source->threads * sizeof *source->readers);
}

/* One section after another, as a packet does not contain its section. */
static void restore_in_group(struct snapshot_source *source) {
  struct search *search = search_of(source);
  const struct collective *t = source->engine->collective;
  restore_sections(source, 1u << CHECKPOINT_KEYS, source->threads, source->engine->operations->put_visited);
  if (!search->ended && t->states != search->origin.states[CHECKPOINT_KEYS])
    search_fail(search, t->rank == 0 ? snapshot_check(search, t->states, 0) : FLOE_ERROR_IO);
  for (enum checkpoint_section i = CHECKPOINT_KEYS + 1; i < CHECKPOINT_SECTIONS; i++)
    restore_waiting(source, 1u << i);
}

static void restore_alone(struct snapshot_source *source) {
  const struct snapshot_operations *operations = source->engine->operations;
  if (operations->put_multiword && source->words > 1)
    restore_sections(source, 1u << CHECKPOINT_KEYS | 1u << CHECKPOINT_PENDING, source->threads,
                     operations->put_multiword);
  restore_sections(source, 1u << CHECKPOINT_KEYS, source->threads, operations->put_visited);
  restore_waiting(source, WAITING_SECTIONS);
}

/* Rank 0 keeps the sums of the file, and the violations of the level being expanded. If reading was interrupted, all
   figures are those of the checkpoint. */
static void restore_sums(const struct snapshot_source *source) {
  const struct snapshot_engine *engine = source->engine;
  struct search *search = engine->search;
  const bool is_first = engine->collective->rank == 0;
  if (search->status != FLOE_OK)
    return;
  if (search->ended) {
    search->checkpoints.inexact = true;
    engine->operations->set_states(engine->user, is_first ? search->origin.states[CHECKPOINT_KEYS] : 0);
  }
  if (!is_first) {
    memset(search->fired, 0, search->origin.search->transition_count * sizeof *search->fired);
    return;
  }
  snapshot_each_violation(search, engine->operations->put_violation, engine->user);
  const floe_status status = engine->operations->put_sums(engine->user, search->origin.search);
  if (status != FLOE_OK)
    search_fail(search, status);
}

static void restore(struct snapshot_source *source) {
  struct search *search = search_of(source);
  if (comm_of(source))
    share_origin(source);
  floe_status status = search->status;
  if (status == FLOE_OK)
    status = open_readers(source);
  if (status == FLOE_OK)
    status = snapshot_restore_search(search);
  if (status != FLOE_OK)
    search_fail(search, status);
  synchronise(source);
  if (comm_of(source))
    restore_in_group(source);
  else
    restore_alone(source);
  restore_sums(source);
}

void snapshot_restore(const struct snapshot_engine *engine) {
  struct snapshot_source source = {
      .engine = engine, .exchange = engine->collective->exchange, .words = engine->search->task->layout->key_words};
  struct search_origin *origin = &engine->search->origin;
  const double begun = clock_seconds();
  arena_init(&source.arena);
  restore(&source);
  close_readers(&source);
  origin->transitions = origin->search ? origin->search->transitions : 0;
  engine->search->reports.last = clock_seconds();
  engine->search->reports.last_states = engine->operations->count_states(engine->user);
  origin->seconds = engine->search->reports.last - begun;
  origin->search = NULL; /* it may be in the arena; the other members stay in use */
  arena_free(&source.arena);
}
