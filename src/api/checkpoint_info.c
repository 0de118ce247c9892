/* Contents and verification of a checkpoint file (floe_checkpoint). */
#include "checkpoint/checkpoint.h"
#include "core/arena.h"
#include "core/mem.h"
#include "core/system/defaults.h"
#include "core/threads/thread.h"
#include "core/usage.h"

#include <string.h>

struct floe_checkpoint {
  struct checkpoint_reader *reader;
  floe_checkpoint_info info;
  char digest[sizeof "sha256:" + DIGEST_HEX];
};

static size_t count_violations(const struct checkpoint_search *search) {
  size_t violations = 0;
  for (uint32_t i = 0; i < search->property_count; i++)
    violations += search->violations[i].violation;
  return violations;
}

static void set_info(floe_checkpoint *checkpoint) {
  const struct checkpoint_reader *reader = checkpoint->reader;
  const struct checkpoint_head *head = checkpoint_head_of(reader);
  const struct checkpoint_search *search = checkpoint_search_of(reader);
  memcpy(checkpoint->digest, "sha256:", sizeof "sha256:");
  digest_hex(head->digest, checkpoint->digest + sizeof "sha256:" - 1);
  checkpoint->info = (floe_checkpoint_info){.model = head->model,
                                            .file = head->file,
                                            .digest = checkpoint->digest,
                                            .writer = head->writer,
                                            .constants = head->constant_count,
                                            .options = head->option_count,
                                            .key_bits = head->bits,
                                            .key_words = head->words,
                                            .written = head->written,
                                            .seconds = head->seconds,
                                            .states = checkpoint_sizes_of(reader, CHECKPOINT_KEYS).states,
                                            .transitions = search->transitions,
                                            .levels = search->levels,
                                            .complete_levels = search->complete,
                                            .frontier = checkpoint_sizes_of(reader, CHECKPOINT_REST).states +
                                                        checkpoint_sizes_of(reader, CHECKPOINT_NEXT).states,
                                            .violations = count_violations(search),
                                            .bytes = checkpoint_bytes_of(reader)};
}

floe_status floe_checkpoint_open(const char *path, floe_log *log, floe_checkpoint **out) {
  REQUIRE(log, path);
  REQUIRE(log, out);
  floe_checkpoint *checkpoint = mem_alloc(sizeof *checkpoint);
  if (!checkpoint)
    return FLOE_ERROR_MEMORY;
  floe_status status = checkpoint_open(path, log, &checkpoint->reader);
  if (status != FLOE_OK) {
    floe_checkpoint_close(checkpoint);
    return status;
  }
  set_info(checkpoint);
  *out = checkpoint;
  return FLOE_OK;
}

void floe_checkpoint_close(floe_checkpoint *checkpoint) {
  if (checkpoint)
    checkpoint_close(checkpoint->reader);
  mem_free(checkpoint);
}

const floe_checkpoint_info *floe_checkpoint_information(const floe_checkpoint *checkpoint) {
  return checkpoint ? &checkpoint->info : NULL;
}

floe_constant floe_checkpoint_constant(const floe_checkpoint *checkpoint, size_t i) {
  return checkpoint && i < checkpoint->info.constants ? checkpoint_head_of(checkpoint->reader)->constants[i]
                                                      : (floe_constant){.name = NULL};
}

const char *floe_checkpoint_option(const floe_checkpoint *checkpoint, size_t i) {
  return checkpoint && i < checkpoint->info.options ? checkpoint_head_of(checkpoint->reader)->options[i] : "";
}

uint64_t floe_checkpoint_level(const floe_checkpoint *checkpoint, size_t i) {
  return checkpoint && i < checkpoint->info.levels ? checkpoint_search_of(checkpoint->reader)->level_states[i] : 0;
}

floe_checkpoint_section floe_checkpoint_section_at(const floe_checkpoint *checkpoint, size_t i) {
  if (!checkpoint || i >= CHECKPOINT_SECTIONS)
    return (floe_checkpoint_section){.name = NULL};
  enum checkpoint_section section = (enum checkpoint_section)i;
  struct checkpoint_sizes sizes = checkpoint_sizes_of(checkpoint->reader, section);
  return (floe_checkpoint_section){checkpoint_section_name(section), sizes.states, sizes.blocks, sizes.bytes};
}

/* ---- verifying ------------------------------------------------------------------------------- */

/* False: no memory; other threads read the remaining blocks. Errors of the file are reported by checkpoint_end_reading.
 */
static bool read_blocks(struct checkpoint_reader *reader) {
  struct checkpoint_block *block = checkpoint_block_create(reader);
  struct checkpoint_states got;
  if (!block)
    return false;
  while (checkpoint_next(reader, block, &got) == FLOE_OK && got.n > 0)
    ;
  checkpoint_block_free(block);
  return true;
}

static void *reader_thread(void *reader) {
  read_blocks(reader);
  return NULL;
}

static unsigned start_threads(struct checkpoint_reader *reader, pthread_t *threads, unsigned wanted) {
  unsigned n = 0;
  while (n < wanted && thread_start(&threads[n], reader_thread, reader))
    n++;
  return n;
}

floe_status floe_checkpoint_verify(floe_checkpoint *checkpoint, unsigned threads) {
  REQUIRE(NULL, checkpoint);
  pthread_t others[MOST_THREADS];
  threads = threads ? threads : defaults_threads();
  threads = threads < MOST_THREADS ? threads : MOST_THREADS;
  checkpoint_choose(checkpoint->reader, (1u << CHECKPOINT_SECTIONS) - 1);
  unsigned n = start_threads(checkpoint->reader, others, threads - 1);
  bool memory = read_blocks(checkpoint->reader);
  for (unsigned i = 0; i < n; i++)
    pthread_join(others[i], NULL);
  return memory ? checkpoint_end_reading(checkpoint->reader) : FLOE_ERROR_MEMORY;
}
