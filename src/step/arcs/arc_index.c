#include "step/arcs/arc_index.h"

#include <stdlib.h>

/* Bits of a word, one of those of the state or one of shared fields, of which one is set if the condition of a test or
 * range holds. */
struct needed {
  uint32_t word;
  uint64_t bits;
};

struct index_job {
  const struct arc_table *table;
  const struct arc_index *index;
  uint32_t transitions;
  uint32_t *needing;     /* [64 * bit_words] transitions that have a condition on the bit */
  struct needed *chosen; /* [transitions] bits 0: none */
  uint64_t *initial;     /* [bit_words] bits that are set in the initial state */
};

/* ---- shared fields ------------------------------------------------------------------------------ */

static int by_word(const void *a, const void *b) {
  const struct arc_shared_field *x = a, *y = b;
  return x->word != y->word ? (x->word < y->word ? -1 : 1) : x->shift < y->shift ? -1 : 1;
}

static void find_shared(const struct model *model, const struct layout *layout, struct arena *arena,
                        struct arc_index *index) {
  struct arc_shared_field *fields = arena_array(arena, model->exclusive_count, sizeof *fields);
  uint32_t bit = 64 * layout->words;
  for (size_t i = 0; i < model->exclusive_count; i++) {
    const struct field *f = &layout->fields[model->exclusive[i].variables[0]];
    fields[i] = (struct arc_shared_field){f->word, f->shift, ((uint64_t)1 << f->width) - 1, 0};
  }
  if (model->exclusive_count)
    qsort(fields, model->exclusive_count, sizeof *fields, by_word);
  for (size_t i = 0; i < model->exclusive_count; bit += (uint32_t)fields[i++].mask + 1)
    fields[i].first = bit;
  index->shared = fields;
  index->shared_count = (uint32_t)model->exclusive_count;
  index->bit_words = (bit + 63) / 64;
}

/* The first shared field of the word, or of one behind it. */
static uint32_t shared_from(const struct arc_index *index, uint32_t word) {
  uint32_t low = 0, high = index->shared_count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (index->shared[middle].word < word)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static struct needed needed_by_code(const struct arc_shared_field *field, uint64_t word) {
  const uint32_t bit = field->first + (uint32_t)(word >> field->shift & field->mask);
  return (struct needed){bit / 64, (uint64_t)1 << bit % 64};
}

/* ---- choice ------------------------------------------------------------------------------------- */

/* The highest bit of the least value, or a bit above it. None for a range that wraps. */
static struct needed needed_by_range(const struct arc_range *range) {
  if (range->span > UINT64_MAX - range->least)
    return (struct needed){range->word, 0};
  const uint64_t below = range->least ? ((uint64_t)1 << (63 - __builtin_clzll(range->least))) - 1 : UINT64_MAX;
  return (struct needed){range->word, (range->mask & ~below) << range->shift};
}

/* One bit that must be set, or one code. Fields are tested as a whole. */
static void each_choice_of_test(struct index_job *job, uint32_t t, const struct arc_test *test,
                                void (*visit)(struct index_job *, uint32_t, struct needed)) {
  const struct arc_index *index = job->index;
  uint64_t own = test->value;
  for (uint32_t i = shared_from(index, test->word); i < index->shared_count && index->shared[i].word == test->word;
       i++) {
    const struct arc_shared_field *field = &index->shared[i];
    own &= ~(field->mask << field->shift);
    if (test->mask >> field->shift & field->mask)
      visit(job, t, needed_by_code(field, test->value));
  }
  for (uint64_t bits = own; bits; bits &= bits - 1)
    visit(job, t, (struct needed){test->word, bits & -bits});
}

/* Calls `visit` for each possible choice of a transition: one bit or code of a test, or all bits of a range. */
static void each_choice(struct index_job *job, uint32_t t, void (*visit)(struct index_job *, uint32_t, struct needed)) {
  const struct arc_row *row = &job->table->rows[t];
  for (uint32_t i = row->test; i < row[1].test; i++)
    each_choice_of_test(job, t, &job->table->tests[i], visit);
  for (uint32_t i = row->range; i < row->check; i++) {
    const struct needed needed = needed_by_range(&job->table->ranges[i]);
    if (needed.bits)
      visit(job, t, needed);
  }
}

/* A guard is false in every state. */
static bool never_enabled(const struct index_job *job, uint32_t t) {
  const struct arc_row *row = &job->table->rows[t];
  for (uint32_t i = row->range; i < row->check; i++)
    if (!job->table->ranges[i].mask)
      return true;
  return false;
}

static uint32_t bit_number(uint32_t word, uint64_t bits) { return 64 * word + (uint32_t)__builtin_ctzll(bits); }

static void count_needing(struct index_job *job, uint32_t t, struct needed needed) {
  (void)t;
  for (uint64_t bits = needed.bits; bits; bits &= bits - 1)
    job->needing[bit_number(needed.word, bits)]++;
}

/* Resources that are free initially are mostly free later, too. */
static bool needed_initially(const struct index_job *job, struct needed needed) {
  return (job->initial[needed.word] & needed.bits) != 0;
}

static uint64_t listed_with(const struct index_job *job, struct needed needed) {
  uint64_t sum = 0;
  for (uint64_t bits = needed.bits; bits; bits &= bits - 1)
    sum += job->needing[bit_number(needed.word, bits)];
  return sum;
}

static void choose(struct index_job *job, uint32_t t, struct needed needed) {
  struct needed *const chosen = &job->chosen[t];
  const bool set = needed_initially(job, needed), chosen_set = chosen->bits && needed_initially(job, *chosen);
  if (!chosen->bits || set < chosen_set || (set == chosen_set && listed_with(job, needed) < listed_with(job, *chosen)))
    *chosen = needed;
}

/* Lists of all bits, one after the other; transitions come in ascending order. */
static void make_lists(const struct index_job *job, struct arena *arena, struct arc_index *index) {
  const size_t bit_count = (size_t)64 * index->bit_words;
  uint32_t *const first = arena_array(arena, bit_count + 1, sizeof *first);
  uint32_t *const end = arena_array(arena, bit_count, sizeof *end);
  for (uint32_t t = 0; t < job->transitions; t++)
    for (uint64_t bits = job->chosen[t].bits; bits; bits &= bits - 1)
      first[bit_number(job->chosen[t].word, bits) + 1]++;
  for (size_t b = 0; b < bit_count; b++)
    first[b + 1] += first[b];
  struct arc_candidates *const list = arena_array(arena, first[bit_count], sizeof *list);
  for (size_t b = 0; b < bit_count; b++)
    end[b] = first[b];
  for (uint32_t t = 0; t < job->transitions; t++)
    for (uint64_t bits = job->chosen[t].bits; bits; bits &= bits - 1) {
      const uint32_t b = bit_number(job->chosen[t].word, bits);
      if (end[b] == first[b] || list[end[b] - 1].word != t / 64)
        list[end[b]++].word = t / 64;
      list[end[b] - 1].mask |= (uint64_t)1 << t % 64;
    }
  /* Closes the gaps: transitions of one word of the set share an entry. */
  uint32_t n = 0;
  for (size_t b = 0; b < bit_count; b++) {
    const uint32_t from = first[b];
    first[b] = n;
    for (uint32_t i = from; i < end[b]; i++)
      list[n++] = list[i];
  }
  first[bit_count] = n;
  index->first = first;
  index->list = list;
}

void arc_index_make(const struct arcs *arcs, const struct model *model, const struct layout *layout,
                    struct arena *arena, struct arc_index *out) {
  struct index_job job = {.table = &arcs->table, .index = out, .transitions = arcs->table.transitions};
  *out = (struct arc_index){.words = layout->words, .set_words = (arcs->table.transitions + 63) / 64};
  find_shared(model, layout, arena, out);
  uint64_t *const always = arena_array(arena, out->set_words, sizeof *always);
  uint64_t *const bits = arena_array(arena, out->bit_words, sizeof *bits);
  job.needing = arena_array(arena, (size_t)64 * out->bit_words, sizeof *job.needing);
  job.chosen = arena_array(arena, arcs->table.transitions, sizeof *job.chosen);
  job.initial = arena_array(arena, out->bit_words, sizeof *job.initial);
  layout_initial(model, layout, job.initial);
  for (uint32_t i = 0; i < out->shared_count; i++) {
    const struct needed set = needed_by_code(&out->shared[i], job.initial[out->shared[i].word]);
    job.initial[set.word] |= set.bits;
  }
  for (uint32_t t = 0; t < arcs->table.transitions; t++)
    if (!never_enabled(&job, t))
      each_choice(&job, t, count_needing);
  for (uint32_t t = 0; t < arcs->table.transitions; t++) {
    if (never_enabled(&job, t))
      continue;
    each_choice(&job, t, choose);
    if (job.chosen[t].bits)
      bits[job.chosen[t].word] |= job.chosen[t].bits;
    else
      always[t / 64] |= (uint64_t)1 << t % 64;
  }
  make_lists(&job, arena, out);
  out->always = always;
  out->bits = bits;
}
