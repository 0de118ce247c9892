/* Measurement of hash-table operations on many keys: doc/bench.md. Every measurement checks its own result. For floe
   bench alone: this header is not installed, and these functions may change with every release (libfloe.map). */
#ifndef FLOE_BENCH_FLOE_BENCH_H
#define FLOE_BENCH_FLOE_BENCH_H

#include "floe_tables.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct floe_bench floe_bench;

/* FLOE_BENCH_PUT, ... of operations.def. PUT is for keys that are all different and not in the table. GET and ADD
   are for maps: find and return the value; put, or combine the value with the present one. */
typedef enum {
#define BENCH_OPERATION(operation, word, table, looks, draws) FLOE_BENCH_##operation,
#include "bench/operations.def"
  FLOE_BENCH_OPERATIONS
} floe_bench_operation;
/* "|put|find|...": all words. */
#define BENCH_OPERATION(operation, word, table, looks, draws) "|" word
static const char floe_bench_operation_words[] =
#include "bench/operations.def"
    ;
FLOE_API const char *floe_bench_operation_name(floe_bench_operation operation); /* "find-or-put" */
FLOE_API const char *floe_bench_table(size_t i);       /* name of the i-th scheme; NULL after the last */
FLOE_API const char *floe_bench_permutation(size_t i); /* "mix"; as floe_bench_table */
/* Options that the tables of a scheme have. */
typedef struct {
  bool bucket_slots;     /* several bucket sizes */
  bool second_slot_bits; /* a second level */
  bool hashes;           /* several numbers of hash functions */
  unsigned slot_bits[8]; /* slot widths; 0 after the last */
} floe_bench_traits;
FLOE_API floe_bench_traits floe_bench_table_traits(const char *table); /* all 0: no such scheme */

typedef struct {
  size_t struct_size; /* set by floe_bench_options_init */
  floe_engine engine; /* AUTO: a usable GPU if there is one, else the CPU; not INTERPRETER */
  unsigned threads;   /* CPU: 0: one per core that the process may use */
  unsigned gpu_device;
  const char *cache_dir; /* directory of compiled kernels; as in floe_options */
} floe_bench_options;
FLOE_API void floe_bench_options_init(floe_bench_options *options);

/* Only one bench may exist at a time. floe_interrupt ends the current measurement and all later ones.
   FLOE_ERROR_UNSUPPORTED: the requested GPU is not available. `log` must outlive the bench. */
FLOE_API floe_status floe_bench_create(const floe_bench_options *options, floe_log *log, floe_bench **out);
FLOE_API void floe_bench_free(floe_bench *bench);
FLOE_API floe_engine floe_bench_engine(const floe_bench *bench);  /* CPU or GPU */
FLOE_API const char *floe_bench_machine(const floe_bench *bench); /* "2 threads, avx512" */

/* Loads the keys of an order file, for cases with `from_file`. `numbered`: each key is replaced by its number in the
   order of first appearance, which has the least width; keys of several words require it. FLOE_ERROR_IO,
   FLOE_ERROR_USAGE, logged. */
typedef struct {
  uint64_t count, distinct;
  unsigned key_bits;
} floe_bench_keys;
FLOE_API floe_status floe_bench_load(floe_bench *bench, const char *path, bool numbered, floe_bench_keys *out);

/* One measurement. Zero (set by floe_bench_case_init) stands for the default. */
typedef struct {
  size_t struct_size;
  const char *table;       /* "iceberg" */
  const char *permutation; /* the table's default */
  floe_bench_operation operation;
  uint64_t slots; /* 2^22, on a GPU 2^27. For iceberg those of the primary level; an eighth as many secondary slots are
                     added */
  unsigned key_bits; /* as many as slots of 16 bits hold in buckets of 32, as in the paper */
  unsigned slot_bits, second_slot_bits, bucket_slots, value_bits, hashes; /* chosen by the table */
  const char *reduction; /* for ADD: "replace", "sum", "min", "max"; "replace" */
  double before;         /* part of the slots filled before the operation, 0..1 */
  double after;          /* PUT, FIND_OR_PUT, ADD: part filled afterwards. Others have `before` alone */
  double positive;       /* FIND, GET, DELETE: part of the keys that is in the table, 0..1 */
  uint64_t keys;  /* FIND, GET, DELETE: half the number of slots. FIND_OR_PUT, ADD: the number of slots. PUT: always the
                     number of added keys */
  unsigned times; /* FIND_OR_PUT, ADD: each added key occurs so often, and no others (instead of `keys`) */
  double zipf; /* FIND_OR_PUT, ADD, with before = 0: numbers drawn with this exponent from as many as fill the table to
                  `after`. FIND, GET: present keys are drawn from all keys in the table */
  bool from_file; /* the first `part` of the loaded keys; fill factors and `positive` are ignored. FIND and GET look up
                     all of them, each of which was put once; PUT and DELETE use each once */
  double part;    /* 0..1; 1 */
  bool host_memory;     /* GPU: the table is in the host's memory */
  unsigned repetitions; /* 5, after one for warm-up. The first and the last run are verified in more detail */
  uint64_t seed;        /* for keys and permutations */
} floe_bench_case;
FLOE_API void floe_bench_case_init(floe_bench_case *what);

typedef enum {
  FLOE_BENCH_MEASURED,
  FLOE_BENCH_REFUSED, /* the table lacks the operation or form, or has no room: `why` */
  FLOE_BENCH_FULL,    /* keys found no place, above a fill factor that every table reaches. Figures are those of the
                         attempt */
  FLOE_BENCH_WRONG,   /* the table gave a wrong result: `why`. There are no figures */
  FLOE_BENCH_INTERRUPTED
} floe_bench_verdict;
FLOE_API const char *floe_bench_verdict_name(floe_bench_verdict verdict); /* "measured" */

typedef struct {
  floe_bench_verdict verdict;
  char why[200]; /* ""; or the reason */
  unsigned key_bits, slot_bits, second_slot_bits, bucket_slots, value_bits;
  uint64_t slots;            /* slots that fill factors refer to: of all levels except iceberg's third */
  uint64_t bytes;            /* of the table */
  uint64_t keys;             /* of one repetition */
  uint64_t found, put, full; /* answers of the last repetition */
  double before, after;      /* actual fill factors */
  unsigned repetitions;
  double rate, rate_least, rate_most; /* keys a second: median of the repetitions, least and greatest */
  double ceiling;    /* upper bound of the rate from memory accesses, in keys a second, see doc/bench.md; 0: unknown */
  uint64_t third;    /* iceberg: keys in the third level; of verified tables */
  double probe_mean; /* linear, robin-hood: slots between a key's home and its place; -1: unknown */
  uint64_t probe_most;
} floe_bench_result;

/* FLOE_OK also if the case is refused, full, wrong or interrupted. Other errors are logged. */
FLOE_API floe_status floe_bench_run(floe_bench *bench, const floe_bench_case *what, floe_bench_result *out);

/* Fill of an iceberg table when the first key reaches the third level, with keys put one after the other: out->after
   is the median of the repetitions. Uses table, slots, widths, permutation, repetitions and seed of `what`. Runs on
   the host, whatever the engine. Errors as floe_bench_run. */
FLOE_API floe_status floe_bench_overflow(floe_bench *bench, const floe_bench_case *what, floe_bench_result *out);

/* Rates of random memory accesses in a footprint of `bytes`, by all threads, in accesses a second. */
typedef struct {
  uint64_t bytes;
  double read;                   /* of 64 bytes */
  double swap16, swap32, swap64; /* compare-and-swap of a word of this width */
} floe_bench_ceilings;
FLOE_API floe_status floe_bench_limits(floe_bench *bench, uint64_t bytes, floe_bench_ceilings *out);

/* ---- mixed queries of a map: find, put and delete in one stream (bench/queries/queries.h, doc/bench.md) ---- */

/* Zero (set by floe_bench_mixed_case_init) stands for the default. Strings must outlive the bench. */
typedef struct {
  size_t struct_size;
  const char *table;   /* "working-set" */
  const char *variant; /* of floe_hash_options: the fastest */
  unsigned threads;    /* threads of the table; one per core that the process may use */
  uint64_t pairs;      /* pairs in the table, which has a slot for each 0.9 of them: 60397977, 0.9 of 2^26 */
  uint64_t recent;     /* pairs of the first level: 2^20 */
  uint64_t batch;      /* queries per batch: 2^13 */
  uint64_t queries; /* per repetition, rounded up to hundreds: 10^7; fewer for tables that take more than `seconds` */
  uint64_t warm_up; /* queries before them: as many as in a repetition; fewer likewise */
  double seconds;   /* limit for a repetition, and for the warm-up: 0.5 */
  double hot; /* part of the keys that is requested more often than in a uniform distribution, up to 0.57; 1: uniform */
  double updates; /* part of the queries that are puts or deletes, half of each, 0..1 in fiftieths; 0: only finds */
  unsigned repetitions; /* 5 */
  uint64_t seed;
  bool timed; /* a GPU measures the times of kernels and copies, which costs some microseconds a batch */
} floe_bench_mixed_case;
FLOE_API void floe_bench_mixed_case_init(floe_bench_mixed_case *what);
FLOE_API void floe_bench_mixed_case_complete(floe_bench_mixed_case *what); /* sets the defaults */

typedef struct {
  floe_bench_verdict verdict;
  char why[200];
  uint64_t bytes;               /* of the table */
  uint64_t queries;             /* of one repetition */
  uint64_t found, put, deleted; /* by finds; puts of absent keys; deletes of present keys; of the last repetition */
  unsigned repetitions;
  double rate, rate_least, rate_most; /* queries a second: median of the repetitions, least and greatest */
  double deviation, share; /* of the distribution: standard deviation as a part of the pairs, 0 if uniform; part of the
                              queries for the hottest fifth of the keys */
  double misses;           /* cache misses per query; -1: not available */
  double first;            /* part of the queries that the first level answered alone */
  double moved_up, moved_down;   /* pairs moved between the levels, per query */
  double waited, second, beside; /* parts of the time: waiting for the first level (a GPU: copies and kernels); work of
                                    the second level; the part of that which overlapped the first level's work */
  double kernels, copies;        /* GPU, if `timed`, by its own clock, as parts of the time */
} floe_bench_mixed_result;

/* The table is reused for the next case if that differs only in queries, warm_up, hot, updates or repetitions.
   FLOE_OK also if the case is refused, wrong or interrupted. Other errors are logged. */
FLOE_API floe_status floe_bench_mixed(floe_bench *bench, const floe_bench_mixed_case *what,
                                      floe_bench_mixed_result *out);

#ifdef __cplusplus
}
#endif

#endif
