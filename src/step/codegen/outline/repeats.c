/* Each part gets the number of its shape. The suffixes of the sequences of these numbers, sorted, have the repeated
   sequences as common prefixes. Repeats that save the most text are taken first. */
#include "step/codegen/outline/repeats.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_PARTS = 200,     /* of a sequence */
  FUNCTION_BYTES = 120, /* estimate: a function without its body */
  CALL_BYTES = 60,      /* a call without its arguments */
  ARGUMENT_BYTES = 8,
  ADDRESS = 4, /* arguments that the address of a variable is worth: the variable stays in memory */
  MOST_ARGUMENTS = 24,
  LEAST_SAVED = 300
};

struct shape {
  uint64_t hash;
  size_t size;
  uint32_t part;
};

/* A common prefix of the suffixes sorted[first..end-1]. */
struct candidate {
  size_t first, end, length;
  uint64_t saved; /* estimate */
};

struct search {
  const struct parts *parts;
  const char *text;
  bool any;
  struct arena *arena;
  uint32_t *shape;    /* [part] number of its shape; parts of equal shapes have equal numbers below `repeated` */
  size_t *size;       /* [part] */
  uint32_t repeated;  /* shapes that occur twice */
  uint32_t *numbers;  /* [count] shapes of the parts of all blocks, one block after the other, with separators */
  uint32_t *part_at;  /* [count] */
  size_t *size_until; /* [count + 1] sizes of all parts before */
  size_t count;
  const uint32_t **sorted; /* [sorted_count] into numbers */
  size_t sorted_count;
  bool *taken; /* [count] in a repeat */
  struct candidate *candidates;
  size_t candidate_count, candidate_capacity;
  size_t *places; /* [count] of the candidate that is considered */
  struct repeats *out;
};

/* ---- shapes ---------------------------------------------------------------------------------- */

static void mix(struct shape *shape, uint64_t value) {
  shape->hash = (shape->hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  shape->hash ^= shape->hash >> 29;
}

/* Past a line's indentation. */
static const char *next_character(const char *at, const char *end) {
  const bool line = *at++ == '\n';
  while (line && at < end && *at == ' ')
    at++;
  return at;
}

static void add_text(struct shape *shape, const char *at, const char *end) {
  for (; at < end; at = next_character(at, end)) {
    mix(shape, (unsigned char)*at);
    shape->size++;
  }
}

/* What equal shapes have in common at a hole. */
static uint64_t hole_shape(const struct hole *hole, const char *text, uint32_t first_local) {
  const uint64_t kind = (uint64_t)hole->kind << 3 | (uint64_t)hole->is_64bit << 2 | (uint64_t)hole->assigned << 1;
  if (hole->kind == HOLE_STATE)
    return kind | (text[hole->begin] == 't');
  if (hole->kind == HOLE_LOCAL && hole->number >= first_local)
    return (uint64_t)(hole->number - first_local + 1) << 8 | kind;
  return kind;
}

static struct shape shape_of(const struct search *search, uint32_t number) {
  const struct part *part = &search->parts->parts[number];
  struct shape shape = {.part = number};
  size_t at = part->begin;
  for (uint32_t h = part->first_hole; h < part->end_hole; h++) {
    const struct hole *hole = &search->parts->holes[h];
    add_text(&shape, search->text + at, search->text + hole->begin);
    mix(&shape, 256 + hole_shape(hole, search->text, part->first_local));
    if (hole->kind == HOLE_FIXED)
      mix(&shape, 1000 + (uint64_t)number); /* as no other */
    at = hole->end;
  }
  add_text(&shape, search->text + at, search->text + part->end);
  return shape;
}

static int compare_shapes(const void *a, const void *b) {
  const struct shape *x = a, *y = b;
  if (x->hash != y->hash)
    return x->hash < y->hash ? -1 : 1;
  return (x->part > y->part) - (x->part < y->part);
}

static void number_shapes(struct search *search) {
  const size_t count = search->parts->count;
  struct shape *shapes = arena_array(search->arena, count + 1, sizeof *shapes);
  search->shape = arena_array(search->arena, count + 1, sizeof *search->shape);
  search->size = arena_array(search->arena, count + 1, sizeof *search->size);
  for (uint32_t i = 0; i < count; i++) {
    shapes[i] = shape_of(search, i);
    search->size[i] = shapes[i].size;
  }
  qsort(shapes, count, sizeof *shapes, compare_shapes);
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && shapes[end].hash == shapes[i].hash;)
      end++;
    for (size_t k = i; k < end; k++)
      search->shape[shapes[k].part] = end > i + 1 ? search->repeated : UINT32_MAX;
    search->repeated += end > i + 1;
  }
}

/* ---- sorted suffixes ------------------------------------------------------------------------- */

static void add_number(struct search *search, uint32_t number, uint32_t part, size_t size) {
  search->numbers[search->count] = number;
  search->part_at[search->count++] = part;
  search->size_until[search->count] = search->size_until[search->count - 1] + size;
}

/* A shape that occurs once gets a number for itself, like the separator after a block. */
static void list_blocks(struct search *search) {
  const struct parts *parts = search->parts;
  uint32_t next = search->repeated;
  for (uint32_t i = 0; i < parts->count; i++) {
    if (!parts->parts[i].heads)
      continue;
    for (uint32_t p = i; p != NO_PART; p = parts->parts[p].next)
      add_number(search, search->shape[p] == UINT32_MAX ? next++ : search->shape[p], p, search->size[p]);
    add_number(search, next++, NO_PART, 0);
  }
}

/* (No number above `repeated` occurs twice, so both suffixes end before the array does.) */
static size_t common_prefix(const uint32_t *a, const uint32_t *b) {
  size_t length = 0;
  while (length < MOST_PARTS && a[length] == b[length])
    length++;
  return length;
}

static int compare_suffixes(const void *a, const void *b) {
  const uint32_t *const x = *(const uint32_t *const *)a, *const y = *(const uint32_t *const *)b;
  const size_t same = x == y ? MOST_PARTS : common_prefix(x, y);
  if (same == MOST_PARTS)
    return (x > y) - (x < y);
  return x[same] < y[same] ? -1 : 1;
}

static void sort_suffixes(struct search *search) {
  const size_t most = 2 * search->parts->count + 1;
  search->numbers = arena_array(search->arena, most, sizeof *search->numbers);
  search->part_at = arena_array(search->arena, most, sizeof *search->part_at);
  search->size_until = arena_array(search->arena, most + 1, sizeof *search->size_until);
  list_blocks(search);
  search->sorted = arena_array(search->arena, search->count + 1, sizeof *search->sorted);
  search->taken = arena_array(search->arena, search->count + 1, sizeof *search->taken);
  search->places = arena_array(search->arena, search->count + 1, sizeof *search->places);
  for (size_t i = 0; i < search->count; i++)
    if (search->numbers[i] < search->repeated)
      search->sorted[search->sorted_count++] = &search->numbers[i];
  qsort(search->sorted, search->sorted_count, sizeof *search->sorted, compare_suffixes);
}

/* ---- candidates ------------------------------------------------------------------------------ */

static int compare_places(const void *a, const void *b) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

static bool is_free(const struct search *search, size_t at, size_t length) {
  for (size_t i = at; i < at + length; i++)
    if (search->taken[i])
      return false;
  return true;
}

/* Writes the places that do not overlap, neither with one another nor with other repeats. */
static size_t find_places(struct search *search, const struct candidate *candidate) {
  size_t count = 0, kept = 0;
  for (size_t i = candidate->first; i < candidate->end; i++)
    search->places[count++] = (size_t)(search->sorted[i] - search->numbers);
  qsort(search->places, count, sizeof *search->places, compare_places);
  for (size_t i = 0, end = 0; i < count; i++) {
    const size_t at = search->places[i];
    if (at < end || !is_free(search, at, candidate->length))
      continue;
    search->places[kept++] = at;
    end = at + candidate->length;
  }
  return kept;
}

static size_t size_at(const struct search *search, size_t at, size_t length) {
  return search->size_until[at + length] - search->size_until[at];
}

/* Bytes that functions with this number of arguments save; 0: none. */
static uint64_t saved_bytes(const struct search *search, size_t size, size_t places, size_t arguments) {
  const uint64_t before = (uint64_t)size * places;
  const uint64_t after = size + FUNCTION_BYTES + (uint64_t)places * (CALL_BYTES + ARGUMENT_BYTES * arguments);
  if (places < 2)
    return 0;
  if (search->any)
    return before > after ? before - after : size > 0;
  return before > after + LEAST_SAVED ? before - after : 0;
}

static void add_candidate(struct search *search, size_t first, size_t end, size_t length) {
  struct candidate candidate = {.first = first, .end = end, .length = length};
  const size_t places = find_places(search, &candidate);
  candidate.saved = places < 2 ? 0 : saved_bytes(search, size_at(search, search->places[0], length), places, 2);
  if (candidate.saved)
    *ARENA_PUSH(search->arena, search->candidates, search->candidate_count, search->candidate_capacity) = candidate;
}

/* Each set of suffixes with a longest common prefix: a stack holds those that are not complete. */
static void find_candidates(struct search *search) {
  struct candidate *stack = arena_array(search->arena, MOST_PARTS + 2, sizeof *stack);
  size_t depth = 0;
  for (size_t i = 1; i <= search->sorted_count; i++) {
    const size_t length = i < search->sorted_count ? common_prefix(search->sorted[i - 1], search->sorted[i]) : 0;
    size_t first = i - 1;
    while (depth && stack[depth - 1].length > length) {
      depth--;
      first = stack[depth].first;
      add_candidate(search, first, i, stack[depth].length);
    }
    if (length && (!depth || stack[depth - 1].length < length))
      stack[depth++] = (struct candidate){.first = first, .length = length};
  }
  assert(depth == 0);
}

static int compare_candidates(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  if (x->saved != y->saved)
    return x->saved > y->saved ? -1 : 1;
  return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                              : (x->length > y->length) - (x->length < y->length);
}

/* ---- choice ---------------------------------------------------------------------------------- */

bool same_shape(const struct parts *parts, const char *text, const struct sequence *a, const struct sequence *b) {
  const uint32_t holes = a->end_hole - a->first_hole;
  const uint32_t local_a = parts->parts[a->first_part].first_local, local_b = parts->parts[b->first_part].first_local;
  const char *at = text + a->begin, *other = text + b->begin;
  if (holes != b->end_hole - b->first_hole)
    return false;
  for (uint32_t h = 0; h <= holes; h++) {
    const struct hole *x = &parts->holes[a->first_hole + h], *y = &parts->holes[b->first_hole + h];
    const char *const end = text + (h < holes ? x->begin : a->end), *const end_other =
                                                                        text + (h < holes ? y->begin : b->end);
    for (; at < end && other < end_other && *at == *other; at = next_character(at, end))
      other = next_character(other, end_other);
    if (at != end || other != end_other)
      return false;
    if (h == holes)
      break;
    if (x->kind == HOLE_FIXED || hole_shape(x, text, local_a) != hole_shape(y, text, local_b))
      return false;
    at = text + x->end;
    other = text + y->end;
  }
  return true;
}

static struct sequence sequence_at(const struct search *search, size_t at, size_t length) {
  const struct part *first = &search->parts->parts[search->part_at[at]];
  const struct part *last = &search->parts->parts[search->part_at[at + length - 1]];
  return (struct sequence){search->part_at[at], last->end_part, first->first_hole,
                           last->end_hole,      first->begin,   last->end};
}

/* A hash of what a hole has at all places, of a number: what it has more than at the first place. 0 if it has the same
   constant everywhere. */
static uint64_t hash_column(const struct search *search, const struct repeat *repeat, uint32_t hole) {
  const struct hole *const first = &search->parts->holes[repeat->at[0].first_hole + hole];
  const bool number = first->kind == HOLE_NUMBER || first->kind == HOLE_FAILURE;
  const size_t length = first->end - first->begin;
  struct shape all = {.hash = first->kind};
  bool equal = number || first->kind == HOLE_NAME;
  for (size_t i = 0; i < repeat->count; i++) {
    const struct hole *other = &search->parts->holes[repeat->at[i].first_hole + hole];
    const char *const text = search->text + other->begin;
    const size_t bytes = other->end - other->begin;
    equal = equal && (number ? other->number == first->number
                             : bytes == length && memcmp(text, search->text + first->begin, bytes) == 0);
    mix(&all, 256 + (number ? (uint64_t)(other->number - first->number) : bytes));
    if (!number)
      add_text(&all, text, text + bytes);
  }
  return equal ? 0 : all.hash | 1;
}

/* True for a hole that needs no argument. */
static bool is_own(const struct search *search, const struct repeat *repeat, uint32_t hole) {
  const struct hole *first = &search->parts->holes[repeat->at[0].first_hole + hole];
  if (first->kind != HOLE_TEMP)
    return first->kind == HOLE_STATE || declared_inside(search->parts, &repeat->at[0], first);
  for (size_t i = 0; i < repeat->count; i++)
    if (!used_inside(search->out, &repeat->at[i], &search->parts->holes[repeat->at[i].first_hole + hole]))
      return false;
  return true;
}

/* Estimated number of arguments, up to MOST_ARGUMENTS + ADDRESS. */
static size_t count_arguments(const struct search *search, const struct repeat *repeat) {
  uint64_t seen[MOST_ARGUMENTS + 1];
  bool by_address[MOST_ARGUMENTS + 1];
  size_t count = 0, sum = 0;
  for (uint32_t h = 0; h < repeat->at[0].end_hole - repeat->at[0].first_hole && sum <= MOST_ARGUMENTS; h++) {
    const uint64_t hash = is_own(search, repeat, h) ? 0 : hash_column(search, repeat, h);
    const bool assigned = search->parts->holes[repeat->at[0].first_hole + h].assigned;
    size_t known = 0;
    while (known < count && seen[known] != hash)
      known++;
    if (!hash || (known < count && (by_address[known] || !assigned)))
      continue;
    sum += assigned ? ADDRESS - (known < count) : 1;
    seen[known] = hash;
    by_address[known] = assigned;
    count += known == count;
  }
  return sum;
}

static void take(struct search *search, const struct candidate *candidate) {
  struct repeats *const out = search->out;
  const size_t places = find_places(search, candidate);
  if (places < 2)
    return;
  struct repeat repeat = {.size = size_at(search, search->places[0], candidate->length)};
  if (!saved_bytes(search, repeat.size, places, 0))
    return;
  repeat.at = arena_array(search->arena, places, sizeof *repeat.at);
  for (size_t i = 0; i < places; i++) {
    repeat.at[repeat.count] = sequence_at(search, search->places[i], candidate->length);
    if (same_shape(search->parts, search->text, &repeat.at[0], &repeat.at[repeat.count]))
      search->places[repeat.count++] = search->places[i];
  }
  const size_t arguments = count_arguments(search, &repeat);
  if ((arguments > MOST_ARGUMENTS && !search->any) || !saved_bytes(search, repeat.size, repeat.count, arguments))
    return;
  for (size_t i = 0; i < repeat.count; i++)
    memset(&search->taken[search->places[i]], true, candidate->length);
  *ARENA_PUSH(search->arena, out->items, out->count, out->capacity) = repeat;
}

static int compare_repeats(const void *a, const void *b) {
  const struct repeat *x = a, *y = b;
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  return (x->at->begin > y->at->begin) - (x->at->begin < y->at->begin);
}

static void find_temp_ranges(const struct parts *parts, struct arena *arena, struct repeats *out) {
  out->temps = arena_array(arena, (size_t)parts->next_temps + 1, sizeof *out->temps);
  for (uint32_t h = (uint32_t)parts->hole_count; h-- > 0;)
    if (parts->holes[h].kind == HOLE_TEMP)
      out->temps[parts->holes[h].number].first = h;
  for (uint32_t h = 0; h < parts->hole_count; h++)
    if (parts->holes[h].kind == HOLE_TEMP)
      out->temps[parts->holes[h].number].last = h;
}

void find_repeats(const struct parts *parts, const char *text, bool any, struct arena *arena, struct repeats *out) {
  struct search search = {.parts = parts, .text = text, .any = any, .arena = arena, .out = out};
  find_temp_ranges(parts, arena, out);
  number_shapes(&search);
  sort_suffixes(&search);
  find_candidates(&search);
  if (search.candidate_count)
    qsort(search.candidates, search.candidate_count, sizeof *search.candidates, compare_candidates);
  for (size_t i = 0; i < search.candidate_count; i++)
    take(&search, &search.candidates[i]);
  if (out->count)
    qsort(out->items, out->count, sizeof *out->items, compare_repeats);
}
