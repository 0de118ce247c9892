/* The file of a search at rest, from which another run can go on: doc/checkpoint.md has it byte by byte. At rest means
   that nobody expands or looks up, at the end of a level or within one; then every transition counted so far has led to
   a state that is in the visited set, or is pending.
   A file is made of a head (whose search it is), blocks of states of four sections in any order, the search's figures,
   and an end that covers all of them. It takes the name FILE when it is whole; what had that name becomes
   FILE.previous, so that a kill at any moment leaves a sound one.

   Who writes:  checkpoint_create, checkpoint_put by any number of threads, checkpoint_commit or checkpoint_abandon.
   Who reads:   checkpoint_open, checkpoint_next by any number of threads until it gives nothing, checkpoint_end_reading
                when all of them are done: only then is it certain that what they were given is all of it. */
#ifndef FLOE_CHECKPOINT_H
#define FLOE_CHECKPOINT_H

#include "core/digest.h"
#include "core/status.h"
#include "floe.h"

/* keys: all states found, those of the other sections but PENDING among them. rest: states of the level in work that
   are still to be expanded. next: states of the level after it found so far. pending: states that transitions counted
   already have led to, and that are still to be looked up; they may repeat, and may be known. */
enum checkpoint_section { CHECKPOINT_KEYS, CHECKPOINT_REST, CHECKPOINT_NEXT, CHECKPOINT_PENDING, CHECKPOINT_SECTIONS };
const char *checkpoint_section_name(enum checkpoint_section section); /* "keys" */

/* The order in which the states of KEYS come, as far as they come in one: by bucket of a table, p mod `buckets` for
   p = permutation 0 of this family with this seed (permutation_make). It says how they are coded best, nothing more:
   any keys may come in any order. Keys of several words, or of 64 bits, have none. */
struct checkpoint_order {
  const char *permutation; /* of permutation_names(); NULL, or any other: keys come in no order that is known */
  uint64_t seed;
  uint64_t buckets; /* 0 or 1: by p itself */
};

/* Whose search it is. All texts are copied on writing, and live as long as the reader on reading. */
struct checkpoint_head {
  const char *model;                  /* its name */
  const char *file;                   /* path of its text as given to the run, for `floe resume`; "": none */
  unsigned char digest[DIGEST_BYTES]; /* checkpoint_identity (checkpoint/identity.h): two models with the same one have
                                         the same states, packed alike, transitions and properties */
  const floe_constant *constants;     /* [constant_count] all of the model; `given` is kept */
  uint32_t constant_count;
  const char *const *options; /* [option_count] "--name=value": what the run was asked for, for `floe resume` */
  uint32_t option_count;
  uint32_t bits, words;          /* of a state */
  struct checkpoint_order order; /* on reading, `permutation` is NULL where the file has none */
  int64_t written;               /* seconds since 1970; on writing, 0: now */
  double seconds;                /* explored so far, by all runs together */
  const char *writer;            /* floe_version of who wrote it; not read by checkpoint_create */
};

/* As struct engine_violation; `state` and `error` count only where `hit`. */
struct checkpoint_violation {
  bool violation;
  bool provisional; /* found in the level in work, whose other states may have a lesser one */
  uint32_t depth;
  const uint64_t *state;     /* [words] */
  uint32_t transition, site; /* of struct step_error */
};

/* What struct search and the ranks' sums hold, in numbers that no engine or table has a part in. */
struct checkpoint_search {
  const uint64_t *level_states; /* [levels] states of each level found; the last one is in work, or to be begun */
  uint32_t levels;
  uint32_t complete;                             /* the first so many levels are expanded */
  uint64_t expanded;                             /* states of these */
  const struct checkpoint_violation *violations; /* [property_count] */
  uint32_t property_count;
  uint64_t failed; /* mask of properties whose evaluation failed in some state */
  bool cut;        /* some firing failed, first at cut_depth */
  uint32_t cut_depth;
  const uint64_t *fired; /* [transition_count] */
  uint32_t transition_count;
  uint64_t transitions, deadlocks, checksum; /* as in struct engine_outcome */
  uint32_t max_out_degree;
};

/* ---- writing ------------------------------------------------------------------------------------- */

struct checkpoint_writer;

/* Memory of a writer with so many lanes. */
size_t checkpoint_writer_bytes(uint32_t words, unsigned lanes);

/* Nothing takes the name `path` yet, and nothing that has it changes. A lane is one thread's way in. The log is written
   by create, commit and complain alone. FLOE_ERROR_IO, told: it cannot be written there, or what is there is no
   checkpoint. FLOE_ERROR_MEMORY. */
floe_status checkpoint_create(const char *path, const struct checkpoint_head *head, unsigned lanes, floe_log *log,
                              struct checkpoint_writer **out);
/* Adds n states. Lanes are independent of each other, one thread at a time uses one. States are copied, and written
   some ten thousand at a time; neighbours should come together (KEYS by bucket), and a section at a time: blocks
   are of one section, and small ones are dear. False: something failed, now or
   before, maybe in another lane; there is no point in going on, and checkpoint_commit will tell. */
bool checkpoint_put(struct checkpoint_writer *writer, unsigned lane, enum checkpoint_section section,
                    const uint64_t *states, size_t n);
/* Writes what lanes still hold (no thread is in checkpoint_put any more), the search and the end, and gives the file
   its name. The writer is gone, whatever comes of it. *bytes: of the file; NULL is allowed. FLOE_ERROR_IO, told: the
   old files are as they were, or, where only the folder could not be synchronised, the new one stands already. */
floe_status checkpoint_commit(struct checkpoint_writer *writer, const struct checkpoint_search *search,
                              uint64_t *bytes);
/* Leaves everything as it was; tells what failed, if anything. NULL is allowed. */
void checkpoint_abandon(struct checkpoint_writer *writer);

/* ---- reading ------------------------------------------------------------------------------------- */

struct checkpoint_reader;

/* Reads head, search and end. FLOE_ERROR_IO, told: it cannot be read, is no checkpoint, or is damaged; FILE.previous
   may be sound then, and is named in the hint if it is there. FLOE_ERROR_UNSUPPORTED, told: this floe lacks libzstd,
   or it is of a version that it does not know. FLOE_ERROR_MEMORY. */
floe_status checkpoint_open(const char *path, floe_log *log, struct checkpoint_reader **out);
void checkpoint_close(struct checkpoint_reader *reader); /* NULL is allowed */

const struct checkpoint_head *checkpoint_head_of(const struct checkpoint_reader *reader);
const struct checkpoint_search *checkpoint_search_of(const struct checkpoint_reader *reader);
struct checkpoint_sizes {
  uint64_t blocks, states, bytes; /* bytes: that the section takes in the file */
};
/* As the end says. */
struct checkpoint_sizes checkpoint_sizes_of(const struct checkpoint_reader *reader, enum checkpoint_section section);
uint64_t checkpoint_bytes_of(const struct checkpoint_reader *reader); /* of the whole file */

/* Room for the states of a block, and what it takes to read one; each thread needs its own. NULL: no memory. */
struct checkpoint_block;
struct checkpoint_block *checkpoint_block_create(const struct checkpoint_reader *reader);
void checkpoint_block_free(struct checkpoint_block *block); /* NULL is allowed */

struct checkpoint_states {
  enum checkpoint_section section;
  const uint64_t *states; /* [n * words], in `block` until it is used again */
  size_t n;               /* 0: there are no more */
};
/* The states of a block that no other call was given, checked. Any number of threads at once, each with its block.
   Any error ends it for all threads; checkpoint_end_reading tells it. */
floe_status checkpoint_next(struct checkpoint_reader *reader, struct checkpoint_block *block,
                            struct checkpoint_states *out);
/* From now on a block with a key that is not below `keys` (struct layout) is damaged; 0: any key of so many bits may
 * be.
 */
void checkpoint_expect_keys(struct checkpoint_reader *reader, uint64_t keys);
/* Begins again, with the blocks of these sections alone (mask of 1 << section); before the first one: all. */
void checkpoint_choose(struct checkpoint_reader *reader, unsigned sections);
/* When all threads were given n = 0 or an error: everything chosen was given to somebody, undamaged, and the file is
   what was written. FLOE_ERROR_IO, told: it is not; what was read must not be used. */
floe_status checkpoint_end_reading(struct checkpoint_reader *reader);

#endif
