#include "engine/disk/byte_planes.h"

#define WORD_BYTES 8
#define TILE 256 /* states: the differences between the two loops fit the first-level cache */

static size_t tile_of(size_t left) { return left < TILE ? left : TILE; }

/* The differences of one word of n states. */
static void differ(const uint64_t *states, size_t n, uint32_t words, uint64_t before, uint64_t *differences) {
  for (size_t i = 0; i < n; i++) {
    differences[i] = states[i * words] ^ before;
    before = states[i * words];
  }
}

static void spread(const uint64_t *differences, size_t n, uint8_t *planes, size_t count) {
  for (unsigned byte = 0; byte < WORD_BYTES; byte++, planes += count)
    for (size_t i = 0; i < n; i++)
      planes[i] = (uint8_t)(differences[i] >> (8 * byte));
}

void byte_planes_split(const struct byte_planes *row, const uint64_t *states, size_t n, size_t at) {
  const uint32_t words = row->words;
  const size_t count = row->count;
  uint64_t *before = row->before;
  uint64_t differences[TILE];
  for (size_t done = 0, part; done < n; done += part, states += part * words) {
    part = tile_of(n - done);
    for (uint32_t w = 0; w < words; w++) {
      differ(states + w, part, words, before[w], differences);
      spread(differences, part, row->planes + (size_t)w * WORD_BYTES * count + at + done, count);
      before[w] = states[(part - 1) * words + w];
    }
  }
}

static void gather(const uint8_t *planes, size_t count, size_t n, uint64_t *differences) {
  for (size_t i = 0; i < n; i++)
    differences[i] = planes[i];
  for (unsigned byte = 1; byte < WORD_BYTES; byte++)
    for (size_t i = 0; i < n; i++)
      differences[i] |= (uint64_t)planes[byte * count + i] << (8 * byte);
}

static uint64_t undo(const uint64_t *differences, size_t n, uint32_t words, uint64_t before, uint64_t *states) {
  for (size_t i = 0; i < n; i++)
    states[i * words] = before ^= differences[i];
  return before;
}

void byte_planes_join(const struct byte_planes *row, size_t at, size_t n, uint64_t *states) {
  const uint32_t words = row->words;
  const size_t count = row->count;
  const uint8_t *planes = row->planes;
  uint64_t *before = row->before;
  uint64_t differences[TILE];
  for (uint32_t w = 0; w < words; w++, planes += WORD_BYTES * count)
    for (size_t done = 0, part; done < n; done += part) {
      part = tile_of(n - done);
      gather(planes + at + done, count, part, differences);
      before[w] = undo(differences, part, words, before[w], states + done * words + w);
    }
}
