/* floe order: show the header of an order file, or convert its keys to other formats. */
#include "base/little_endian.h"
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"
#include "floe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_AT_ONCE 65536

/* ---- formats --------------------------------------------------------------------------------- */

static bool put_text_key(FILE *stream, const uint64_t *key, unsigned words) {
  for (unsigned i = 0; i < words; i++)
    if (fprintf(stream, i ? " %" PRIu64 : "%" PRIu64, key[i]) < 0)
      return false;
  return putc('\n', stream) != EOF;
}

static bool put_text_keys(FILE *stream, const uint64_t *keys, size_t n, unsigned words) {
  for (size_t i = 0; i < n; i++)
    if (!put_text_key(stream, keys + i * words, words))
      return false;
  return true;
}

static bool put_raw_keys(FILE *stream, const uint64_t *keys, size_t n, unsigned words) {
  uint64_t buffer[512];
  size_t left = n * words;
  while (left > 0) {
    size_t piece = left < 512 ? left : 512;
    for (size_t i = 0; i < piece; i++)
      buffer[i] = little_endian(keys[i]);
    if (fwrite(buffer, sizeof *buffer, piece, stream) != piece)
      return false;
    keys += piece;
    left -= piece;
  }
  return true;
}

static bool put_no_header(FILE *stream, const floe_order_info *info) {
  (void)stream, (void)info;
  return true;
}

/* Version 1.0 of the format of NumPy's numpy.lib.format: the header ends at a multiple of 64. */
static bool put_npy_header(FILE *stream, const floe_order_info *info) {
  char text[256], second[32] = "";
  if (info->key_words > 1)
    snprintf(second, sizeof second, " %u", info->key_words);
  int n = snprintf(text, sizeof text, "{'descr': '<u8', 'fortran_order': False, 'shape': (%" PRIu64 ",%s), }",
                   info->count, second);
  unsigned length = ((unsigned)n + 1 + 10 + 63) / 64 * 64 - 10;
  const unsigned char head[10] = {
      0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, (unsigned char)(length >> 8)};
  return fwrite(head, 1, sizeof head, stream) == sizeof head &&
         fprintf(stream, "%-*s\n", (int)length - 1, text) == (int)length;
}

struct format {
  bool (*put_header)(FILE *stream, const floe_order_info *info);
  bool (*put_keys)(FILE *stream, const uint64_t *keys, size_t n, unsigned words);
};
static const struct format text_format = {put_no_header, put_text_keys};
static const struct format raw_format = {put_no_header, put_raw_keys};
static const struct format npy_format = {put_npy_header, put_raw_keys};

/* ---- conversion ------------------------------------------------------------------------------ */

struct conversion {
  floe_order *order;
  const struct format *format; /* NULL: only the header */
  floe_status *status;         /* status of reading the file */
};

static bool put_keys(FILE *stream, const struct conversion *conversion, uint64_t *keys, size_t most) {
  const floe_order_info *info = floe_order_information(conversion->order);
  for (;;) {
    size_t n;
    *conversion->status = floe_order_read(conversion->order, keys, most, &n);
    if (*conversion->status != FLOE_OK)
      return false;
    if (n == 0)
      return true;
    if (!conversion->format->put_keys(stream, keys, n, info->key_words))
      return false;
  }
}

static bool put_converted(FILE *stream, const void *data) {
  const struct conversion *conversion = data;
  const floe_order_info *info = floe_order_information(conversion->order);
  size_t most = KEYS_AT_ONCE / info->key_words + 1;
  uint64_t *keys = malloc(most * info->key_words * sizeof *keys);
  bool sound = keys && conversion->format->put_header(stream, info) && put_keys(stream, conversion, keys, most);
  free(keys);
  return sound;
}

static bool put_order_header(FILE *stream, const void *data) {
  const struct conversion *conversion = data;
  const floe_order *order = conversion->order;
  const floe_order_info *info = floe_order_information(order);
  fprintf(stream, "model: %s\nmodel digest: %s\nconstants:", printable(info->model), info->digest);
  for (size_t i = 0; i < info->constants; i++) {
    floe_constant constant = floe_order_constant(order, i);
    fprintf(stream, "%s %s = %" PRId64, i ? "," : "", printable(constant.name), constant.value);
  }
  fprintf(stream, "%s\nkind: %s\nkeys: %" PRIu64 "\nkey width: %u bits, %u bytes in the file\n",
          info->constants ? "" : " none", floe_order_kind_name(info->kind), info->count, info->key_bits,
          info->key_bytes);
  fprintf(stream, "order: %s, threads: %u\nrun: %s\ncompression: %s\n",
          info->canonical ? "breadth-first" : "not deterministic", info->threads,
          info->complete ? "complete" : floe_end_name(info->end), info->compressed ? "zstd" : "none");
  return fprintf(stream, "written by: floe %s\n", printable(info->writer)) > 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool choose_format(const struct options *options, const struct format **out) {
  int given = options->text + options->raw + options->npy;
  *out = options->text ? &text_format : options->raw ? &raw_format : options->npy ? &npy_format : NULL;
  if (given > 1)
    print_error("choose one of them", "--text, --raw and --npy cannot be combined");
  return given <= 1;
}

/* If reading fails, write_file removes the incomplete output. */
static int write_order(const struct options *options, floe_order *order, const struct format *format, floe_log *log) {
  floe_status status = FLOE_OK;
  struct conversion conversion = {order, format, &status};
  bool (*write)(FILE *, const void *) = format ? put_converted : put_order_header;
  bool written = write_file(options->output, write, &conversion);
  if (status != FLOE_OK)
    return print_failure(status, log);
  return written ? EXIT_SATISFIED : EXIT_OUTPUT;
}

static int run_order(const struct options *options, char *const *operands, int count) {
  (void)count;
  const struct format *format;
  floe_log *log;
  floe_order *order;
  if (!choose_format(options, &format))
    return EXIT_USAGE;
  floe_status status = floe_log_create(&log);
  if (status != FLOE_OK) {
    print_error(NULL, "%s", floe_status_name(status));
    return EXIT_UNDECIDED;
  }
  status = floe_order_open(operands[0], log, &order);
  int code;
  if (status == FLOE_OK) {
    code = write_order(options, order, format, log);
    floe_order_close(order);
  } else {
    code = print_failure(status, log);
  }
  floe_log_free(log);
  return code;
}

const struct command command_order = {
    .name = "order",
    .bit = IN(order),
    .operands = "FILE",
    .summary = "Show or convert a file written by --visited-order",
    .description = "Without --text, --raw or --npy it prints the file's header.\n",
    .min_operands = 1,
    .max_operands = 1,
    .input_operands = 1,
    .run = run_order,
};
