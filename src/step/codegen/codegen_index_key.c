/* Decoding divides a key by ranges of its parts: the quotient is the number of the greater half, the remainder that of
   the smaller half. So numbers soon have 32 bits, and divisions do not depend on one another. */
#include "step/codegen/codegen_index_key.h"

#include "step/codegen/codegen_expr.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define NARROW_END (UINT64_C(1) << 32)

/* The greatest number of `width` bits. */
static uint64_t max_raw(uint32_t width) { return (UINT64_C(1) << width) - 1; }

/* Type for numbers below `size`. */
static const char *type_of(uint64_t size) { return size <= NARROW_END ? "uint32_t" : "uint64_t"; }

/* ---- elements ------------------------------------------------------------------------------------- */

static struct element_position position_of(const struct codegen *gen, uint32_t v, uint32_t i) {
  const struct field *field = &gen->layout->fields[v];
  return (struct element_position){.kind = field->width ? KEY_FIXED : KEY_NO_BITS,
                                   .variable = v,
                                   .index = i,
                                   .word = field_word(field, i),
                                   .shift = field_shift(field, i),
                                   .width = field->shared ? 1 : field->width,
                                   .shared = field->shared ? field : NULL};
}

static int64_t lowest_value(const struct codegen *gen, uint32_t element) {
  return gen->model->variables[gen->key->elements[element].variable].lo;
}

static uint64_t raw_of(const struct codegen *gen, uint32_t element, int64_t value) {
  assert(value >= lowest_value(gen, element));
  return (uint64_t)(value - lowest_value(gen, element));
}

uint64_t codegen_digit_first(const struct codegen *gen, const struct index_digit *digit) {
  return raw_of(gen, digit->element, digit->lo);
}

static void note_digit(struct codegen *gen, uint64_t weight, const struct index_digit *digit) {
  struct element_position *element = &gen->key->elements[digit->element];
  assert(element->kind == KEY_FIXED);
  element->kind = digit->radix > 1 ? KEY_DIGIT : KEY_FIXED;
  element->first = codegen_digit_first(gen, digit);
  element->radix = digit->radix;
  element->weight = weight * digit->weight;
}

static void note_in_cases(struct codegen *gen, uint32_t group, uint32_t element) {
  struct element_position *at = &gen->key->elements[element];
  assert(at->kind == KEY_FIXED || (at->kind == KEY_IN_CASES && at->group == group));
  at->kind = KEY_IN_CASES;
  at->group = group;
}

static void note_group(struct codegen *gen, uint32_t g) {
  const struct index_group *group = &gen->key->encoding->groups[g];
  if (group->selector != NO_SELECTOR)
    note_in_cases(gen, g, group->selector);
  for (uint32_t c = 0; c < group->case_count; c++)
    for (uint32_t d = 0; group->cases[c].size && d < group->cases[c].digit_count; d++) {
      const struct index_digit *digit = &group->cases[c].digits[d];
      if (gen->key->elements[digit->element].kind == KEY_NO_BITS) {
        assert(digit->radix == 1);
        continue;
      }
      if (group->selector == NO_SELECTOR)
        note_digit(gen, group->weight, digit);
      else
        note_in_cases(gen, g, digit->element);
    }
}

/* Initially all elements are fixed at their lowest value. */
static void note_ranges(struct codegen *gen) {
  for (uint32_t e = 0; e < gen->model->value_count; e++)
    if (gen->key->elements[e].kind == KEY_FIXED)
      gen->key->elements[e].first = raw_of(gen, e, gen->key->encoding->invariants->ranges[e].lo);
}

/* Called after the groups are noted. */
static void note_dependent(struct codegen *gen) {
  const struct invariants *invariants = gen->key->encoding->invariants;
  for (uint32_t i = 0; i < invariants->dependent_count; i++) {
    struct element_position *element = &gen->key->elements[invariants->dependent[i].element];
    if (element->kind != KEY_FIXED)
      continue; /* it has no bits, or is a digit in spite of its dependence */
    element->kind = KEY_DEPENDENT;
    element->dependent = i;
  }
}

void codegen_index_key_prepare(struct codegen *gen) {
  const struct model *model = gen->model;
  const struct encoding *encoding = gen->layout->encoding;
  if (!encoding)
    return;
  gen->key = arena_alloc(gen->text.arena, sizeof *gen->key);
  *gen->key = (struct codegen_index_key){.encoding = encoding, .suffix = encoding->keys <= NARROW_END ? "u" : "ull"};
  gen->key->elements = arena_array(gen->text.arena, model->value_count + 1, sizeof *gen->key->elements);
  for (uint32_t v = 0; v < model->variable_count; v++)
    for (uint32_t i = 0; i < model->variables[v].count; i++)
      gen->key->elements[model->variables[v].first + i] = position_of(gen, v, i);
  note_ranges(gen);
  for (uint32_t g = 0; g < encoding->group_count; g++)
    note_group(gen, g);
  note_dependent(gen);
}

/* Firings read the old number of a group here; finding it again would need a case distinction in each. */
void codegen_index_key_members(struct codegen *gen) {
  const struct encoding *encoding = gen->key->encoding;
  codegen_line(gen, "  uint64_t key; /* of the state, or of its predecessor; likewise the numbers of the groups */");
  for (uint32_t g = 0; g < encoding->group_count; g++)
    if (encoding->groups[g].selector != NO_SELECTOR)
      codegen_line(gen, "  %s number_%" PRIu32 ";", type_of(encoding->groups[g].size), g);
}

/* ---- reading -------------------------------------------------------------------------------------- */

const char *codegen_element_name(struct codegen *gen, uint32_t element) {
  const struct element_position *at = &gen->key->elements[element];
  const struct variable *variable = &gen->model->variables[at->variable];
  const char *name = gen->accessors[at->variable];
  return variable->count == 1 ? name : arena_printf(gen->text.arena, "%s[%" PRIu32 "]", name, at->index);
}

void codegen_raw_bits(struct codegen *gen, uint32_t element, const char *state) {
  const struct element_position *at = &gen->key->elements[element];
  codegen_add(gen, "raw_%s(%s", gen->accessors[at->variable], state);
  if (gen->model->variables[at->variable].count > 1)
    codegen_add(gen, ", %" PRIu32, at->index);
  codegen_add(gen, ")");
}

/* raw - first; bracketed as an operand. */
static void raw_above(struct codegen *gen, uint32_t element, uint64_t first, const char *state, bool operand) {
  codegen_add(gen, operand && first ? "(" : "");
  codegen_raw_bits(gen, element, state);
  if (first)
    codegen_add(gen, " - %" PRIu64 "u%s", first, operand ? ")" : "");
}

bool codegen_may_leave_range(const struct codegen *gen, uint32_t element, uint64_t first, uint64_t radix) {
  const struct variable *variable = &gen->model->variables[gen->key->elements[element].variable];
  return first > 0 || radix <= (uint64_t)(variable->hi - variable->lo);
}

void codegen_raw_check(struct codegen *gen, uint32_t element, uint64_t first, uint64_t radix, const char *state,
                       const char *flag) {
  if (!codegen_may_leave_range(gen, element, first, radix))
    return;
  codegen_line(gen, "%s |= ", flag);
  if (radix == 1) {
    codegen_raw_bits(gen, element, state);
    codegen_add(gen, " != %" PRIu64 "u", first);
  } else {
    raw_above(gen, element, first, state, false);
    codegen_add(gen, " >= %" PRIu64 "u", radix);
  }
  codegen_add(gen, ";");
}

/* ---- division ------------------------------------------------------------------------------------- */

/* One factor of a key: a group with several cases or a digit. The most significant part comes first. */
struct key_part {
  uint64_t size, weight;
  uint32_t group; /* if digit is NULL */
  const struct index_digit *digit;
};

static void decode_part(struct codegen *gen, const struct key_part *part, const char *number);

static uint64_t size_of(const struct key_part *parts, size_t n) {
  uint64_t size = 1;
  for (size_t i = 0; i < n; i++)
    size *= parts[i].size;
  return size;
}

/* Splits the parts into two halves of about equal size; each half has at least one. */
static size_t middle_of(const struct key_part *parts, size_t n) {
  size_t middle = n - 1;
  uint64_t right = parts[n - 1].size;
  while (middle > 1 && parts[middle - 1].size <= UINT64_MAX / right &&
         right * parts[middle - 1].size <= size_of(parts, middle - 1))
    right *= parts[--middle].size;
  return middle;
}

static const char *new_number(struct codegen *gen) { return arena_printf(gen->text.arena, "n%u", gen->next_local++); }

static void decode_parts(struct codegen *gen, const struct key_part *parts, size_t n, const char *number) {
  if (n == 0)
    return;
  if (n == 1) {
    decode_part(gen, &parts[0], number);
    return;
  }
  const size_t middle = middle_of(parts, n);
  const uint64_t left = size_of(parts, middle), right = size_of(parts + middle, n - middle);
  const char *const suffix = left * right <= NARROW_END ? "u" : "ull";
  const char *const high = new_number(gen), *const low = new_number(gen);
  codegen_line(gen, "const %s %s = (%s)(%s / %" PRIu64 "%s);", type_of(left), high, type_of(left), number, right,
               suffix);
  codegen_line(gen, "const %s %s = (%s)(%s - (%s)%s * %" PRIu64 "%s);", type_of(right), low, type_of(right), number,
               type_of(left * right), high, right, suffix);
  decode_parts(gen, parts, middle, high);
  decode_parts(gen, parts + middle, n - middle, low);
}

/* Sets a shared field to the element's code, if the number after this is not 0. The caller writes the number and ")".
 */
static void set_shared(struct codegen *gen, const struct element_position *at) {
  codegen_line(gen, "s.w[%" PRIu32 "] = floe_with_code(s.w[%" PRIu32 "], %" PRIu32 ", %" PRIu32 ", %" PRIu32 "u, ",
               at->word, at->word, at->shift, at->shared->width, at->shared->code);
}

/* Sets the bits of an element, which are 0, to number + first. */
static void set_bits(struct codegen *gen, uint32_t element, const char *number, uint64_t first) {
  const struct element_position *at = &gen->key->elements[element];
  if (at->kind == KEY_NO_BITS)
    return;
  if (at->shared)
    set_shared(gen, at);
  else
    codegen_line(gen, "s.w[%" PRIu32 "] |= (uint64_t)", at->word);
  if (*number && first)
    codegen_add(gen, "(%s + %" PRIu64 "u)", number, first);
  else if (*number)
    codegen_add(gen, "%s", number);
  else
    codegen_add(gen, "%" PRIu64 "u", first);
  if (at->shared)
    codegen_add(gen, "); /* %s */", codegen_element_name(gen, element));
  else
    codegen_add(gen, " << %" PRIu32 "; /* %s */", at->shift, codegen_element_name(gen, element));
}

/* Lists the digits with more than one value; sets the bits of the others. */
static size_t parts_of_digits(struct codegen *gen, const struct index_digit *digits, size_t n, struct key_part *parts) {
  size_t count = 0;
  for (size_t d = 0; d < n; d++)
    if (digits[d].radix > 1)
      parts[count++] = (struct key_part){.size = digits[d].radix, .digit = &digits[d]};
    else if (gen->key->elements[digits[d].element].kind == KEY_IN_CASES)
      set_bits(gen, digits[d].element, "", codegen_digit_first(gen, &digits[d]));
  return count;
}

/* ---- cases ---------------------------------------------------------------------------------------- */

/* Consecutive cases with the same digits; or impossible selector values (of == NULL). */
struct case_run {
  uint64_t first, end; /* raw numbers of the selector */
  const struct index_case *of;
};

struct runs {
  struct case_run *items;
  size_t count, capacity;
};

static bool same_digits(const struct index_case *a, const struct index_case *b) {
  if (!a || a->size != b->size || a->digit_count != b->digit_count)
    return false;
  for (uint32_t d = 0; d < a->digit_count; d++) {
    const struct index_digit *x = &a->digits[d], *y = &b->digits[d];
    if (x->element != y->element || x->lo != y->lo || x->radix != y->radix || x->weight != y->weight)
      return false;
  }
  return true;
}

static bool follows(const struct case_run *run, const struct index_case *of) {
  return same_digits(run->of, of) && of->offset == run->of->offset + (run->end - run->first) * of->size;
}

static void add_case_run(struct codegen *gen, struct runs *runs, uint64_t first, uint64_t end,
                         const struct index_case *of) {
  struct case_run *last = runs->count ? &runs->items[runs->count - 1] : NULL;
  if (first == end)
    return;
  if (last && ((!of && !last->of) || (of && follows(last, of))))
    last->end = end;
  else
    *ARENA_PUSH(gen->text.arena, runs->items, runs->count, runs->capacity) = (struct case_run){first, end, of};
}

/* Case runs over all raw numbers that fit the selector's bits. */
static struct runs runs_of(struct codegen *gen, const struct index_group *group) {
  struct runs runs = {0};
  const uint64_t least = raw_of(gen, group->selector, group->selector_lo);
  const uint64_t all = max_raw(gen->key->elements[group->selector].width) + 1;
  add_case_run(gen, &runs, 0, least, NULL);
  for (uint32_t c = 0; c < group->case_count; c++)
    add_case_run(gen, &runs, least + c, least + c + 1, group->cases[c].size ? &group->cases[c] : NULL);
  if (least + group->case_count < all)
    add_case_run(gen, &runs, least + group->case_count, all, NULL);
  return runs;
}

static size_t drop_impossible(struct case_run *items, size_t n) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (items[i].of)
      items[kept++] = items[i];
  return kept;
}

/* Sets the bits of the selector and the digits from a number within the run. */
static void decode_run(struct codegen *gen, const struct index_group *group, const struct case_run *run,
                       const char *number) {
  const uint64_t cases = run->end - run->first, size = run->of->size;
  struct key_part *parts = arena_array(gen->text.arena, run->of->digit_count + 1, sizeof *parts);
  const char *rest = number;
  if (run->of->offset) {
    rest = new_number(gen);
    codegen_line(gen, "const %s %s = (%s)(%s - %" PRIu64 "%s);", type_of(cases * size), rest, type_of(cases * size),
                 number, run->of->offset, group->size <= NARROW_END ? "u" : "ull");
  }
  if (cases > 1 && size > 1) {
    const char *const high = new_number(gen), *const low = new_number(gen);
    const char *const suffix = cases * size <= NARROW_END ? "u" : "ull";
    codegen_line(gen, "const uint32_t %s = (uint32_t)(%s / %" PRIu64 "%s);", high, rest, size, suffix);
    codegen_line(gen, "const %s %s = (%s)(%s - (%s)%s * %" PRIu64 "%s);", type_of(size), low, type_of(size), rest,
                 type_of(cases * size), high, size, suffix);
    set_bits(gen, group->selector, high, run->first);
    rest = low;
  } else {
    set_bits(gen, group->selector, cases > 1 ? rest : "", run->first);
  }
  const size_t count = parts_of_digits(gen, run->of->digits, run->of->digit_count, parts);
  decode_parts(gen, parts, count, rest);
}

static void decode_runs(struct codegen *gen, const struct index_group *group, const struct case_run *runs, size_t n,
                        const char *number) {
  if (n == 1) {
    decode_run(gen, group, runs, number);
    return;
  }
  codegen_line(gen, "if (%s < %" PRIu64 "%s)", number, runs[n / 2].of->offset, group->size <= NARROW_END ? "u" : "ull");
  codegen_open(gen);
  decode_runs(gen, group, runs, n / 2, number);
  codegen_close(gen, " else");
  codegen_open(gen);
  decode_runs(gen, group, runs + n / 2, n - n / 2, number);
  codegen_close(gen, "");
}

static void decode_part(struct codegen *gen, const struct key_part *part, const char *number) {
  if (part->digit) {
    set_bits(gen, part->digit->element, number, codegen_digit_first(gen, part->digit));
    return;
  }
  const struct index_group *group = &gen->key->encoding->groups[part->group];
  struct runs runs = runs_of(gen, group);
  codegen_line(gen, "s.number_%" PRIu32 " = %s;", part->group, number);
  decode_runs(gen, group, runs.items, drop_impossible(runs.items, runs.count), number);
}

/* ---- the number of a group ------------------------------------------------------------------------ */

/* Adds weight * the digits' numbers. */
static void write_digits(struct codegen *gen, const struct index_case *at) {
  for (uint32_t d = 0; d < at->digit_count; d++) {
    const struct index_digit *digit = &at->digits[d];
    if (digit->radix == 1)
      continue;
    assert(gen->key->elements[digit->element].kind != KEY_NO_BITS);
    codegen_add(gen, " + (floe_index_key)");
    raw_above(gen, digit->element, codegen_digit_first(gen, digit), "s", true);
    codegen_add(gen, " * %" PRIu64 "%s", digit->weight, gen->key->suffix);
  }
}

static void check_digits(struct codegen *gen, const struct index_case *at) {
  for (uint32_t d = 0; d < at->digit_count; d++)
    if (gen->key->elements[at->digits[d].element].kind == KEY_IN_CASES)
      codegen_raw_check(gen, at->digits[d].element, codegen_digit_first(gen, &at->digits[d]), at->digits[d].radix, "s",
                        "*wrong");
}

static void number_run(struct codegen *gen, const struct case_run *run) {
  if (!run->of) {
    codegen_line(gen, "*wrong |= 1;");
    codegen_line(gen, "return 0;");
    return;
  }
  check_digits(gen, run->of);
  codegen_line(gen, "return %" PRIu64 "%s", run->of->offset, gen->key->suffix);
  if (run->end > run->first + 1) {
    codegen_add(gen, run->first ? " + (floe_index_key)(selector - %" PRIu64 "u)" : " + (floe_index_key)selector",
                run->first);
    codegen_add(gen, " * %" PRIu64 "%s", run->of->size, gen->key->suffix);
  }
  write_digits(gen, run->of);
  codegen_add(gen, ";");
}

static void number_runs(struct codegen *gen, const struct case_run *runs, size_t n) {
  if (n == 1) {
    number_run(gen, runs);
    return;
  }
  codegen_line(gen, "if (selector < %" PRIu64 "u)", runs[n / 2].first);
  codegen_open(gen);
  number_runs(gen, runs, n / 2);
  codegen_close(gen, "");
  number_runs(gen, runs + n / 2, n - n / 2);
}

static void number_function(struct codegen *gen, uint32_t g) {
  const struct index_group *group = &gen->key->encoding->groups[g];
  const struct runs runs = runs_of(gen, group);
  codegen_line(gen, "FLOE_DEVICE floe_index_key floe_number_%" PRIu32 "(const floe_state s, uint32_t *wrong)", g);
  codegen_open(gen);
  codegen_line(gen, "const uint32_t selector = ");
  codegen_raw_bits(gen, group->selector, "s");
  codegen_add(gen, ";");
  codegen_line(gen, "(void)selector, (void)wrong;");
  number_runs(gen, runs.items, runs.count);
  codegen_close(gen, "");
}

/* ---- dependent elements --------------------------------------------------------------------------- */

static int64_t constant_element_value(const struct codegen *gen, uint32_t element) {
  const struct element_position *at = &gen->key->elements[element];
  const struct variable *variable = &gen->model->variables[at->variable];
  return at->kind == KEY_NO_BITS ? variable->init[at->index] : variable->lo + (int64_t)at->first;
}

static const struct value_interval *invariant_range(const struct codegen *gen, uint32_t element) {
  return &gen->key->encoding->invariants->ranges[element];
}

static void dependent_table(struct codegen *gen, uint32_t element, uint32_t i, const struct linear_term *term) {
  const struct value_interval *range = invariant_range(gen, term->element);
  codegen_line(gen, "FLOE_CONSTANT int64_t dependent_%" PRIu32 "_%" PRIu32 "[%" PRId64 "] = {", element, i,
               range->hi - range->lo + 1);
  for (int64_t k = 0; k <= range->hi - range->lo; k++) {
    codegen_add(gen, k % 16 ? ", " : k ? ",\n  " : "");
    codegen_number(gen, term->table[k]);
  }
  codegen_add(gen, "};");
}

static bool is_constant_element(const struct codegen *gen, uint32_t element) {
  const enum element_key_role kind = gen->key->elements[element].kind;
  return kind == KEY_NO_BITS || kind == KEY_FIXED;
}

/* Contribution of the term to the constant: the whole term of a constant element, or the part of lo. */
static int64_t constant_of(const struct codegen *gen, const struct linear_term *term) {
  if (!is_constant_element(gen, term->element))
    return term->table ? 0 : term->coefficient * lowest_value(gen, term->element);
  const int64_t value = constant_element_value(gen, term->element);
  return term->table ? term->table[value - invariant_range(gen, term->element)->lo] : term->coefficient * value;
}

/* A raw number outside the table gives 0; the check of its own digit reports it. */
static void add_term(struct codegen *gen, uint32_t element, uint32_t i, const struct linear_term *term) {
  if (!term->table) {
    codegen_add(gen, " + (int64_t)");
    codegen_raw_bits(gen, term->element, "s");
    codegen_add(gen, " * ");
    codegen_number(gen, term->coefficient);
    return;
  }
  const struct value_interval *range = invariant_range(gen, term->element);
  const uint64_t first = raw_of(gen, term->element, range->lo);
  codegen_add(gen, " + (");
  raw_above(gen, term->element, first, "s", false);
  codegen_add(gen, " < %" PRIu64 "u ? dependent_%" PRIu32 "_%" PRIu32 "[", (uint64_t)(range->hi - range->lo) + 1,
              element, i);
  raw_above(gen, term->element, first, "s", false);
  codegen_add(gen, "] : 0)");
}

/* The raw number that the element must have; may exceed its bits if the others are not a valid state. */
static void dependent_function(struct codegen *gen, const struct dependent_element *dependent) {
  const uint32_t element = dependent->element;
  int64_t constant = dependent->constant - lowest_value(gen, element);
  for (uint32_t i = 0; i < dependent->term_count; i++) {
    constant += constant_of(gen, &dependent->terms[i]);
    if (dependent->terms[i].table && !is_constant_element(gen, dependent->terms[i].element))
      dependent_table(gen, element, i, &dependent->terms[i]);
  }
  codegen_line(gen, "FLOE_DEVICE uint64_t floe_dependent_%" PRIu32 "(const floe_state s) /* %s */", element,
               codegen_element_name(gen, element));
  codegen_open(gen);
  codegen_line(gen, "(void)s;");
  codegen_line(gen, "return (uint64_t)((int64_t)");
  codegen_number(gen, constant);
  for (uint32_t i = 0; i < dependent->term_count; i++)
    if (!is_constant_element(gen, dependent->terms[i].element))
      add_term(gen, element, i, &dependent->terms[i]);
  codegen_add(gen, ");");
  codegen_close(gen, "");
}

static void decode_dependent(struct codegen *gen, uint32_t element) {
  const struct element_position *at = &gen->key->elements[element];
  if (at->shared) {
    set_shared(gen, at);
    codegen_add(gen, "floe_dependent_%" PRIu32 "(s) & 1u);", element);
    return;
  }
  codegen_line(gen, "s.w[%" PRIu32 "] |= (floe_dependent_%" PRIu32 "(s) & %" PRIu64 "u) << %" PRIu32 ";", at->word,
               element, max_raw(at->width), at->shift);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static size_t parts_of_key(struct codegen *gen, struct key_part *parts) {
  const struct encoding *encoding = gen->key->encoding;
  size_t count = 0;
  for (uint32_t g = 0; g < encoding->group_count; g++) {
    const struct index_group *group = &encoding->groups[g];
    if (group->selector != NO_SELECTOR) {
      parts[count++] = (struct key_part){.size = group->size, .weight = group->weight, .group = g};
      continue;
    }
    assert(group->case_count == 1);
    for (uint32_t d = 0; d < group->cases[0].digit_count; d++) {
      const struct index_digit *digit = &group->cases[0].digits[d];
      if (digit->radix > 1)
        parts[count++] =
            (struct key_part){.size = digit->radix, .weight = group->weight * digit->weight, .digit = digit};
    }
  }
  for (uint64_t weight = 1, i = count; i-- > 0; weight *= parts[i].size)
    assert(parts[i].weight == weight);
  assert(size_of(parts, count) == encoding->keys);
  return count;
}

/* The first code of a shared field, in its place: that of an element that is always 1. Else of a dependent element,
   because no other element depends on it: until the elements of the field are known, all others read as 0. */
static uint64_t first_code(const struct codegen *gen, const struct exclusive_set *set) {
  uint64_t code = 0;
  for (size_t i = 0; i < set->count; i++) {
    const struct element_position *at = &gen->key->elements[gen->model->variables[set->variables[i]].first];
    if (at->kind == KEY_FIXED && at->first)
      return (uint64_t)at->shared->code << at->shift;
    if (at->kind == KEY_DEPENDENT && set->one)
      code = (uint64_t)at->shared->code << at->shift;
  }
  return code;
}

/* Begins a state in which only the bits of fixed elements are set. */
static void begin_state(struct codegen *gen) {
  uint64_t *words = arena_array(gen->text.arena, gen->layout->words, sizeof *words);
  memset(words, 0, gen->layout->words * sizeof *words);
  for (uint32_t e = 0; e < gen->model->value_count; e++) {
    const struct element_position *at = &gen->key->elements[e];
    if (at->kind == KEY_FIXED && !at->shared)
      words[at->word] |= at->first << at->shift;
  }
  for (size_t i = 0; i < gen->model->exclusive_count; i++) {
    const struct exclusive_set *set = &gen->model->exclusive[i];
    words[gen->layout->fields[set->variables[0]].word] |= first_code(gen, set);
  }
  codegen_line(gen, "floe_state s = {{");
  for (uint32_t w = 0; w < gen->layout->words; w++)
    codegen_add(gen, "%s%" PRIu64 "ull", w ? ", " : "", words[w]);
  codegen_add(gen, "}, key};");
}

static void decode_function(struct codegen *gen) {
  struct key_part *parts =
      arena_array(gen->text.arena, gen->model->value_count + gen->key->encoding->group_count + 1, sizeof *parts);
  const size_t count = parts_of_key(gen, parts);
  codegen_line(gen, "FLOE_DEVICE floe_state floe_decode(const uint64_t key)");
  codegen_open(gen);
  begin_state(gen);
  gen->next_local = 0;
  const char *const number = new_number(gen);
  codegen_line(gen, "const floe_index_key %s = (floe_index_key)key;", number);
  codegen_line(gen, "(void)%s;", number);
  decode_parts(gen, parts, count, number);
  for (uint32_t e = 0; e < gen->model->value_count; e++)
    if (gen->key->elements[e].kind == KEY_DEPENDENT)
      decode_dependent(gen, e);
  codegen_line(gen, "return s;");
  codegen_close(gen, "\n");
}

/* Weights of a variable's elements, for assignments with a computed index (codegen_key_delta.c). */
static void weights(struct codegen *gen, uint32_t v) {
  const struct variable *variable = &gen->model->variables[v];
  if (variable->count == 1)
    return;
  for (uint32_t i = 0; i < variable->count; i++)
    if (gen->key->elements[variable->first + i].kind != KEY_DIGIT)
      return;
  codegen_line(gen, "FLOE_CONSTANT floe_index_key weight_%s[%" PRIu32 "] = {", gen->accessors[v], variable->count);
  for (uint32_t i = 0; i < variable->count; i++)
    codegen_add(gen, "%s%" PRIu64 "%s",
                i % 16 ? ", "
                : i    ? ",\n  "
                       : "",
                gen->key->elements[variable->first + i].weight, gen->key->suffix);
  codegen_add(gen, "};");
}

static void encode_element(struct codegen *gen, uint32_t element) {
  const struct element_position *at = &gen->key->elements[element];
  if (at->kind == KEY_DIGIT) {
    codegen_raw_check(gen, element, at->first, at->radix, "s", "*wrong");
    codegen_line(gen, "key += (floe_index_key)");
    raw_above(gen, element, at->first, "s", true);
    codegen_add(gen, " * %" PRIu64 "%s;", at->weight, gen->key->suffix);
  } else if (at->kind == KEY_FIXED) {
    codegen_raw_check(gen, element, at->first, 1, "s", "*wrong");
  } else if (at->kind == KEY_DEPENDENT) {
    codegen_line(gen, "*wrong |= ");
    codegen_raw_bits(gen, element, "s");
    codegen_add(gen, " != floe_dependent_%" PRIu32 "(s);", element);
  }
}

static void encode_function(struct codegen *gen) {
  const struct encoding *encoding = gen->key->encoding;
  codegen_line(gen, "FLOE_DEVICE uint64_t floe_encode(const floe_state s, uint32_t *wrong)");
  codegen_open(gen);
  codegen_line(gen, "floe_index_key key = 0;");
  codegen_line(gen, "(void)s, (void)wrong;");
  for (uint32_t g = 0; g < encoding->group_count; g++)
    if (encoding->groups[g].selector != NO_SELECTOR)
      codegen_line(gen, "key += floe_number_%" PRIu32 "(s, wrong) * %" PRIu64 "%s;", g, encoding->groups[g].weight,
                   gen->key->suffix);
  for (uint32_t e = 0; e < gen->model->value_count; e++)
    encode_element(gen, e);
  codegen_line(gen, "return key;");
  codegen_close(gen, "\n");
}

void codegen_index_key(struct codegen *gen) {
  const struct encoding *encoding = gen->key->encoding;
  codegen_line(gen, "\n/* Index keys: 0..%" PRIu64 ". A state without a key sets bits of *wrong */",
               encoding->keys - 1);
  codegen_line(gen, "#define FLOE_INDEX_KEYS");
  codegen_line(gen, "typedef %s floe_index_key;\n", type_of(encoding->keys));
  for (uint32_t v = 0; v < gen->model->variable_count; v++)
    weights(gen, v);
  for (uint32_t i = 0; i < encoding->invariants->dependent_count; i++)
    if (gen->key->elements[encoding->invariants->dependent[i].element].kind == KEY_DEPENDENT)
      dependent_function(gen, &encoding->invariants->dependent[i]);
  decode_function(gen);
  for (uint32_t g = 0; g < encoding->group_count; g++)
    if (encoding->groups[g].selector != NO_SELECTOR)
      number_function(gen, g);
  encode_function(gen);
}
