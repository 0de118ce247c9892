/* Operations of the hash tables on many keys, measured: doc/bench.md. Every measurement checks its own result. For floe
   bench alone: this header is not installed, and these functions may change with every release (libfloe.map). */
#ifndef FLOE_BENCH_PRIVATE_H
#define FLOE_BENCH_PRIVATE_H

#include "floe_tables.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct floe_bench floe_bench;

/* FLOE_BENCH_PUT, ... of operations.def: PUT is of keys that are all different and not in the table, GET and ADD are of
   maps: find, and the value; put, or combine the value with the present one. */
typedef enum {
#define BENCH_OPERATION(operation, word, table, looks, draws) FLOE_BENCH_##operation,
#include "bench/operations.def"
  FLOE_BENCH_OPERATIONS
} floe_bench_operation;
/* "put|find|...", the words of all, behind a first '|'. */
#define BENCH_OPERATION(operation, word, table, looks, draws) "|" word
static const char floe_bench_operation_words[] =
#include "bench/operations.def"
    ;
FLOE_API const char *floe_bench_operation_name(floe_bench_operation operation); /* "find-or-put" */
FLOE_API const char *floe_bench_table(size_t i);       /* name of the i-th scheme; NULL after the last */
FLOE_API const char *floe_bench_permutation(size_t i); /* "mix"; as floe_bench_table */
/* The settings that the tables of a scheme have. */
typedef struct {
  bool bucket_slots;     /* buckets of several sizes */
  bool second_slot_bits; /* a second level */
  bool hashes;           /* several numbers of hash functions */
  unsigned slot_bits[8]; /* the widths of slots; 0 after the last */
} floe_bench_traits;
FLOE_API floe_bench_traits floe_bench_table_traits(const char *table); /* all 0: there is no such scheme */

typedef struct {
  size_t struct_size; /* set by floe_bench_options_init */
  floe_engine engine; /* AUTO: the GPU where there is one that can be used, else the CPU; not INTERPRETER */
  unsigned threads;   /* of the CPU; 0: one per core that the process may use */
  unsigned gpu_device;
  const char *cache_dir; /* of compiled kernels; as in floe_options */
} floe_bench_options;
FLOE_API void floe_bench_options_init(floe_bench_options *options);

/* One at a time. floe_interrupt ends the measurement now running and all that follow. FLOE_ERROR_UNSUPPORTED: the GPU
   that is asked for is not to be had. `log` outlives it. */
FLOE_API floe_status floe_bench_create(const floe_bench_options *options, floe_log *log, floe_bench **out);
FLOE_API void floe_bench_free(floe_bench *bench);
FLOE_API floe_engine floe_bench_engine(const floe_bench *bench);  /* CPU or GPU */
FLOE_API const char *floe_bench_machine(const floe_bench *bench); /* "2 threads, avx512" */

/* The keys of an order file (below), for cases with `from_file`. `numbered`: each is replaced by its number in the
   order of first appearance, which is as narrow as can be. Keys of several words are only to be had so. FLOE_ERROR_IO,
   FLOE_ERROR_USAGE, told. */
typedef struct {
  uint64_t count, distinct;
  unsigned key_bits;
} floe_bench_keys;
FLOE_API floe_status floe_bench_load(floe_bench *bench, const char *path, bool numbered, floe_bench_keys *out);

/* One measurement. Zero (as floe_bench_case_init leaves it) stands for a default. */
typedef struct {
  size_t struct_size;
  const char *table;       /* "iceberg" */
  const char *permutation; /* the table's default */
  floe_bench_operation operation;
  uint64_t slots;    /* 2^22, on a GPU 2^27. Of iceberg's primary level; an eighth as many secondary ones come on top */
  unsigned key_bits; /* as many as slots of 16 bits hold in buckets of 32, as in the paper */
  unsigned slot_bits, second_slot_bits, bucket_slots, value_bits, hashes; /* chosen by the table */
  const char *reduction; /* of ADD: "replace", "sum", "min", "max"; "replace" */
  double before;         /* part of the slots that is filled before the operation, 0..1 */
  double after;          /* PUT, FIND_OR_PUT, ADD: part that is filled afterwards. Others have `before` alone */
  double positive;       /* FIND, GET, DELETE: part of the keys that is in the table, 0..1 */
  uint64_t keys;         /* FIND, GET, DELETE: half the number of slots. FIND_OR_PUT, ADD: the number of slots. PUT
                            has as many as come on top */
  unsigned times;        /* FIND_OR_PUT, ADD: keys that come on top, each so often, and no others (instead of `keys`) */
  double zipf;           /* FIND_OR_PUT, ADD, with before = 0: numbers drawn with this exponent from as many as fill
                            the table to `after`. FIND, GET: those that are there are drawn from all that are */
  bool from_file;        /* the first `part` of the keys loaded; fill factors and `positive` say nothing then. FIND and
                            GET look all of them up, of which each was put once, PUT and DELETE have each once */
  double part;           /* 0..1; 1 */
  bool host_memory;      /* of a GPU: the table lies in the host's memory */
  unsigned repetitions;  /* 5, after one that warms up. That and the last one are looked at more closely */
  uint64_t seed;         /* of keys and permutations */
} floe_bench_case;
FLOE_API void floe_bench_case_init(floe_bench_case *what);

typedef enum {
  FLOE_BENCH_MEASURED,
  FLOE_BENCH_REFUSED, /* the table has no such operation or form, or it has no room: `why` */
  FLOE_BENCH_FULL,    /* keys found no place, above a fill factor that every table reaches. Figures are those of the
                         attempt */
  FLOE_BENCH_WRONG,   /* the table gave a wrong result: `why`. There are no figures */
  FLOE_BENCH_INTERRUPTED
} floe_bench_verdict;
FLOE_API const char *floe_bench_verdict_name(floe_bench_verdict verdict); /* "measured" */

typedef struct {
  floe_bench_verdict verdict;
  char why[200]; /* "" where there is nothing to say */
  unsigned key_bits, slot_bits, second_slot_bits, bucket_slots, value_bits;
  uint64_t slots;            /* those that fill factors count: of all levels but iceberg's third */
  uint64_t bytes;            /* of the table */
  uint64_t keys;             /* of one repetition */
  uint64_t found, put, full; /* answers of the last repetition */
  double before, after;      /* fill factors that came of it */
  unsigned repetitions;
  double rate, rate_least, rate_most; /* keys a second: median of the repetitions, and both ends */
  double ceiling;                     /* keys a second that the memory allows, see doc/bench.md; 0: unknown */
  uint64_t third;                     /* iceberg: keys in the third level; of tables that are looked at */
  double probe_mean;                  /* linear, robin-hood: slots between a key's home and its place; -1: unknown */
  uint64_t probe_most;
} floe_bench_result;

/* FLOE_OK also when it is refused, full, wrong or interrupted. Other errors are told in the log. */
FLOE_API floe_status floe_bench_run(floe_bench *bench, const floe_bench_case *what, floe_bench_result *out);

/* How far a table of iceberg fills before the first key comes to the third level, with keys put one after the other:
   the median of the repetitions is out->after. Of `what` table, slots, widths, permutation, repetitions and seed count.
   On the host, whatever the engine. Errors as floe_bench_run. */
FLOE_API floe_status floe_bench_overflow(floe_bench *bench, const floe_bench_case *what, floe_bench_result *out);

/* Accesses a second that the memory allows at random places of so many bytes, by all threads. */
typedef struct {
  uint64_t bytes;
  double read;                   /* of 64 bytes */
  double swap16, swap32, swap64; /* compare-and-swap of a word of so many bits */
} floe_bench_ceilings;
FLOE_API floe_status floe_bench_limits(floe_bench *bench, uint64_t bytes, floe_bench_ceilings *out);

/* ---- mixed queries of a map: find, put and delete in one stream (bench/queries.h, doc/bench.md) ---- */

/* Zero (as floe_bench_mixed_case_init leaves it) stands for a default. Texts outlive the bench. */
typedef struct {
  size_t struct_size;
  const char *table;   /* "working-set" */
  const char *variant; /* of floe_hash_options: the fastest */
  unsigned threads;    /* of the table; one per core that the process may use */
  uint64_t pairs;      /* in the table, which has a slot for each 0.9 of them: 60397977, 0.9 of 2^26 */
  uint64_t recent;     /* pairs of the first level: 2^20 */
  uint64_t batch;      /* queries in a batch: 2^13 */
  uint64_t queries; /* of a repetition, rounded up to hundreds: 10^7; fewer of tables that take more than `seconds` */
  uint64_t warm_up; /* queries before them: as many as in a repetition; fewer likewise */
  double seconds;   /* that a repetition may take, and what warms up: 0.5 */
  double hot;       /* part of the keys that is asked for more often than by even draws, up to 0.57; 1: all alike */
  double updates;   /* part of the queries that are puts or deletes, half of each, 0..1 in fiftieths; 0: finds alone */
  unsigned repetitions; /* 5 */
  uint64_t seed;
  bool timed; /* a GPU tells its times of kernels and copies, which costs some microseconds a batch */
} floe_bench_mixed_case;
FLOE_API void floe_bench_mixed_case_init(floe_bench_mixed_case *what);
FLOE_API void floe_bench_mixed_case_complete(floe_bench_mixed_case *what); /* puts in the defaults */

typedef struct {
  floe_bench_verdict verdict;
  char why[200];
  uint64_t bytes;               /* of the table */
  uint64_t queries;             /* of one repetition */
  uint64_t found, put, deleted; /* by finds, puts of what was not there, deletes of what was; of the last repetition */
  unsigned repetitions;
  double rate, rate_least, rate_most; /* queries a second: median of the repetitions, and both ends */
  double deviation, share;       /* of the draws: the standard deviation as a part of the pairs, 0 of even draws; the
                                    part of the queries that asks for the hottest fifth of the keys */
  double misses;                 /* of the caches, a query; -1: the system does not tell */
  double first;                  /* queries that the first level answered by itself, a query */
  double moved_up, moved_down;   /* pairs between the levels, a query */
  double waited, second, beside; /* parts of the time: waiting for the first level (a GPU: copies and kernels); the
                                    second level's work; as much of that as went on beside the first level's */
  double kernels, copies;        /* of a GPU, where `timed`, by its own clock, as parts of the time */
} floe_bench_mixed_result;

/* The table stays for the next case, where that differs in queries, warm_up, hot, updates or repetitions alone. FLOE_OK
   also when it is refused, wrong or interrupted. Other errors are told in the log. */
FLOE_API floe_status floe_bench_mixed(floe_bench *bench, const floe_bench_mixed_case *what,
                                      floe_bench_mixed_result *out);

#ifdef __cplusplus
}
#endif

#endif
