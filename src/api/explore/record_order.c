#include "api/explore/record_order.h"

#include "engine/visited/visited.h"
#include "order/writer.h"

#include <assert.h>
#include <string.h>

static_assert((int)ORDER_KNOWN == (int)VISITED_KNOWN && (int)ORDER_NEW == (int)VISITED_NEW &&
                  (int)ORDER_NO_PLACE == (int)VISITED_NO_PLACE && ORDER_MOST_AT_ONCE >= RECORDER_MOST_AT_ONCE,
              "an engine's results are recorded without conversion");

static void *context_of(void *user, unsigned number) { return order_context(user, number); }

static void record_states(void *context, const uint64_t *states, const uint8_t *answers, size_t n) {
  order_record(context, states, answers, n);
}

static void flush_context(void *context) { order_flush(context); }
static void restart_file(void *user) { order_restart(user); }

struct recorder recorder_of_file(struct order_file *file, floe_order_kind kind) {
  return (struct recorder){.lookups = kind == FLOE_ORDER_LOOKUPS,
                           .user = file,
                           .lane = context_of,
                           .record = record_states,
                           .settle = flush_context,
                           .restart = restart_file};
}

static bool ends_in(const char *text, const char *end) {
  size_t length = strlen(text), n = strlen(end);
  return length > n && strcmp(text + length - n, end) == 0;
}

static unsigned hex_digit(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

static void read_digest(const char *digest, unsigned char bytes[DIGEST_BYTES]) {
  const char *hex = digest + strlen("sha256:");
  for (size_t i = 0; i < DIGEST_BYTES; i++)
    bytes[i] = (unsigned char)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
}

/* A context for each thread, or each GPU, whose number is not known yet. */
static unsigned count_contexts(const floe_options *options) {
  const bool devices = options->devices && *options->devices;
  return devices && options->threads < MOST_DEVICES ? MOST_DEVICES : options->threads;
}

floe_status record_order_begin(struct exploration *e) {
  const floe_options *options = &e->options;
  if (!options->visited_order)
    return FLOE_OK;
  struct order_header header = {.kind = options->order_kind,
                                .zstd = options->order_compress || ends_in(options->visited_order, ".zst"),
                                .key_bits = e->layout->key_bits,
                                .key_words = e->layout->key_words,
                                .key_bytes = order_key_bytes(e->layout->key_bits, e->layout->key_words),
                                .model = floe_model_name(e->api_model),
                                .writer = floe_version()};
  read_digest(floe_model_digest(e->api_model), header.digest);
  header.constants = exploration_constants(e, &header.constant_count);
  FLOE_TRY(order_create(options->visited_order, &header, count_contexts(options), e->log, &e->visited_order.file));
  e->visited_order.recorder = recorder_of_file(e->visited_order.file, options->order_kind);
  return FLOE_OK;
}

void record_order_end(struct exploration *e, floe_status status) {
  if (!e->visited_order.file)
    return;
  struct order_ending ending = {e->outcome.end, e->outcome.threads};
  if (status == FLOE_OK) {
    e->visited_order.lost = order_finish(e->visited_order.file, &ending) != FLOE_OK;
  } else {
    order_report_error(e->visited_order.file);
    order_abandon(e->visited_order.file);
  }
  e->visited_order.file = NULL;
}
