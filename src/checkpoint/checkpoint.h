/* Checkpoint file: a paused search that another run can resume; doc/checkpoint.md specifies the format. Paused means
   that no thread expands states or looks them up, at the end of a level or within one. Then every transition counted so
   far has led to a state that is in the visited set, or is pending. A file consists of a head (the identity of the
   search), blocks of states of four sections in any order, the counters of the search, and an end that covers all of
   them. It gets the name FILE when it is complete; the previous file of that name becomes FILE.previous, so that a kill
   at any time leaves a valid one.

   Writing: checkpoint_create, checkpoint_put by any number of threads, checkpoint_commit or checkpoint_abandon.

   Reading: checkpoint_open, checkpoint_next by any number of threads until it returns no states, then
   checkpoint_end_reading, which checks that everything was read. */
#ifndef FLOE_CHECKPOINT_H
#define FLOE_CHECKPOINT_H

#include "core/status.h"
#include "core/system/digest.h"
#include "floe.h"

/* keys: all states found, including those of the other sections except PENDING. rest: states of the current level
   still to be expanded. next: states of the next level found so far. pending: successors of transitions already
   counted, still to be looked up; they may repeat, and may be known. */
enum checkpoint_section { CHECKPOINT_KEYS, CHECKPOINT_REST, CHECKPOINT_NEXT, CHECKPOINT_PENDING, CHECKPOINT_SECTIONS };
const char *checkpoint_section_name(enum checkpoint_section section); /* "keys" */

/* The approximate order of the states in KEYS: by bucket of a table, p mod `buckets` for p = permutation 0 of this
   family with this seed (permutation_make). It only selects the best coding: keys may come in any order. Keys of
   several words, or of 64 bits, have no order. */
struct checkpoint_order {
  const char *permutation; /* of permutation_names(); NULL, or any other: no known order */
  uint64_t seed;
  uint64_t buckets; /* 0 or 1: ordered by p itself */
};

/* Identity of the search. Texts are copied on writing, and live as long as the reader on reading. */
struct checkpoint_head {
  const char *model;                  /* name of the model */
  const char *file;                   /* path of the model as given to the run, for `floe resume`; "": none */
  unsigned char digest[DIGEST_BYTES]; /* checkpoint_identity (checkpoint/identity.h): models with equal digests have the
                                         same states, packed alike, and the same transitions and properties */
  const floe_constant *constants;     /* [constant_count] all constants of the model; `given` is saved */
  uint32_t constant_count;
  const char *const *options; /* [option_count] "--name=value": options of the run, for `floe resume` */
  uint32_t option_count;
  uint32_t bits, words;          /* of a state */
  struct checkpoint_order order; /* on reading, `permutation` is NULL where the file has none */
  int64_t written;               /* seconds since 1970; on writing, 0: now */
  double seconds;                /* exploration time so far, of all runs */
  const char *writer;            /* floe_version of the writer; ignored by checkpoint_create */
};

/* As struct engine_violation; the other members are valid only if `violation`. */
struct checkpoint_violation {
  bool violation;
  bool provisional; /* found in the current level, which may contain a lesser violating state */
  uint32_t depth;
  const uint64_t *state;     /* [words] */
  uint32_t transition, site; /* of struct step_error */
};

/* The state of a search, independent of engine and table. */
struct checkpoint_search {
  const uint64_t *level_states; /* [levels] states of each level found; the last one is the current level, or the next
                                   one to begin */
  uint32_t levels;
  uint32_t complete;                             /* number of levels that are expanded */
  uint64_t expanded;                             /* states of these levels */
  const struct checkpoint_violation *violations; /* [property_count] */
  uint32_t property_count;
  uint64_t failed;    /* mask of properties whose evaluation failed in some state */
  bool firing_failed; /* the firing of some transition failed, first at this depth: */
  uint32_t firing_failed_depth;
  const uint64_t *fired; /* [transition_count] */
  uint32_t transition_count;
  uint64_t transitions, deadlocks, checksum; /* as in struct engine_outcome */
  uint32_t max_out_degree;
};

/* ---- writing ------------------------------------------------------------------------------------- */

struct checkpoint_writer;

/* Memory of a writer with so many contexts. */
size_t checkpoint_writer_bytes(uint32_t words, unsigned contexts);

/* Creates a temporary file; `path` and its file do not change yet. Each writing thread uses its own context. Only
   create, commit and abandon write to the log. FLOE_ERROR_IO, logged: the path is not writable, or names a file that
   is no checkpoint. FLOE_ERROR_MEMORY. */
floe_status checkpoint_create(const char *path, const struct checkpoint_head *head, unsigned contexts, floe_log *log,
                              struct checkpoint_writer **out);
/* Adds n states. One thread at a time uses a context. States are copied, and written in blocks of some ten thousand.
   Neighbours should come together (KEYS by bucket), and sections should change seldom: a block holds states of one
   section, and small blocks cost more. False: this or an earlier write failed, maybe in another context; stop
   writing, and checkpoint_commit logs the reason. */
bool checkpoint_put(struct checkpoint_writer *writer, unsigned context, enum checkpoint_section section,
                    const uint64_t *states, size_t n);
/* Writes the states that contexts still hold (no thread may be in checkpoint_put), the search and the end, and gives
   the file its name. Frees the writer in every case. *bytes: size of the file; NULL is allowed. FLOE_ERROR_IO,
   logged: the old files are unchanged, unless only synchronising the folder failed; then the new file is in place. */
floe_status checkpoint_commit(struct checkpoint_writer *writer, const struct checkpoint_search *search,
                              uint64_t *bytes);
/* Removes the temporary file; logs the failure, if any. NULL is allowed. */
void checkpoint_abandon(struct checkpoint_writer *writer);

/* ---- reading ------------------------------------------------------------------------------------- */

struct checkpoint_reader;

/* Reads head, search and end. FLOE_ERROR_IO, logged: the file cannot be read, is no checkpoint, or is damaged; the
   hint names FILE.previous if it exists, which may be valid. FLOE_ERROR_UNSUPPORTED, logged: this floe lacks
   libzstd, or the file has an unknown version. FLOE_ERROR_MEMORY. */
floe_status checkpoint_open(const char *path, floe_log *log, struct checkpoint_reader **out);
void checkpoint_close(struct checkpoint_reader *reader); /* NULL is allowed */

const struct checkpoint_head *checkpoint_head_of(const struct checkpoint_reader *reader);
/* The value of an option of the run; NULL: it did not have it. */
const char *checkpoint_option_of(const struct checkpoint_head *head, const char *name);
/* The value of "name=value"; NULL: another name. */
const char *checkpoint_option_value(const char *option, const char *name);
const struct checkpoint_search *checkpoint_search_of(const struct checkpoint_reader *reader);
struct checkpoint_sizes {
  uint64_t blocks, states, bytes; /* bytes: of the section in the file */
};
/* Sizes according to the end of the file. */
struct checkpoint_sizes checkpoint_sizes_of(const struct checkpoint_reader *reader, enum checkpoint_section section);
uint64_t checkpoint_bytes_of(const struct checkpoint_reader *reader); /* size of the file */

/* Buffer for the states of a block and for decoding it; each thread needs its own. NULL: no memory. */
struct checkpoint_block;
struct checkpoint_block *checkpoint_block_create(const struct checkpoint_reader *reader);
void checkpoint_block_free(struct checkpoint_block *block); /* NULL is allowed */

struct checkpoint_states {
  enum checkpoint_section section;
  const uint64_t *states; /* [n * words] in `block`, valid until it is used again */
  size_t n;               /* 0: no more states */
};
/* Returns the checked states of the next block, each block to one caller. Any number of threads, each with its own
   checkpoint_block. An error ends reading for all threads; checkpoint_end_reading logs it. */
floe_status checkpoint_next(struct checkpoint_reader *reader, struct checkpoint_block *block,
                            struct checkpoint_states *out);
/* From now on a block with a key that is not below `keys` (struct layout) counts as damaged; 0: all keys of the
   given width are valid. */
void checkpoint_expect_keys(struct checkpoint_reader *reader, uint64_t keys);
/* Restarts reading with only the blocks of these sections (mask of 1 << section). Initially all are read. */
void checkpoint_choose(struct checkpoint_reader *reader, unsigned sections);
/* Call it when all threads have received n = 0 or an error. FLOE_OK: every chosen block was returned once,
   undamaged, and the file is as written. FLOE_ERROR_IO, logged: it is not, and the states read must not be used. */
floe_status checkpoint_end_reading(struct checkpoint_reader *reader);

#endif
