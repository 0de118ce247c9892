#include "checkpoint/format.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

static const uint8_t magic[8] = {'F', 'L', 'O', 'E', 'C', 'K', 'P', '\n'};
#define BYTE_ORDER_MARK 0x01020304u

static const char *const names[PART_KINDS] = {"keys", "rest", "next", "pending", "head", "search", "end"};
static const char tags[PART_KINDS][5] = {"KEYS", "REST", "NEXT", "PEND", "HEAD", "SRCH", "END."};

/* Offsets of the fields of a part's header. */
enum {
  AT_TAG = 0,
  AT_CODING = 4,
  AT_STATES = 8,
  AT_LENGTH = 12,
  AT_FILE = 16,
  AT_CHECKSUM = 24,
  AT_HEADER_CHECKSUM = 28
};
/* Offsets of the fields of the end, after three numbers per section. */
enum { AT_SEARCH = 24 * CHECKPOINT_SECTIONS, AT_BYTES = AT_SEARCH + 8, AT_PARTS = AT_BYTES + 8, AT_SUM = AT_PARTS + 8 };
static_assert(AT_SUM + 8 == END_PAYLOAD, "the fields of the end are contiguous");

const char *checkpoint_section_name(enum checkpoint_section section) { return names[section]; }
const char *part_name(unsigned kind) { return names[kind]; }

uint32_t checksum_of(const void *bytes, size_t n) { return (uint32_t)crc32_z(0, bytes, n); }

void prelude_encode(uint8_t bytes[PRELUDE_BYTES]) {
  memcpy(bytes, magic, sizeof magic);
  store32(bytes + 8, CHECKPOINT_VERSION);
  store32(bytes + 12, BYTE_ORDER_MARK);
}

const char *prelude_flaw(const uint8_t bytes[PRELUDE_BYTES], bool *unsupported) {
  *unsupported = false;
  if (memcmp(bytes, magic, sizeof magic) != 0)
    return "it is not a checkpoint";
  if (load32(bytes + 12) != BYTE_ORDER_MARK)
    return "its first bytes are damaged";
  *unsupported = load32(bytes + 8) != CHECKPOINT_VERSION;
  return *unsupported ? "this floe does not know its version of the format" : NULL;
}

/* ---- parts ----------------------------------------------------------------------------------- */

void part_encode(const struct part *part, uint8_t bytes[PART_BYTES]) {
  assert(part->kind < PART_KINDS && part->coding < CODINGS);
  memcpy(bytes + AT_TAG, tags[part->kind], 4);
  store32(bytes + AT_CODING, part->coding);
  store32(bytes + AT_STATES, part->states);
  store32(bytes + AT_LENGTH, part->length);
  store64(bytes + AT_FILE, part->file);
  store32(bytes + AT_CHECKSUM, part->checksum);
  store32(bytes + AT_HEADER_CHECKSUM, checksum_of(bytes, AT_HEADER_CHECKSUM));
}

static unsigned kind_of_tag(const uint8_t *tag) {
  unsigned kind = 0;
  while (kind < PART_KINDS && memcmp(tag, tags[kind], 4) != 0)
    kind++;
  return kind;
}

bool part_decode(const uint8_t bytes[PART_BYTES], struct part *out) {
  *out = (struct part){.kind = kind_of_tag(bytes + AT_TAG),
                       .coding = load32(bytes + AT_CODING),
                       .states = load32(bytes + AT_STATES),
                       .length = load32(bytes + AT_LENGTH),
                       .file = load64(bytes + AT_FILE),
                       .checksum = load32(bytes + AT_CHECKSUM)};
  return load32(bytes + AT_HEADER_CHECKSUM) == checksum_of(bytes, AT_HEADER_CHECKSUM) && out->kind < PART_KINDS &&
         out->coding < CODINGS;
}

/* ---- totals ---------------------------------------------------------------------------------- */

/* The header contains the checksum of the part's bytes, so its mix covers the whole part. */
static uint64_t part_mix(const uint8_t header[PART_BYTES], uint64_t at) {
  uint64_t mix = at;
  for (int i = 0; i < PART_BYTES; i += 8) {
    mix = (mix ^ load64(header + i)) * UINT64_C(0xbf58476d1ce4e5b9);
    mix ^= mix >> 31;
  }
  return mix * UINT64_C(0x94d049bb133111eb);
}

void totals_add(struct totals *totals, const struct part *part, const uint8_t header[PART_BYTES], uint64_t at) {
  totals->parts++;
  totals->sum += part_mix(header, at);
  if (part->kind >= CHECKPOINT_SECTIONS)
    return;
  struct checkpoint_sizes *section = &totals->sections[part->kind];
  section->blocks++;
  section->states += part->states;
  section->bytes += PART_BYTES + (uint64_t)part->length;
}

void totals_join(struct totals *totals, const struct totals *more) {
  totals->parts += more->parts;
  totals->sum += more->sum;
  for (int i = 0; i < CHECKPOINT_SECTIONS; i++) {
    totals->sections[i].blocks += more->sections[i].blocks;
    totals->sections[i].states += more->sections[i].states;
    totals->sections[i].bytes += more->sections[i].bytes;
  }
}

bool totals_same(const struct totals *a, const struct totals *b) {
  bool same = a->parts == b->parts && a->sum == b->sum;
  for (int i = 0; i < CHECKPOINT_SECTIONS; i++)
    same = same && a->sections[i].blocks == b->sections[i].blocks && a->sections[i].states == b->sections[i].states &&
           a->sections[i].bytes == b->sections[i].bytes;
  return same;
}

void trailer_encode(const struct trailer *trailer, uint8_t bytes[END_PAYLOAD]) {
  for (int i = 0; i < CHECKPOINT_SECTIONS; i++) {
    store64(bytes + 24 * i, trailer->totals.sections[i].blocks);
    store64(bytes + 24 * i + 8, trailer->totals.sections[i].states);
    store64(bytes + 24 * i + 16, trailer->totals.sections[i].bytes);
  }
  store64(bytes + AT_SEARCH, trailer->search_at);
  store64(bytes + AT_BYTES, trailer->bytes);
  store64(bytes + AT_PARTS, trailer->totals.parts);
  store64(bytes + AT_SUM, trailer->totals.sum);
}

void trailer_decode(const uint8_t bytes[END_PAYLOAD], struct trailer *out) {
  for (int i = 0; i < CHECKPOINT_SECTIONS; i++)
    out->totals.sections[i] = (struct checkpoint_sizes){
        .blocks = load64(bytes + 24 * i), .states = load64(bytes + 24 * i + 8), .bytes = load64(bytes + 24 * i + 16)};
  out->search_at = load64(bytes + AT_SEARCH);
  out->bytes = load64(bytes + AT_BYTES);
  out->totals.parts = load64(bytes + AT_PARTS);
  out->totals.sum = load64(bytes + AT_SUM);
}
