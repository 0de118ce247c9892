/* Checkpoint files are read as written, by one thread and by several; each damaged byte and each truncated file is
   rejected. */
#include "checkpoint/checkpoint.h"
#include "checkpoint/format.h"
#include "core/mem.h"
#include "core/threads/thread.h"
#include "tests/suite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/floe-checkpoint-XXXXXX";
static floe_log *messages;

static const char *at(const char *name) {
  static char path[4][64];
  static unsigned turn;
  char *to = path[turn++ % 4];
  snprintf(to, sizeof path[0], "%s/%s", folder, name);
  return to;
}

/* ---- content ----------------------------------------------------------------------------------- */

static const floe_constant constants[] = {{"N", 5, true, false}, {"least", INT64_MIN, false, false}};
static const char *const options[] = {"--max-depth=7", "--table=linear"};

static struct checkpoint_head head_of(uint32_t bits, uint32_t words) {
  struct checkpoint_head head = {.model = "näme",
                                 .file = "a folder/model.xml",
                                 .constants = constants,
                                 .constant_count = 2,
                                 .options = options,
                                 .option_count = 2,
                                 .bits = bits,
                                 .words = words,
                                 .order = {.permutation = "mix", .seed = 3, .buckets = 1001},
                                 .written = 1700000000,
                                 .seconds = 1.25};
  for (int i = 0; i < DIGEST_BYTES; i++)
    head.digest[i] = (unsigned char)(200 + i);
  return head;
}

static const uint64_t level_states[] = {1, 5, 25, 117};
static const uint64_t fired[] = {11, 0, UINT64_MAX};
static const uint64_t witness[] = {42, 43, 44};
static const struct checkpoint_violation violations[] = {
    {.violation = true, .depth = 2, .state = witness, .transition = UINT32_MAX, .site = 3},
    {.violation = false},
    {.violation = true, .provisional = true, .depth = 3, .state = witness, .transition = 1, .site = UINT32_MAX}};

static const struct checkpoint_search search = {.level_states = level_states,
                                                .levels = 4,
                                                .complete = 3,
                                                .expanded = 31,
                                                .violations = violations,
                                                .property_count = 3,
                                                .failed = 5,
                                                .firing_failed = true,
                                                .firing_failed_depth = 2,
                                                .fired = fired,
                                                .transition_count = 3,
                                                .transitions = 1000,
                                                .deadlocks = 2,
                                                .checksum = UINT64_C(0x123456789abcdef0),
                                                .max_out_degree = 9};

/* State i of a section: all different, unordered. */
static void state_of(unsigned section, uint64_t i, const struct checkpoint_head *head, uint64_t *state) {
  uint64_t mask = UINT64_MAX >> (64 - (head->bits - 64 * (head->words - 1)));
  for (uint32_t w = 0; w < head->words; w++)
    state[w] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) + section + w;
  state[head->words - 1] &= mask;
}

static uint64_t state_mix(unsigned section, const uint64_t *state, uint32_t words) {
  uint64_t mix = section + 1;
  for (uint32_t w = 0; w < words; w++) {
    mix = (mix ^ state[w]) * UINT64_C(0xbf58476d1ce4e5b9);
    mix ^= mix >> 29;
  }
  return mix;
}

/* Number of states of each section, and the sum of their mixes. */
struct content {
  uint64_t states[CHECKPOINT_SECTIONS], sum[CHECKPOINT_SECTIONS];
};

static void check_same_content(const struct content *a, const struct content *b) {
  for (int i = 0; i < CHECKPOINT_SECTIONS; i++) {
    ck_assert_uint_eq(a->states[i], b->states[i]);
    ck_assert_uint_eq(a->sum[i], b->sum[i]);
  }
}

/* ---- threads ----------------------------------------------------------------------------------- */

struct hand {
  struct checkpoint_writer *writer;
  struct checkpoint_reader *reader;
  const struct checkpoint_head *head;
  const uint64_t *counts;
  unsigned number, hands;
  struct content content;
  floe_status status;
};

static void put_part(struct hand *hand, unsigned section) {
  const uint32_t words = hand->head->words;
  uint64_t states[300 * 3];
  for (uint64_t i = hand->number, n; i < hand->counts[section];) {
    for (n = 0; n < 1 + i % 300 && i < hand->counts[section]; n++, i += hand->hands) {
      state_of(section, i, hand->head, states + n * words);
      hand->content.sum[section] += state_mix(section, states + n * words, words);
      hand->content.states[section]++;
    }
    ck_assert(checkpoint_put(hand->writer, hand->number, (enum checkpoint_section)section, states, n));
  }
}

static void *put_all(void *data) {
  struct hand *hand = data;
  for (unsigned section = 0; section < CHECKPOINT_SECTIONS; section++)
    put_part(hand, section);
  return NULL;
}

static void *take_all(void *data) {
  struct hand *hand = data;
  struct checkpoint_block *block = checkpoint_block_create(hand->reader);
  struct checkpoint_states got;
  while ((hand->status = checkpoint_next(hand->reader, block, &got)) == FLOE_OK && got.n > 0) {
    hand->content.states[got.section] += got.n;
    for (size_t i = 0; i < got.n; i++)
      hand->content.sum[got.section] += state_mix(got.section, got.states + i * hand->head->words, hand->head->words);
  }
  checkpoint_block_free(block);
  return NULL;
}

enum { MOST_HANDS = 4 };

static struct content run_threads(struct hand all, unsigned hands, void *(*work)(void *)) {
  struct hand hand[MOST_HANDS];
  pthread_t threads[MOST_HANDS];
  struct content content = {{0}, {0}};
  for (unsigned i = 0; i < hands; i++) {
    hand[i] = all;
    hand[i].number = i;
    hand[i].hands = hands;
    ck_assert(thread_start(&threads[i], work, &hand[i]));
  }
  for (unsigned i = 0; i < hands; i++) {
    pthread_join(threads[i], NULL);
    for (int s = 0; s < CHECKPOINT_SECTIONS; s++) {
      content.states[s] += hand[i].content.states[s];
      content.sum[s] += hand[i].content.sum[s];
    }
  }
  return content;
}

static struct content write_file(const char *path, const struct checkpoint_head *head,
                                 const uint64_t counts[CHECKPOINT_SECTIONS], unsigned hands) {
  struct checkpoint_writer *writer;
  uint64_t bytes;
  struct stat status;
  ck_assert_int_eq(checkpoint_create(path, head, hands, messages, &writer), FLOE_OK);
  struct content content = run_threads((struct hand){.writer = writer, .head = head, .counts = counts}, hands, put_all);
  ck_assert_int_eq(checkpoint_commit(writer, &search, &bytes), FLOE_OK);
  ck_assert_int_eq(stat(path, &status), 0);
  ck_assert_uint_eq(bytes, (uint64_t)status.st_size);
  return content;
}

/* ---- round trips ------------------------------------------------------------------------------- */

static void check_head(const struct checkpoint_head *got, const struct checkpoint_head *put) {
  ck_assert_str_eq(got->model, put->model);
  ck_assert_str_eq(got->file, put->file);
  ck_assert_str_eq(got->writer, floe_version());
  ck_assert_mem_eq(got->digest, put->digest, DIGEST_BYTES);
  ck_assert_uint_eq(got->constant_count, put->constant_count);
  for (uint32_t i = 0; i < put->constant_count; i++) {
    ck_assert_str_eq(got->constants[i].name, put->constants[i].name);
    ck_assert_int_eq(got->constants[i].value, put->constants[i].value);
    ck_assert_int_eq(got->constants[i].given, put->constants[i].given);
  }
  ck_assert_uint_eq(got->option_count, put->option_count);
  for (uint32_t i = 0; i < put->option_count; i++)
    ck_assert_str_eq(got->options[i], put->options[i]);
  ck_assert_uint_eq(got->bits, put->bits);
  ck_assert_uint_eq(got->words, put->words);
  ck_assert_str_eq(got->order.permutation, put->order.permutation);
  ck_assert_uint_eq(got->order.seed, put->order.seed);
  ck_assert_uint_eq(got->order.buckets, put->order.buckets);
  ck_assert_int_eq(got->written, put->written);
  ck_assert(got->seconds == put->seconds);
}

static void check_hit(const struct checkpoint_violation *got, const struct checkpoint_violation *put, uint32_t words) {
  ck_assert(got->violation == put->violation && got->provisional == put->provisional);
  if (!put->violation)
    return;
  ck_assert_uint_eq(got->depth, put->depth);
  ck_assert_uint_eq(got->transition, put->transition);
  ck_assert_uint_eq(got->site, put->site);
  ck_assert_mem_eq(got->state, put->state, 8 * words);
}

static void check_search(const struct checkpoint_search *got, uint32_t words) {
  ck_assert_uint_eq(got->levels, search.levels);
  ck_assert_mem_eq(got->level_states, search.level_states, sizeof level_states);
  ck_assert_uint_eq(got->complete, search.complete);
  ck_assert_uint_eq(got->expanded, search.expanded);
  ck_assert_uint_eq(got->property_count, search.property_count);
  for (uint32_t i = 0; i < search.property_count; i++)
    check_hit(&got->violations[i], &search.violations[i], words);
  ck_assert_uint_eq(got->failed, search.failed);
  ck_assert(got->firing_failed);
  ck_assert_uint_eq(got->firing_failed_depth, search.firing_failed_depth);
  ck_assert_uint_eq(got->transition_count, search.transition_count);
  ck_assert_mem_eq(got->fired, search.fired, sizeof fired);
  ck_assert_uint_eq(got->transitions, search.transitions);
  ck_assert_uint_eq(got->deadlocks, search.deadlocks);
  ck_assert_uint_eq(got->checksum, search.checksum);
  ck_assert_uint_eq(got->max_out_degree, search.max_out_degree);
}

static void check_sizes(struct checkpoint_reader *reader, const struct content *content) {
  for (unsigned i = 0; i < CHECKPOINT_SECTIONS; i++) {
    struct checkpoint_sizes sizes = checkpoint_sizes_of(reader, (enum checkpoint_section)i);
    ck_assert_uint_eq(sizes.states, content->states[i]);
    ck_assert((sizes.blocks > 0) == (sizes.states > 0) && (sizes.bytes > 0) == (sizes.states > 0));
  }
}

static void read_file(const char *path, const struct checkpoint_head *head, const struct content *content,
                      unsigned hands) {
  struct checkpoint_reader *reader;
  ck_assert_int_eq(checkpoint_open(path, messages, &reader), FLOE_OK);
  check_head(checkpoint_head_of(reader), head);
  check_search(checkpoint_search_of(reader), head->words);
  check_sizes(reader, content);
  struct content got = run_threads((struct hand){.reader = reader, .head = head}, hands, take_all);
  ck_assert_int_eq(checkpoint_end_reading(reader), FLOE_OK);
  check_same_content(&got, content);
  checkpoint_close(reader);
}

static const uint64_t few[CHECKPOINT_SECTIONS] = {70, 7, 5, 3}, none[CHECKPOINT_SECTIONS],
                      many[CHECKPOINT_SECTIONS] = {200000, 66000, 65536, 1};

START_TEST(test_widths) {
  for (uint32_t words = 1; words <= 3; words++) {
    struct checkpoint_head head = head_of(64 * (words - 1) + (uint32_t)_i, words);
    struct content content = write_file(at("file"), &head, few, 1);
    read_file(at("file"), &head, &content, 1);
  }
}
END_TEST

START_TEST(test_sizes) {
  for (uint32_t words = 1; words <= 3; words++)
    for (unsigned hands = 1; hands <= MOST_HANDS; hands++) {
      struct checkpoint_head head = head_of(64 * words - 20, words);
      const uint64_t *counts = _i == 0 ? none : _i == 1 ? few : many;
      struct content content = write_file(at("file"), &head, counts, hands);
      read_file(at("file"), &head, &content, 1 + (hands + 1) % MOST_HANDS);
    }
}
END_TEST

START_TEST(test_chosen_sections) {
  struct checkpoint_head head = head_of(30, 1);
  struct checkpoint_reader *reader;
  struct content content = write_file(at("file"), &head, few, 2);
  ck_assert_int_eq(checkpoint_open(at("file"), messages, &reader), FLOE_OK);
  for (unsigned mask = 0; mask < 1u << CHECKPOINT_SECTIONS; mask++) {
    struct content expected = content;
    for (unsigned i = 0; i < CHECKPOINT_SECTIONS; i++)
      if (!(mask >> i & 1))
        expected.states[i] = expected.sum[i] = 0;
    checkpoint_choose(reader, mask);
    struct content got = run_threads((struct hand){.reader = reader, .head = &head}, 2, take_all);
    ck_assert_int_eq(checkpoint_end_reading(reader), FLOE_OK);
    check_same_content(&got, &expected);
  }
  checkpoint_close(reader);
}
END_TEST

/* A key of the right width that is greater than any state of the model is rejected, in every section. */
START_TEST(test_too_large) {
  struct checkpoint_head head = head_of(30, 1);
  uint64_t one[CHECKPOINT_SECTIONS] = {0};
  struct checkpoint_reader *reader;
  uint64_t state;
  one[_i] = 1;
  write_file(at("file"), &head, one, 1);
  state_of((unsigned)_i, 0, &head, &state);
  for (uint64_t keys = state; keys <= state + 1; keys++) {
    ck_assert_int_eq(checkpoint_open(at("file"), messages, &reader), FLOE_OK);
    checkpoint_expect_keys(reader, keys);
    struct content got = run_threads((struct hand){.reader = reader, .head = &head}, 1, take_all);
    ck_assert_uint_eq(got.states[_i], keys > state);
    ck_assert_int_eq(checkpoint_end_reading(reader), keys > state ? FLOE_OK : FLOE_ERROR_IO);
    checkpoint_close(reader);
  }
}
END_TEST

/* ---- damage ------------------------------------------------------------------------------------ */

static uint8_t *bytes_of(const char *path, size_t *n) {
  FILE *stream = fopen(path, "rb");
  fseek(stream, 0, SEEK_END);
  *n = (size_t)ftell(stream);
  rewind(stream);
  uint8_t *bytes = malloc(*n);
  ck_assert_uint_eq(fread(bytes, 1, *n, stream), *n);
  fclose(stream);
  return bytes;
}

static void put_bytes(const char *path, const uint8_t *bytes, size_t n) {
  FILE *stream = fopen(path, "wb");
  ck_assert_uint_eq(fwrite(bytes, 1, n, stream), n);
  ck_assert_int_eq(fclose(stream), 0);
}

/* Opens the file and reads it to its end; an error is logged once. */
static floe_status try_to_read(const char *path) {
  struct checkpoint_reader *reader;
  size_t errors_before = floe_log_errors(messages);
  floe_status status = checkpoint_open(path, messages, &reader);
  if (status == FLOE_OK) {
    struct checkpoint_head head = *checkpoint_head_of(reader);
    run_threads((struct hand){.reader = reader, .head = &head}, 1, take_all);
    status = checkpoint_end_reading(reader);
    checkpoint_close(reader);
  }
  ck_assert_uint_eq(floe_log_errors(messages), errors_before + (status != FLOE_OK));
  floe_log_clear(messages);
  return status;
}

/* Byte i of the file is changed to three other values in turn. */
static void damage_byte(int file, size_t i, uint8_t good) {
  const uint8_t bad[] = {good ^ 1, good ^ 0x80, (uint8_t)~good};
  for (int way = 0; way < 3; way++) {
    ck_assert_int_eq(pwrite(file, &bad[way], 1, (off_t)i), 1);
    floe_status status = try_to_read(at("file"));
    ck_assert(status == FLOE_ERROR_IO || (status == FLOE_ERROR_UNSUPPORTED && i >= 8 && i < 12));
  }
  ck_assert_int_eq(pwrite(file, &good, 1, (off_t)i), 1);
}

START_TEST(test_damaged) {
  struct checkpoint_head head = head_of(_i ? 104 : 40, _i ? 2 : 1);
  size_t n;
  write_file(at("file"), &head, few, 2);
  uint8_t *bytes = bytes_of(at("file"), &n);
  int file = open(at("file"), O_WRONLY);
  for (size_t i = 0; i < n; i++)
    damage_byte(file, i, bytes[i]);
  ck_assert_int_eq(try_to_read(at("file")), FLOE_OK);
  close(file);
  free(bytes);
}
END_TEST

START_TEST(test_truncated) {
  struct checkpoint_head head = head_of(40, 1);
  size_t n;
  write_file(at("file"), &head, few, 2);
  uint8_t *bytes = bytes_of(at("file"), &n);
  for (size_t i = n; i-- > 0;) {
    ck_assert_int_eq(truncate(at("file"), (off_t)i), 0);
    ck_assert_int_eq(try_to_read(at("file")), FLOE_ERROR_IO);
  }
  bytes = realloc(bytes, n + 1);
  bytes[n] = 0;
  put_bytes(at("file"), bytes, n + 1);
  ck_assert_int_eq(try_to_read(at("file")), FLOE_ERROR_IO);
  free(bytes);
}
END_TEST

/* ---- no memory --------------------------------------------------------------------------------- */

/* Writes and reads while the n-th allocation fails: no crash, nothing lost, or an error. True: no allocation failed. */
static bool write_and_read(const struct checkpoint_head *head) {
  struct checkpoint_writer *writer;
  struct checkpoint_reader *reader;
  struct checkpoint_states got;
  uint64_t state = 5;
  floe_status status = checkpoint_create(at("short"), head, 2, messages, &writer);
  if (status == FLOE_OK) {
    checkpoint_put(writer, 1, CHECKPOINT_KEYS, &state, 1);
    status = checkpoint_commit(writer, &search, NULL);
  }
  if (status == FLOE_OK)
    status = checkpoint_open(at("short"), messages, &reader);
  if (status != FLOE_OK) {
    ck_assert(status == FLOE_ERROR_MEMORY || status == FLOE_ERROR_IO);
    return false;
  }
  struct checkpoint_block *block = checkpoint_block_create(reader);
  bool read = block && checkpoint_next(reader, block, &got) == FLOE_OK && got.n == 1 && *got.states == state;
  checkpoint_block_free(block);
  checkpoint_close(reader);
  return read;
}

START_TEST(test_no_memory) {
  struct checkpoint_head head = head_of(40, 1);
  bool complete = false;
  for (long n = 1; !complete; n++) {
    unlink(at("short"));
    mem_fail_after(n);
    complete = write_and_read(&head);
    mem_fail_after(0);
    ck_assert(!complete || n > 20); /* there are at least that many allocations */
    floe_log_clear(messages);
  }
}
END_TEST

static void no_leaks(void) { ck_assert_uint_eq(mem_live(), 0); }

static void setup(void) {
  strcpy(folder, "/tmp/floe-checkpoint-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
}

static void teardown(void) {
  char command[100];
  floe_log_free(messages);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  ck_assert_int_eq(system(command), 0);
  no_leaks();
}

int main(void) {
  TCase *tests = tcase_create("files");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_widths, 1, 65);
  tcase_add_loop_test(tests, test_sizes, 0, 3);
  tcase_add_test(tests, test_chosen_sections);
  tcase_add_loop_test(tests, test_too_large, 0, CHECKPOINT_SECTIONS);
  tcase_add_loop_test(tests, test_damaged, 0, 2);
  add_tests(tests, test_truncated, test_no_memory);
  return run_suite("checkpoint file", CK_FORK_GETENV, tests);
}
