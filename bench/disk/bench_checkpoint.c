/* Speed and size of checkpoint files with the content of an iceberg table, written bucket by bucket as by an engine.

       bench_checkpoint [-k KEY_BITS] [-n KEYS] [-t THREADS] [-r REPEATS] FILE

   Prints, in million keys a second: encoding and decoding of blocks alone on one thread (processor time, the
   median); then with all threads (elapsed time) writing FILE, its commit including the wait for the disk, and
   reading it. Then bytes per key in the file and in the table. */
#include "base/splitmix64.h"
#include "checkpoint/coder.h"
#include "checkpoint/format.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "tables/table.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64, MAX_REPEATS = 100 };

static double thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool fine, const char *what) {
  if (fine)
    return;
  fprintf(stderr, "bench_checkpoint: %s\n", what);
  exit(99);
}

static uint64_t random_word(uint64_t i) { return splitmix64_mix(i * UINT64_C(0x9e3779b97f4a7c15)); }

struct setting {
  unsigned bits, threads, repeats;
  uint64_t keys;
  const char *path;
  struct table *table;
  struct checkpoint_head head;
  floe_log *log;
};

/* ---- the table ------------------------------------------------------------------------------- */

struct filler {
  const struct setting *setting;
  unsigned number;
};

static void *fill_part(void *data) {
  const struct filler *filler = data;
  const struct setting *s = filler->setting;
  uint64_t keys[256];
  uint8_t answers[256];
  for (uint64_t i = filler->number * UINT64_C(256); i < s->keys; i += s->threads * UINT64_C(256)) {
    for (unsigned j = 0; j < 256; j++)
      keys[j] = random_word(i + j) & UINT64_MAX >> (64 - s->bits);
    need(table_find_or_put(s->table, keys, 256, answers) == 0, "the table is full");
  }
  return NULL;
}

static void fill(struct setting *s) {
  pthread_t threads[MAX_THREADS];
  struct filler fillers[MAX_THREADS];
  struct table_config config = {.key_bits = s->bits, .slots = s->keys + s->keys / 12, .packed = true, .seed = 1};
  need(table_create(&config, &s->table) == FLOE_OK, "no memory for the table");
  for (unsigned i = 0; i < s->threads; i++) {
    fillers[i] = (struct filler){s, i};
    pthread_create(&threads[i], NULL, fill_part, &fillers[i]);
  }
  for (unsigned i = 0; i < s->threads; i++)
    pthread_join(threads[i], NULL);
  s->keys = table_count(s->table);
  s->head = (struct checkpoint_head){
      .bits = s->bits,
      .words = 1,
      .order = {.permutation = permutation_names()[0], .seed = config.seed, .buckets = table_shape(s->table)->buckets}};
}

/* ---- coding alone ---------------------------------------------------------------------------- */

enum { BLOCKS = 64 };

/* Sample blocks of table_each, from all over the table. */
struct sample {
  uint64_t *keys; /* [BLOCKS * BLOCK_WORDS] */
  size_t seen, taken, every;
};

static void take(void *user, const uint64_t *keys, size_t n) {
  struct sample *sample = user;
  for (size_t i = 0; i < n; i++, sample->seen++)
    if (sample->seen / BLOCK_WORDS % sample->every == 0 && sample->taken < BLOCKS * BLOCK_WORDS)
      sample->keys[sample->taken++] = keys[i];
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *figures, unsigned n) {
  qsort(figures, n, sizeof *figures, compare);
  return figures[n / 2];
}

static void code_block(struct coder *coder, const uint64_t *keys, double *encode, double *decode) {
  unsigned coding;
  double begun = thread_time();
  memcpy(coder->states, keys, BLOCK_WORDS * sizeof *keys);
  size_t length = coder_encode(coder, BLOCK_WORDS, true, &coding);
  checksum_of(coder->bytes + PART_BYTES, length);
  double half = thread_time();
  checksum_of(coder->bytes + PART_BYTES, length);
  need(coder_decode(coder, coding, length, BLOCK_WORDS), "a block does not come back");
  *encode += half - begun;
  *decode += thread_time() - half;
}

static void measure_coding(const struct setting *s) {
  struct sample sample = {.keys = mem_array(BLOCKS * BLOCK_WORDS, 8), .every = 1 + s->keys / BLOCKS / BLOCK_WORDS};
  struct bucket_order bucket_order = bucket_order_make(&s->head);
  struct coder coder;
  double encode[MAX_REPEATS], decode[MAX_REPEATS];
  need(sample.keys && coder_init(&coder, &bucket_order, s->bits, 1), "no memory");
  table_each(s->table, 0, 1, take, &sample);
  size_t blocks = sample.taken / BLOCK_WORDS;
  need(blocks > 0, "too few keys");
  for (unsigned r = 0; r < s->repeats; r++) {
    encode[r] = decode[r] = 0;
    for (size_t i = 0; i < blocks; i++)
      code_block(&coder, sample.keys + i * BLOCK_WORDS, &encode[r], &decode[r]);
  }
  double keys = (double)(blocks * BLOCK_WORDS);
  printf("one thread: coding %.0f M keys/s, decoding %.0f\n", 1e-6 * keys / median(encode, s->repeats),
         1e-6 * keys / median(decode, s->repeats));
  coder_free(&coder);
  mem_free(sample.keys);
}

/* ---- files ----------------------------------------------------------------------------------- */

struct hand {
  const struct setting *setting;
  struct checkpoint_writer *writer;
  struct checkpoint_reader *reader;
  unsigned number;
  uint64_t states;
};

static void put(void *user, const uint64_t *keys, size_t n) {
  struct hand *hand = user;
  need(checkpoint_put(hand->writer, hand->number, CHECKPOINT_KEYS, keys, n), "the file cannot be written");
}

static void *put_part(void *data) {
  struct hand *hand = data;
  table_each(hand->setting->table, hand->number, hand->setting->threads, put, hand);
  return NULL;
}

static void *take_blocks(void *data) {
  struct hand *hand = data;
  struct checkpoint_block *block = checkpoint_block_create(hand->reader);
  struct checkpoint_states got;
  need(block, "no memory");
  while (checkpoint_next(hand->reader, block, &got) == FLOE_OK && got.n > 0)
    hand->states += got.n;
  checkpoint_block_free(block);
  return NULL;
}

static uint64_t together(const struct setting *s, struct hand all, void *(*work)(void *)) {
  pthread_t threads[MAX_THREADS];
  struct hand hands[MAX_THREADS];
  uint64_t states = 0;
  for (unsigned i = 0; i < s->threads; i++) {
    hands[i] = all;
    hands[i].number = i;
    pthread_create(&threads[i], NULL, work, &hands[i]);
  }
  for (unsigned i = 0; i < s->threads; i++) {
    pthread_join(threads[i], NULL);
    states += hands[i].states;
  }
  return states;
}

struct times {
  double put[MAX_REPEATS], commit[MAX_REPEATS], read[MAX_REPEATS];
};

static uint64_t measure_once(const struct setting *s, struct times *times, unsigned r) {
  const struct checkpoint_search search = {.levels = 0};
  struct hand hand = {.setting = s};
  uint64_t bytes;
  double begun = clock_seconds();
  need(checkpoint_create(s->path, &s->head, s->threads, s->log, &hand.writer) == FLOE_OK, "the file cannot be made");
  together(s, hand, put_part);
  times->put[r] = clock_seconds() - begun;
  begun = clock_seconds();
  need(checkpoint_commit(hand.writer, &search, &bytes) == FLOE_OK, "the file cannot be finished");
  times->commit[r] = clock_seconds() - begun;
  begun = clock_seconds();
  need(checkpoint_open(s->path, s->log, &hand.reader) == FLOE_OK, "the file cannot be opened");
  uint64_t states = together(s, hand, take_blocks);
  need(checkpoint_end_reading(hand.reader) == FLOE_OK && states == s->keys, "the file cannot be read");
  times->read[r] = clock_seconds() - begun;
  checkpoint_close(hand.reader);
  return bytes;
}

static void measure_files(const struct setting *s) {
  struct times times;
  uint64_t bytes = 0;
  for (unsigned r = 0; r < s->repeats; r++)
    bytes = measure_once(s, &times, r);
  const double keys = 1e-6 * (double)s->keys, mega = 1e-6 * (double)bytes;
  double put = median(times.put, s->repeats), commit = median(times.commit, s->repeats),
         read = median(times.read, s->repeats);
  printf("%u threads: put %.0f M keys/s (%.0f MB/s), with commit %.0f (%.0f MB/s), read %.0f\n", s->threads, keys / put,
         mega / put, keys / (put + commit), mega / (put + commit), keys / read);
  double table = (double)table_shape(s->table)->bytes, each = (double)s->keys;
  printf("bytes a key: file %.3f, table %.3f, ratio %.3f\n", (double)bytes / each, table / each, (double)bytes / table);
}

static bool read_options(int count, char **arguments, struct setting *s) {
  int option;
  while ((option = getopt(count, arguments, "k:n:t:r:")) != -1)
    switch (option) {
    case 'k':
      s->bits = (unsigned)atoi(optarg);
      break;
    case 'n':
      s->keys = strtoull(optarg, NULL, 10);
      break;
    case 't':
      s->threads = (unsigned)atoi(optarg);
      break;
    case 'r':
      s->repeats = (unsigned)atoi(optarg);
      break;
    default:
      return false;
    }
  s->path = arguments[optind];
  return s->path && s->bits >= 1 && s->bits <= 64 && s->threads >= 1 && s->threads <= MAX_THREADS && s->repeats >= 1 &&
         s->repeats <= MAX_REPEATS;
}

int main(int count, char **arguments) {
  struct setting s = {.bits = 40, .keys = 20000000, .threads = 2, .repeats = 5};
  need(read_options(count, arguments, &s),
       "usage: bench_checkpoint [-k KEY_BITS] [-n KEYS] [-t THREADS] [-r REPEATS] FILE");
  need(floe_log_create(&s.log) == FLOE_OK, "no memory");
  fill(&s);
  const struct table_shape *shape = table_shape(s.table);
  printf("%" PRIu64 " keys of %u bits, slots of %u and %u bits, %u and %u in a bucket\n", s.keys, s.bits,
         shape->slot_bits, shape->second_slot_bits, shape->bucket_slots, shape->second_bucket_slots);
  measure_coding(&s);
  measure_files(&s);
  table_free(s.table);
  floe_log_free(s.log);
  return 0;
}
