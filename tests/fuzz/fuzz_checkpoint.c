/* libFuzzer harness: the bytes as a checkpoint. Checksums and totals would reject every change, so they are corrected
   first, as far as the parts follow each other. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "checkpoint/checkpoint.h"
#include "checkpoint/format.h"
#include "core/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Required by the writer, which is not used here. */
const char *floe_version(void) { return ""; }

/* Length of the part at `bytes`, which ends before `limit`; 0: none. */
static size_t correct_part(uint8_t *bytes, size_t limit, uint64_t file) {
  if (limit < PART_BYTES || load32(bytes + 12) > limit - PART_BYTES)
    return 0;
  size_t length = load32(bytes + 12);
  store64(bytes + 16, file);
  store32(bytes + 24, checksum_of(bytes + PART_BYTES, length));
  store32(bytes + 28, checksum_of(bytes, 28));
  return PART_BYTES + length;
}

static void correct_trailer(uint8_t *end, const struct trailer *trailer, uint64_t file) {
  trailer_encode(trailer, end + PART_BYTES);
  store32(end + 12, END_PAYLOAD);
  correct_part(end, END_BYTES, file);
}

/* The last part before the end is the search. */
static void correct_checksums(uint8_t *bytes, size_t size) {
  struct trailer trailer = {.bytes = size};
  struct part part;
  if (size < PRELUDE_BYTES + END_BYTES)
    return;
  const size_t end = size - END_BYTES;
  const uint64_t file = load64(bytes + end + 16);
  for (size_t at = PRELUDE_BYTES, n; at < end && (n = correct_part(bytes + at, end - at, file)) > 0; at += n) {
    if (part_decode(bytes + at, &part))
      totals_add(&trailer.totals, &part, bytes + at, at);
    trailer.search_at = at;
  }
  correct_trailer(bytes + end, &trailer, file);
}

/* False: rejected. */
static bool read_all(struct checkpoint_reader *reader) {
  struct checkpoint_block *block = checkpoint_block_create(reader);
  struct checkpoint_states got;
  uint64_t states[CHECKPOINT_SECTIONS] = {0};
  while (checkpoint_next(reader, block, &got) == FLOE_OK && got.n > 0)
    states[got.section] += got.n;
  checkpoint_block_free(block);
  if (checkpoint_end_reading(reader) != FLOE_OK)
    return false;
  for (unsigned i = 0; i < CHECKPOINT_SECTIONS; i++)
    if (states[i] != checkpoint_sizes_of(reader, (enum checkpoint_section)i).states)
      abort();
  return true;
}

static bool try_to_read(int file, floe_log *log) {
  struct checkpoint_reader *reader;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  if (checkpoint_open(path, log, &reader) != FLOE_OK)
    return false;
  bool sound = read_all(reader);
  checkpoint_close(reader);
  return sound;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  floe_log *log;
  uint8_t *bytes = malloc(size + 1);
  memcpy(bytes, data, size);
  correct_checksums(bytes, size);
  int file = memfd_create("fuzz", 0);
  if (file < 0 || write(file, bytes, size) != (ssize_t)size || floe_log_create(&log) != FLOE_OK)
    abort();
  if (try_to_read(file, log) != (floe_log_errors(log) == 0)) /* exactly the failures are logged */
    abort();
  floe_log_free(log);
  close(file);
  free(bytes);
  if (mem_live() != 0)
    abort();
  return 0;
}
