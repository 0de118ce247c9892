/* The tree's part in checkpoints, which have states of several words in full: another run has other roots. */
#include "gpu/engine/gpu_search.h"

#include "core/mem.h"
#include "engine/snapshot/snapshot.h"
#include "tree/kernel/tree.h"
#include "tree/tree.h"

#include <assert.h>

enum { AT_ONCE = 256 };

/* ---- out ----------------------------------------------------------------------------------------- */

/* A thread's. */
struct gpu_tree_lane {
  uint64_t *states; /* [AT_ONCE] */
  uint32_t *numbers;
};

floe_status gpu_tree_lanes(const struct gpu_search *self, unsigned members, struct gpu_tree_lane **out) {
  struct gpu_tree_lane *lanes = mem_array(members + 1, sizeof *lanes);
  bool made = lanes != NULL;
  for (unsigned i = 0; made && i < members; i++) {
    lanes[i].states = mem_array((size_t)AT_ONCE * self->tree.words, sizeof *lanes[i].states);
    lanes[i].numbers = mem_array(self->tree.count, sizeof *lanes[i].numbers);
    made = lanes[i].states && lanes[i].numbers;
  }
  if (!made) {
    gpu_tree_lanes_free(lanes, members);
    return FLOE_ERROR_MEMORY;
  }
  *out = lanes;
  return FLOE_OK;
}

void gpu_tree_lanes_free(struct gpu_tree_lane *lanes, unsigned members) {
  for (unsigned i = 0; lanes && i < members; i++) {
    mem_free(lanes[i].states);
    mem_free(lanes[i].numbers);
  }
  mem_free(lanes);
}

void gpu_tree_visit(const struct gpu_search *self, struct gpu_tree_lane *lanes, unsigned member, bool keys,
                    const uint64_t *waiting, uint64_t n, void (*visit)(void *user, const uint64_t *states, uint64_t n),
                    void *user) {
  const struct gpu_tree *tree = &self->tree;
  struct gpu_tree_lane *lane = &lanes[member];
  for (uint64_t at = 0, some; at < n; at += some) {
    some = n - at < AT_ONCE ? n - at : AT_ONCE;
    for (uint64_t i = 0; i < some; i++) {
      const uint64_t root = keys ? tree_root(waiting[at + i], tree->bits[0]) : waiting[at + i];
      tree_numbers_of(tree->host, tree->words, root, lane->numbers, lane->states + i * tree->words);
    }
    visit(user, lane->states, some);
  }
}

/* ---- in ------------------------------------------------------------------------------------------ */

/* The states of a file get their numbers on the host first, all of them, as only then it is known how wide the keys of
   the visited set are; then the device gets the tables, and the file is read again. */
struct gpu_tree_names {
  struct tree *tree;
  struct tree_user **users;         /* [members] */
  struct checkpoint_block **blocks; /* [members] */
  struct checkpoint_states *read;   /* [members] states [done, n) have no root yet */
  uint64_t *done;
  unsigned members;
  struct gpu_search *search;
  _Atomic int status; /* floe_status */
  atomic_bool full;
};

static bool make_names(struct gpu_search *self, struct gpu_tree_names *names) {
  const unsigned members = names->members;
  names->users = mem_array(members, sizeof(void *));
  names->blocks = mem_array(members, sizeof(void *));
  names->read = mem_array(members, sizeof *names->read);
  names->done = mem_array(members, sizeof *names->done);
  bool made = names->users && names->blocks && names->read && names->done &&
              tree_create(self->tree.words, members, 0, &names->tree) == FLOE_OK;
  for (unsigned i = 0; made && i < members; i++) {
    names->blocks[i] = checkpoint_block_create(self->search->task->snapshot.from);
    made = names->blocks[i] && tree_user_create(names->tree, &names->users[i]) == FLOE_OK;
  }
  return made;
}

void gpu_tree_names_free(struct gpu_tree_names *names) {
  if (!names)
    return;
  for (unsigned i = 0; i < names->members; i++) {
    if (names->users)
      tree_user_free(names->users[i]);
    if (names->blocks)
      checkpoint_block_free(names->blocks[i]);
  }
  tree_free(names->tree);
  mem_free(names->users);
  mem_free(names->blocks);
  mem_free(names->read);
  mem_free(names->done);
  mem_free(names);
}

/* False: there is nothing more, or it failed. */
static bool read_block(struct gpu_tree_names *names, unsigned member) {
  struct checkpoint_states *read = &names->read[member];
  names->done[member] = read->n = 0;
  const struct stop stop = names->search->search->stop;
  floe_status status = stop_requested(&stop)
                           ? FLOE_ERROR_UNSUPPORTED
                           : checkpoint_next(names->search->search->task->snapshot.from, names->blocks[member], read);
  if (status != FLOE_OK)
    atomic_store(&names->status, (int)status);
  return status == FLOE_OK && read->n > 0;
}

static void name_blocks(void *data, unsigned member) {
  struct gpu_tree_names *names = data;
  const uint32_t words = names->search->tree.words;
  uint64_t roots[AT_ONCE];
  while (!atomic_load(&names->full) && atomic_load(&names->status) == FLOE_OK) {
    const struct checkpoint_states *read = &names->read[member];
    if (names->done[member] == read->n && !read_block(names, member))
      return;
    const uint64_t rest = read->n - names->done[member], n = rest < AT_ONCE ? rest : AT_ONCE;
    const size_t named =
        tree_roots(names->tree, names->users[member], read->states + names->done[member] * words, n, roots);
    names->done[member] += named;
    if (named < n)
      atomic_store(&names->full, true);
  }
}

static floe_status name_all(struct gpu_tree_names *names) {
  struct checkpoint_reader *from = names->search->search->task->snapshot.from;
  bool full;
  checkpoint_choose(from, 1u << CHECKPOINT_KEYS | 1u << CHECKPOINT_PENDING);
  do {
    pool_run(names->search->content.pool, name_blocks, names);
    FLOE_TRY((floe_status)atomic_load(&names->status));
    full = atomic_exchange(&names->full, false);
    if (full)
      FLOE_TRY(tree_grow(names->tree, false));
  } while (full);
  return checkpoint_end_reading(from);
}

floe_status gpu_tree_read(struct gpu_search *self, struct gpu_tree_names **out) {
  struct gpu_tree_names *names = mem_alloc(sizeof *names);
  if (!names)
    return FLOE_ERROR_MEMORY;
  names->search = self;
  names->members = pool_size(self->content.pool);
  floe_status status = make_names(self, names) ? name_all(names) : FLOE_ERROR_MEMORY;
  for (uint32_t id = 0; status == FLOE_OK && id < self->tree.count; id++)
    status = gpu_tree_fill(self, id, tree_contents(names->tree, id), tree_count(names->tree, id));
  if (status == FLOE_OK)
    status = gpu_tree_use(self);
  if (status == FLOE_OK)
    *out = names;
  else
    gpu_tree_names_free(names);
  return status;
}

uint64_t gpu_tree_roots(const struct gpu_tree_names *names, unsigned member, const uint64_t *states, uint64_t n,
                        uint64_t *roots) {
  return tree_roots(names->tree, names->users[member], states, n, roots);
}
