/* The rank of the GPU engine: a device with its memory, kernels and queue at work on a search; what its files share. */
#ifndef FLOE_GPU_RANK_H
#define FLOE_GPU_RANK_H

#include "core/arena.h"
#include "engine/trace/level_archive.h"
#include "core/thread_pool.h"
#include "engine/search.h"
#include "engine/disk/spool_threads.h"
#include "engine/distributed/collective.h"
#include "gpu/table/device_table.h"
#include "gpu/engine/device_tree.h"
#include "gpu/jit/kernels.h"
#include "gpu/engine/peer_devices.h"
#include "gpu/engine/test_settings.h"
#include "tables/kernel/iceberg.h"

#include "gpu/kernel/base/control.h"

/* Positions in the queue begin far from 0: a piece that comes back from the host is put before the next level. */
#define FIRST_POSITION (UINT64_C(1) << 62)

/* Blocks on a multiprocessor that are planned for where the kernel is not known yet. */
#define GPU_MOST_RESIDENT 4

/* ---- kernels (search_kernels.c) ---------------------------------------------------------------------------- */

/* What kernels are compiled for. */
struct table_kind {
  const struct table_scheme *scheme;
  struct geometry geometry;
};

struct search_kernels {
  struct table_kind kind; /* of the tables that it works on */
  struct table_kind from; /* rehash: of the table that it reads */
  struct gpu_module *module;
  size_t bytes;                                            /* of the module's code */
  struct gpu_kernel explore, insert, rehash, export, load; /* rehash is in a module of its own, the last two in one */
  struct gpu_kernel receive;                               /* with explore, of one of several members */
  struct gpu_kernel name, tree_put;                        /* with explore, of states of several words */
};

/* ---- states that left the device (queue.c, queue_segments.c) --------------------------------------------- */

struct queue_segment {
  struct queue_segment *next;
  uint64_t *states; /* page-locked, room for a whole piece; NULL: only on disk */
  uint64_t count;
  struct spool_row row; /* on disk, or on its way there or back; zeros: neither */
};

struct queue_segments {
  struct queue_segment *first;
  uint64_t states;
};

/* Where pieces go that memory has no room for. */
struct spill_store {
  bool possible; /* there is memory for a team */
  struct spool_config config;
  unsigned threads;
  uint64_t reserved;         /* bytes of options->memory */
  struct spool_threads *team;   /* NULL: nothing has gone there */
  struct queue_segment *writing; /* of next_segments or level_segments, on its way; NULL: none */
  bool full;                 /* there is no memory for more pieces */
};

/* ---- states for an archive or an order file (state_download.c) ------------------------------------------ */

/* New states are taken out of the queue after every launch, in the order of their discovery, and are handed on while
   the next launch runs. */
struct state_download {
  bool states;          /* new states are wanted; false: what was looked up (the log), or nothing */
  bool log;             /* what was looked up is wanted */
  uint64_t most;        /* states that may be found in levels that a launch closes: they lie in the queue still */
  uint64_t position;    /* states before it have been taken out */
  uint64_t *buffers[2]; /* page-locked */
  uint64_t *states_of;  /* of several words: [RECORDER_MOST_AT_ONCE], from their roots */
  uint64_t *waiting;    /* the buffer with what has not been handed on yet */
  uint64_t waiting_count;
  uint64_t handed_on;   /* states */
  uint64_t level_start; /* number of the first state of the last level begun in the archive */
  uint32_t levels;      /* begun in the archive */
};

/* ---- keys on their way to a checkpoint and back (key_transfer.c) -------------------------------------- */

struct key_transfer {
  uint64_t room; /* keys in a buffer, whole strips; 0: no checkpoints */
  gpu_address keys[2], counts[2];
  uint64_t *host_keys[2];   /* page-locked */
  uint32_t *host_counts[2]; /* the same: [room / GPU_STRIP] */
  struct thread_pool *pool;
  struct snapshot_writer *files; /* [members of the crew], while one is written */
  struct search_kernels code;      /* module NULL: not made yet */
};

/* ---- one of several (member.c) ------------------------------------------------------------------- */

/* States for other members. Those of this process copy them by themselves. */
struct gpu_outbox {
  gpu_address states; /* as struct gpu_outboxes has them; 0: there is none */
  atomic_uint unread; /* letters of those that have not copied yet */
};

/* What a letter to a device of this process has: where the states are, until `unread` is one less. */
struct peer_copy {
  gpu_address states;
  atomic_uint *unread;
};

/* Zeros but for `together`: the rank explores alone. */
struct gpu_member {
  struct collective collective;
  gpu_address counts, lately, owner_mask; /* as struct gpu_outboxes has them; the last one 0: all bits, or one word */
  uint64_t room, full;
  uint32_t parts;
  struct gpu_outbox outboxes[2];
  unsigned turn;   /* that of them which the next launch fills */
  bool filled;     /* a launch has been at it since it was emptied */
  void *packets;   /* of `stock`; NULL: others copy by themselves (task->group.peers) */
  gpu_address far; /* where their states are, where the group takes them from there; 0: with them, page-locked */
  struct message_pool *message_pool;
  uint64_t *counted;      /* so many states, as struct gpu_outboxes has them */
  unsigned box;           /* of the set filled before that: those before it are sent, */
  uint64_t next;          /* and so many of this one */
  struct message *packet; /* that is being put; NULL: none */
  uint64_t letter_next;   /* states of it that are */
  size_t waiting;         /* letters that had come at the last look, and looks since any came */
  unsigned still;
  bool done;          /* all that this member has of the level in work is expanded */
  bool drained;       /* and all that others sent to its mailboxes in this phase is put */
  uint32_t phase;     /* from 1 on: of the level in work (gpu/kernel/multi/mailbox.h) */
  uint64_t closed;    /* levels that kernels closed, with those of the others */
  unsigned caught_up; /* of these by one that was not at work when all had done them */
  double agreed;      /* when all hosts spoke of a level last, and */
  uint64_t known_out; /* left_out then */
  uint64_t in_flight; /* packets sent to mailboxes, less those taken out of its own, modulo 2^64 */
  bool keep_due;      /* a checkpoint is due once all are at rest */
  floe_status kept;   /* FLOE_ERROR_MEMORY: there was none for all that is to be in a last checkpoint */
  uint64_t left_out;  /* states that found no room in mailboxes, so far */
  struct gpu_mailboxes
      mailboxes[GPU_MOST_LINKED]; /* of those that may be linked, by rank; its own: at 0: it has none */
  uint64_t mail_bytes;
  bool linked; /* all reach the mailboxes of those that may be linked with them: so keys go between these */
  struct engine_violation *violations;
};

/* ---- the rank ------------------------------------------------------------------------------------ */

struct gpu_search {
  struct search *search;
  struct gpu *gpu;
  struct gpu_test_settings test_settings;
  struct arena arena;    /* of the kernels' text */
  const char *generated; /* the model's code */
  const char *decoding;  /* with keys by rank: what of it decodes them */
  struct search_kernels code;
  struct search_kernels mover; /* floe_rehash; module NULL: no table has grown */
  unsigned blocks;       /* of floe_explore */
  uint32_t max_successors;
  uint32_t ticket_batches; /* that `slack` has room for */

  struct gpu_budget budget; /* of the device's memory */
  struct gpu_tree tree;     /* of states of several words: then `state` and `key` mean roots, but for hits and what is
                               handed     on */
  struct device_table visited;
  bool begins_in_two_levels; /* `visited` is only planned */
  bool final;                /* it does not grow any more */
  uint64_t growths;

  struct gpu_control control; /* as the device has it between launches */
  gpu_address control_at, fired, level_states, logged;
  struct host_backed_set *host_backed;            /* NULL: `visited` is all of the set (gpu/engine/host_backed_set.h) */
  gpu_address ring, pending, source; /* pending and source change places */
  uint64_t ring_words, slack, level_capacity, log_capacity;
  unsigned replaced; /* rings whose place a larger one took */
  bool ring_stays;   /* there was no room on the host for what it held meanwhile */
  uint64_t put_room; /* words of pending and of source: slack or more */

  struct queue_segments level_segments, next_segments, spare_segments; /* of the level in work, of the next, none */
  uint64_t segment_words, segment_bytes_all;                     /* the latter: all pieces there are */
  uint64_t spilled;
  struct spill_store store;

  struct state_download download;
  struct key_transfer content;
  struct gpu_member member;
  struct {
    uint64_t *states; /* of a checkpoint, that were pending there; states [put, count) still are */
    uint64_t put, count;
  } unplaced;
  struct {
    uint64_t
        *states; /* of the next level, that are in the set and, as memory ended, in no queue: for a last checkpoint */
    uint64_t count;
  } unqueued;

  uint64_t frontier_peak; /* bytes */

  uint64_t launches, refused; /* refused: keys that found no place, counted as often as that was so */
  bool from_cache;
  double prepared /* of build_seconds, before the exploration */, build_seconds, memory_seconds;
  double kernel_seconds, grow_seconds; /* waiting for floe_explore; growing */
};

static inline uint64_t gpu_search_states(const struct gpu_search *self) {
  return self->control.level.states_before + (self->control.next_end - self->control.level.next);
}

/* engine_gpu.c */
/* Device memory within the budget; FLOE_ERROR_MEMORY is not told. */
floe_status gpu_search_take(struct gpu_search *self, uint64_t bytes, gpu_address *out);
void gpu_search_give(struct gpu_search *self, uint64_t bytes, gpu_address *address);
/* The control block to and from the device; the launch comes between. */
floe_status gpu_search_upload(struct gpu_search *self);
floe_status gpu_search_download(struct gpu_search *self);
struct gpu_space gpu_search_space(const struct gpu_search *self);
/* What ends a launch. */
void gpu_search_set_stops(struct gpu_search *self);
/* floe_explore, on the set that kernels see as `view`, to its end; what was taken out before is handed on meanwhile. */
floe_status gpu_search_launch(struct gpu_search *self, const struct search_kernels *code, const void *view,
                        const struct gpu_space *space);
/* One launch of those, and what it asks for. */
void gpu_search_explore_some(struct gpu_search *self);
/* At the clock: reports, the end that somebody wants. */
void gpu_search_poll(struct gpu_search *self);
/* All states of the level, and of its parts, are expanded (or evaluated, at the depth bound). */
void gpu_search_end_level(struct gpu_search *self);

/* search_kernels.c: kernels for tables of a kind; those that move keys there from tables of the kind `from`; those for the keys
   of a table as arrays. */
struct table_kind kernels_kind(const struct device_table *table);
bool kernels_same_kind(const struct table_kind *a, const struct table_kind *b);
floe_status kernels_make(struct gpu_search *self, const struct table_kind *kind, struct search_kernels *out);
floe_status kernels_make_rehash(struct gpu_search *self, const struct table_kind *kind, const struct table_kind *from,
                             struct search_kernels *out);
floe_status kernels_make_transfer(struct gpu_search *self, const struct table_kind *kind, struct search_kernels *out);
/* The kernels of a set of two levels: exploration, whose table is the part of the newest keys, of that geometry; and
   what is between the levels, for the table that the rank has, or none. */
struct host_lookup;
floe_status kernels_make_device_cache(struct gpu_search *self, const struct geometry *newest, struct search_kernels *out);
floe_status kernels_make_host_lookup(struct gpu_search *self, const struct geometry *newest, struct host_lookup *out);
void kernels_free(struct search_kernels *code);

/* visited_growth.c */
/* States that the visited set will hold, of a group this member's part; 0: nobody knows. */
uint64_t grow_expected_states(const struct gpu_search *self);
floe_status grow_first_set(struct gpu_search *self);
void grow_drop_set(struct gpu_search *self);
/* A larger table with the same keys; false when memory allows none (the old one is as it was) or the run failed. */
bool grow_set(struct gpu_search *self);
/* The set is, or may become, one with a place for every key. */
bool grow_may_have_every_key(const struct gpu_search *self);
/* The same for keys that stand for roots whose numbers have so many bits. FLOE_ERROR_MEMORY: there is no room. */
floe_status grow_keys(struct gpu_search *self, const unsigned bits[2]);
/* Finds places for the keys that the table refused; ends the run where memory allows none. */
void grow_place_pending(struct gpu_search *self);
/* Puts the keys at rank->source; what finds no place is pending then. */
floe_status grow_insert(struct gpu_search *self, uint64_t count);

/* queue.c */
floe_status queue_first(struct gpu_search *self);
/* The queue is full: a larger one, or part of it goes to the host; ends the run where neither has room. */
void queue_relieve(struct gpu_search *self);
/* The same after a launch that left it for that: what was expanded may have left room since. */
void queue_was_full(struct gpu_search *self);
/* As small as the first one: what it holds goes to the host. FLOE_ERROR_MEMORY: the host has no room. */
floe_status queue_shrink(struct gpu_search *self);
/* Some states are on the host: the kernel must not close the level. */
bool queue_in_parts(const struct gpu_search *self);
/* All that is left of the level in work is on the device. */
bool queue_has_level(const struct gpu_search *self);
/* The current part is done: the next one of this level becomes it; false: there is none. */
bool queue_next_part(struct gpu_search *self);
/* What the next level found goes to the next level's place. */
void queue_turn(struct gpu_search *self);
/* Adds states that are not in the ring, of the level in work or the next. FLOE_ERROR_MEMORY: the host has no more room.
 */
floe_status queue_add(struct gpu_search *self, bool next, const uint64_t *states, uint64_t n);
/* All states that wait, of the level in work or the next: those in the ring are downloaded to `buffer`, page-locked, of
   `room` words. */
floe_status queue_each(struct gpu_search *self, bool next, uint64_t *buffer, uint64_t room,
                       void (*visit)(void *user, const uint64_t *states, size_t n), void *user);
uint64_t queue_level_rest(const struct gpu_search *self); /* states of the level still to be expanded */
uint64_t queue_next_states(const struct gpu_search *self);
uint64_t queue_bytes(const struct gpu_search *self);
void queue_free(struct gpu_search *self);

/* queue_segments.c */
/* Before the first one: what there will be room for. */
void segments_plan(struct gpu_search *self);
/* Bytes of options->memory that are theirs, now or whenever one is wanted. */
uint64_t segments_claim(const struct gpu_search *self);
/* A piece in memory, for which another one may go to the disk; the device has finished copying then. FLOE_ERROR_MEMORY:
   neither has room. */
floe_status segments_new(struct gpu_search *self, struct queue_segment **out);
void segments_push(struct queue_segments *list, struct queue_segment *segment);
/* The first one of a list that has one, in memory. FLOE_ERROR_MEMORY: there is none for it; FLOE_ERROR_IO. It stays in
 * the list then.
 */
floe_status segments_pop(struct gpu_search *self, struct queue_segments *list, struct queue_segment **out);
void segments_spare(struct gpu_search *self, struct queue_segment *segment); /* its states are not needed any more */
void segments_drop(struct gpu_search *self, struct queue_segments *list);  /* nor those of the first one of a list */
/* While the device does not copy, before it works: begins to write what will have to go; to read what is wanted next.
 */
void segments_settle(struct gpu_search *self);
void segments_look_ahead(struct gpu_search *self);
/* All states of a list, which stays as it is. FLOE_ERROR_IO. */
floe_status segments_each(struct gpu_search *self, const struct queue_segments *list,
                        void (*visit)(void *user, const uint64_t *states, size_t n), void *user);
void segments_tell(struct gpu_search *self);              /* what went wrong with the disk, if anything */
uint64_t segments_written(const struct gpu_search *self); /* bytes */
void segments_free(struct gpu_search *self);              /* while the device does not copy */

/* state_download.c */
/* Before anything is sized: what is wanted of a run. */
void download_plan(struct gpu_search *self);
floe_status download_open(struct gpu_search *self);
void download_take(struct gpu_search *self);
void download_hand_on(struct gpu_search *self);
/* Of one of several processes that record their order: what was found of the next level goes to rank 0's file, with all
   others. An error ends the search. */
void download_record(struct gpu_search *self);
/* Of one of several members: all that was found so far is handed on, before what anybody finds after all have agreed.
 */
void download_settle(struct gpu_search *self);
void download_moved(struct gpu_search *self); /* next_end was set back: everything before it has been taken */
/* Of one of several members, some of which have found nothing: archives have the same levels. */
void download_begin_level(struct gpu_search *self);
void download_close(struct gpu_search *self);

/* member.c */
/* First of all: where task->post is set the rank is one of several members. */
void member_join(struct gpu_search *self);
bool member_is_one(const struct gpu_search *self);
/* All members are devices of this process. */
static inline bool member_has_peers(const struct gpu_search *self) { return self->search->task->group.peers != NULL; }
/* Of a state, as it is sent. */
static inline uint32_t member_words(const struct gpu_search *self) { return self->tree.words ? self->tree.words : 1; }
static inline uint64_t member_state_bytes(const struct gpu_search *self) { return member_words(self) * sizeof(uint64_t); }
/* Keys that a lane has beside a state's successors: what comes to the columns, what waits for a packet to be full. */
uint32_t member_most_beside(const struct gpu_search *self);
/* Blocks of its grid, so that all members that have the same device are at work at once. */
unsigned member_most_blocks(const struct gpu_search *self);
uint64_t member_inbox(const struct gpu_search *self);
floe_status member_open(struct gpu_search *self);
void member_close(struct gpu_search *self);
void member_describe(const struct gpu_search *self, struct gpu_space *space);
/* What calls for the hosts at the end of a level; the rest of gpu_search_set_stops is done. */
void member_set_stops(struct gpu_search *self);
/* The last launch has closed so many levels. */
void member_closed(struct gpu_search *self, uint32_t levels);
/* n keys, in the host's memory, are put, or become pending where the search has ended and there is no room for them. */
void member_put(struct gpu_search *self, const uint64_t *keys, uint64_t n);
/* After each member has begun, or failed to: all go on, or none. */
void member_begin(struct gpu_search *self);
/* The level in work, with all others; the next one is in work then, or the search has ended. */
void member_expand_level(struct gpu_search *self);

/* outbox.c */
/* The slack that outboxes have room for; put_room. */
uint64_t outbox_most_slack(const struct gpu_search *self);
struct exchange_plan outbox_letters(const struct gpu_search *self);
floe_status outbox_open(struct gpu_search *self);
void outbox_close(struct gpu_search *self);
/* For the next launch. */
bool outbox_is_free(struct gpu_search *self);
/* What the last launch left there is on its way then; nothing else is under way. */
floe_status outbox_empty(struct gpu_search *self);
/* Some of it is not sent yet; always sent where members copy by themselves. */
bool outbox_is_under_way(const struct gpu_search *self);
/* Sends some. False: there was nothing to send, or no letter for it. Fails the search. */
bool outbox_send(struct gpu_search *self);
/* Nobody wants it any more. */
void outbox_give_up(struct gpu_search *self);
/* While a launch runs, to its end: sends, and takes what comes. */
floe_status outbox_work(struct gpu_search *self);

/* mailbox.c */
/* Members that kernels are compiled to send to in this way, this one among them; 0: none. */
unsigned mailbox_members(const struct gpu_search *self);
/* There are some, and others besides. */
bool mailbox_has_others(const struct gpu_search *self);
/* Its own. FLOE_OK also where there is no room for any. */
floe_status mailbox_open(struct gpu_search *self);
/* Those of the others that may be linked, which have opened theirs; *all: that can be done. */
floe_status mailbox_link(struct gpu_search *self, bool *all);
/* Lets go of others'. Where they are linked, all members do so at once, and after that none has hold of this one's. */
void mailbox_unlink(struct gpu_search *self);
void mailbox_close(struct gpu_search *self);
/* This is how keys go to some others. */
bool mailbox_is_used(const struct gpu_search *self);
void mailbox_describe(const struct gpu_search *self, struct gpu_space *space);

/* Between two phases, of which the last one was stopped: all keys that lie there are put (member_put), and they are as
   at first then, if all members do the same before any of them explores. */
floe_status mailbox_empty(struct gpu_search *self);

/* key_transfer.c */
/* Where checkpoints are wanted, or the search goes on from one: buffers and threads. */
floe_status content_open(struct gpu_search *self);
uint64_t content_bytes(const struct gpu_search *self); /* of the device's memory, that this takes */
void content_close(struct gpu_search *self);
/* Who visits is one of the crew's members, several at once; keys come in the order of the table's slots, to each
   member neighbours. *count: of them all. */
floe_status content_export(struct gpu_search *self,
                           void (*visit)(void *user, unsigned member, const uint64_t *keys, uint64_t n), void *user,
                           uint64_t *count);
/* Keys for the set, until there are none: each of the crew's members fills [to, to + room) and returns how many it put
   there, 0: no more. The table grows where it has to. FLOE_ERROR_IO, told: a key came twice. FLOE_ERROR_MEMORY: they do
   not fit. FLOE_ERROR_UNSUPPORTED: the run is to end. */
floe_status content_load(struct gpu_search *self,
                         uint64_t (*fill)(void *user, unsigned member, uint64_t *to, uint64_t room), void *user);

/* gpu_save.c: writes a checkpoint, between two launches. Errors are told, and the search goes on. */
void gpu_save(struct gpu_search *self);

/* gpu_restore.c: makes the rank what it was at task->snapshot.from, before anything was put. What was pending there is in
   rank->unplaced. An interrupted search has ended then, with the figures of the checkpoint. */
floe_status gpu_restore(struct gpu_search *self);
/* Puts it, as far as there is room. */
void resume_place(struct gpu_search *self);
/* The sums of search->origin, but for states and hits, become the rank's. */
floe_status resume_sums(struct gpu_search *self);

/* gpu_restore_distributed.c: the same as gpu_restore for all members of a group: rank 0 reads, and each gets the states that it owns.
   The search may have ended then, with or without an error. */
void gpu_restore_distributed(struct gpu_search *self);

/* gpu_tree.c: states of several words */
/* What a first table's keys take, before there is memory: words, users and bits are set. */
void gpu_tree_plan(struct gpu_search *self);
/* Tables and room for `slack` states without roots. FLOE_ERROR_MEMORY. */
floe_status gpu_tree_open(struct gpu_search *self);
void gpu_tree_close(struct gpu_search *self);
/* Of the visited set's keys. */
unsigned gpu_tree_key_bits(const struct gpu_tree *tree);
/* Adds what kernels are told of it. */
void gpu_tree_describe(const struct gpu_search *self, struct gpu_space *space);

/* What is in the tables, to tree.numbers. */
floe_status gpu_tree_count(struct gpu_search *self);
/* Roots for n states of layout->words words each, which are at tree.unnamed, to rank->source. Tables grow where they
   have to. FLOE_ERROR_MEMORY, not told. */
floe_status gpu_tree_name(struct gpu_search *self, uint64_t n);
/* The states that got no root in the last launch, into the visited set; ends the run where memory allows none. */
void gpu_tree_place(struct gpu_search *self);

/* All that was given a number so far is known to the host; then states come from roots. */
floe_status gpu_tree_copy(struct gpu_search *self);
void gpu_tree_states(const struct gpu_search *self, const uint64_t *roots, uint64_t n, uint64_t *states);

/* tree_snapshot.c: the same in checkpoints */
/* Each thread's part of the way out; gpu_tree_copy comes before. FLOE_ERROR_MEMORY. */
struct gpu_tree_lane;
floe_status gpu_tree_lanes(const struct gpu_search *self, unsigned members, struct gpu_tree_lane **out);
void gpu_tree_lanes_free(struct gpu_tree_lane *lanes, unsigned members);
/* Roots, or keys of the visited set, as states, some at a time. */
void gpu_tree_visit(const struct gpu_search *self, struct gpu_tree_lane *lanes, unsigned member, bool keys,
                    const uint64_t *waiting, uint64_t n, void (*visit)(void *user, const uint64_t *states, uint64_t n),
                    void *user);

/* On the way in: all states of the file that the search goes on from have numbers, and the device has the tables.
   FLOE_ERROR_UNSUPPORTED: the run is to end. FLOE_ERROR_IO. FLOE_ERROR_MEMORY. */
struct gpu_tree_names;
floe_status gpu_tree_read(struct gpu_search *self, struct gpu_tree_names **out);
void gpu_tree_names_free(struct gpu_tree_names *names); /* NULL is allowed */
/* Roots of n such states; returns n. Each member for itself. */
uint64_t gpu_tree_roots(const struct gpu_tree_names *names, unsigned member, const uint64_t *states, uint64_t n,
                        uint64_t *roots);

/* For these: the contents of a table, which is empty, by number; then, when all are there, keys as wide as they need.
 */
floe_status gpu_tree_fill(struct gpu_search *self, uint32_t id, const uint64_t *contents, uint64_t n);
floe_status gpu_tree_use(struct gpu_search *self);

/* violations.c: the error that makes a state trigger a property, as the stepper tells it. */
floe_status violations_error(const struct gpu_search *self, size_t property, const uint64_t *state, struct step_error *out);
/* The words of control.results.witness[property], to be freed. NULL: there is no memory. */
uint64_t *violations_state(const struct gpu_search *self, size_t property);
/* The least witnesses of properties that triggered in the level `depth`, with those errors, to hits[property]. */
floe_status violations_collect(struct gpu_search *self, uint32_t depth, uint64_t triggered, struct engine_violation *violations);
void violations_forget(struct gpu_search *self); /* what has triggered */
/* What triggered in the level `depth`, with those errors. */
floe_status violations_gather(struct gpu_search *self, uint32_t depth);

#endif
