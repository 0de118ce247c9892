#include "gpu/multi/level_record.h"

#include "base/numbers.h"
#include "engine/distributed/record_distributed.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/gpu_tree.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/state_download.h"

struct recording {
  struct gpu_search *self;
  struct record_writer writer;
};

static void put_states(void *user, const uint64_t *waiting, size_t n) {
  struct recording *recording = user;
  const uint64_t most = recording->self->tree.words ? RECORDER_MOST_AT_ONCE : n;
  for (uint64_t some; n > 0; waiting += some, n -= some) {
    some = least(n, most);
    record_writer_put(&recording->writer, download_states_of(recording->self, waiting, some), some);
  }
}

void member_record_level(struct gpu_search *self) {
  struct collective *collective = &self->group.collective;
  struct recording recording = {self, {collective, 0}};
  if (!record_distributed_is_due(collective))
    return;
  record_distributed_begin(collective, 1);
  floe_status status = gpu_tree_copy(self);
  if (status == FLOE_OK)
    status = queue_each(self, true, self->download.buffers[0], DOWNLOAD_BUFFER_WORDS, put_states, &recording);
  record_writer_end(&recording.writer);
  record_distributed_end(collective, 1, status);
}
