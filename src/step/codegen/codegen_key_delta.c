/* A firing changes few of the numbers of which a key is the sum. The code adds weight * (new number - old number) for
   those, modulo 2^32 or 2^64. If most numbers change, it encodes the successor completely. Each new number is tested:
   one outside the encoding's range contradicts a proved invariant, an internal error. */
#include "step/codegen/codegen_key_delta.h"

#include "step/codegen/codegen_expr.h"
#include "step/codegen/codegen_index_key.h"

#include <inttypes.h>
#include <string.h>

enum {
  MAX_INDEXED = 3,         /* assignments with computed index to one variable, whose indices are compared with one
                              another */
  MIN_INDEXED_ELEMENTS = 4 /* elements of a variable; if fewer, all are treated as written */
};

/* An assignment with a computed index. */
struct indexed_assignment {
  const struct statement *statement;
  unsigned name; /* number of the index variable: at<name> */
};

struct key_changes {
  const struct transition *transition;
  bool *written;         /* [model->value_count] its digit is updated */
  bool *perhaps_written; /* by one of indexed_assignments */
  struct indexed_assignment *indexed;
  size_t indexed_count, indexed_capacity;
};

static const struct variable *variable_of(const struct codegen *gen, const struct statement *statement) {
  return &gen->model->variables[statement->id];
}

/* ---- which elements ------------------------------------------------------------------------------- */

static bool is_indexed(const struct codegen *gen, const struct statement *statement) {
  return variable_of(gen, statement)->count > 1 && statement->index && statement->index->op != EXPR_CONST;
}

static uint32_t element_of(const struct codegen *gen, const struct statement *statement) {
  const struct variable *variable = variable_of(gen, statement);
  return variable->first + (variable->count > 1 && statement->index ? (uint32_t)statement->index->value : 0);
}

/* All elements are digits with the same range. */
static bool have_equal_digits(const struct codegen *gen, const struct variable *variable) {
  const struct element_position *first = &gen->key->elements[variable->first];
  for (uint32_t i = 0; i < variable->count; i++)
    if (first[i].kind != KEY_DIGIT || first[i].first != first->first || first[i].radix != first->radix)
      return false;
  return true;
}

/* Number of unconditional assignments with computed index to the variable. */
static size_t times_indexed(const struct codegen *gen, const struct transition *transition, uint32_t variable) {
  size_t times = 0;
  for (size_t i = 0; i < transition->statement_count; i++) {
    const struct statement *statement = &transition->statements[i];
    times += statement->op == ST_ASSIGN && statement->id == variable && is_indexed(gen, statement);
  }
  return times;
}

static void note_assignment(struct codegen *gen, const struct statement *statement, bool nested) {
  struct key_changes *changes = gen->changes;
  const struct variable *variable = variable_of(gen, statement);
  if (!is_indexed(gen, statement)) {
    changes->written[element_of(gen, statement)] = true;
    return;
  }
  const bool apart = !nested && variable->count >= MIN_INDEXED_ELEMENTS && have_equal_digits(gen, variable) &&
                     times_indexed(gen, changes->transition, statement->id) <= MAX_INDEXED;
  memset((apart ? changes->perhaps_written : changes->written) + variable->first, true, variable->count);
  if (apart)
    *ARENA_PUSH(gen->text.arena, changes->indexed, changes->indexed_count, changes->indexed_capacity) =
        (struct indexed_assignment){.statement = statement};
}

static void note_assignments(struct codegen *gen, const struct statement *list, size_t count, bool nested) {
  for (size_t i = 0; i < count; i++) {
    if (list[i].op == ST_ASSIGN)
      note_assignment(gen, &list[i], nested);
    note_assignments(gen, list[i].then, statement_inner_count(&list[i]), true);
  }
}

void codegen_delta_begin(struct codegen *gen, const struct transition *transition) {
  struct arena *arena = gen->text.arena;
  if (!gen->key)
    return;
  gen->changes = arena_alloc(arena, sizeof *gen->changes);
  *gen->changes = (struct key_changes){.transition = transition};
  gen->changes->written = arena_array(arena, gen->model->value_count + 1, sizeof *gen->changes->written);
  gen->changes->perhaps_written =
      arena_array(arena, gen->model->value_count + 1, sizeof *gen->changes->perhaps_written);
  note_assignments(gen, transition->statements, transition->statement_count, false);
}

void codegen_delta_assignment(struct codegen *gen, const struct statement *statement) {
  for (size_t i = 0; gen->key && i < gen->changes->indexed_count; i++) {
    struct indexed_assignment *indexed = &gen->changes->indexed[i];
    if (indexed->statement != statement)
      continue;
    indexed->name = gen->next_local++;
    codegen_line(gen, "const uint32_t at%u = (uint32_t)(", indexed->name);
    codegen_hole(gen, HOLE_FIXED, gen->text.length, 0);
    codegen_expr(gen, statement->index, PREC_COND);
    codegen_add(gen, ");");
  }
}

/* ---- known cases --------------------------------------------------------------------------------- */

static bool find_test(const struct codegen *gen, const struct codegen_body *body, uint32_t element, int64_t *value) {
  const struct transition *transition = &gen->model->transitions[body->transitions[0]];
  for (size_t i = 0; i < transition->test_count; i++) {
    const struct location_test *test = &transition->tests[i];
    if ((body->count > 1 && i == body->varying) ||
        gen->model->variables[test->variable].first + test->element != element)
      continue;
    *value = test->location;
    return true;
  }
  return false;
}

static bool may_write(const struct codegen *gen, const struct statement *list, size_t count, uint32_t element) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &list[i];
    if (may_write(gen, statement->then, statement_inner_count(statement), element))
      return true;
    if (statement->op != ST_ASSIGN)
      continue;
    const struct variable *variable = variable_of(gen, statement);
    if (is_indexed(gen, statement) ? element - variable->first < variable->count
                                   : element_of(gen, statement) == element)
      return true;
  }
  return false;
}

/* Finds the selector's value in the successor. `known`: *value is its value before the firing. Returns whether *value
   is known. */
static bool find_after(const struct codegen *gen, const struct transition *transition, uint32_t element, bool known,
                       int64_t *value) {
  for (size_t i = 0; i < transition->statement_count; i++) {
    const struct statement *statement = &transition->statements[i];
    if (!may_write(gen, statement, 1, element))
      continue;
    known = statement->op == ST_ASSIGN && !is_indexed(gen, statement) && statement->value->op == EXPR_CONST;
    if (known)
      *value = statement->value->value;
  }
  return known;
}

static const struct index_case *case_of(const struct index_group *group, int64_t value) {
  const uint64_t number = (uint64_t)(value - group->selector_lo);
  return value >= group->selector_lo && number < group->case_count && group->cases[number].size ? &group->cases[number]
                                                                                                : NULL;
}

/* ---- differences ---------------------------------------------------------------------------------- */

static uint64_t in_key_type(const struct codegen *gen, uint64_t number) {
  return *gen->key->suffix && gen->key->suffix[1] ? number : (uint32_t)number;
}

static void add_constant(struct codegen *gen, uint64_t number) {
  if (in_key_type(gen, number))
    codegen_line(gen, "key += %" PRIu64 "%s;", in_key_type(gen, number), gen->key->suffix);
}

/* Writes key += or -= weight * raw. */
static void add_raw(struct codegen *gen, uint32_t element, uint64_t weight, const char *sign, const char *state) {
  codegen_line(gen, "key %s= (floe_index_key)", sign);
  codegen_raw_bits(gen, element, state);
  codegen_add(gen, " * %" PRIu64 "%s;", weight, gen->key->suffix);
}

static void write_difference(struct codegen *gen, uint32_t element, uint64_t weight) {
  codegen_line(gen, "key += ((floe_index_key)");
  codegen_raw_bits(gen, element, "t");
  codegen_add(gen, " - ");
  codegen_raw_bits(gen, element, "s");
  codegen_add(gen, ") * %" PRIu64 "%s;", weight, gen->key->suffix);
}

static void check_digit(struct codegen *gen, uint32_t element, uint64_t first, uint64_t radix) {
  codegen_raw_check(gen, element, first, radix, "t", "wrong");
}

static bool is_changed(const struct codegen *gen, uint32_t element) {
  return gen->changes->written[element] || gen->changes->perhaps_written[element];
}

/* ---- groups of several cases ---------------------------------------------------------------------- */

static bool group_is_changed(const struct codegen *gen, const struct index_group *group) {
  if (is_changed(gen, group->selector))
    return true;
  for (uint32_t c = 0; c < group->case_count; c++)
    for (uint32_t d = 0; group->cases[c].size && d < group->cases[c].digit_count; d++)
      if (is_changed(gen, group->cases[c].digits[d].element))
        return true;
  return false;
}

static const struct index_digit *find_digit(const struct index_case *at, uint32_t element) {
  for (uint32_t d = 0; d < at->digit_count; d++)
    if (at->digits[d].element == element)
      return &at->digits[d];
  return NULL;
}

static bool is_within(const struct index_digit *inner, const struct index_digit *outer) {
  return inner && outer->lo <= inner->lo && inner->lo - outer->lo + (int64_t)inner->radix <= (int64_t)outer->radix;
}

/* Adds one digit of the new case; returns its constant part. `old`: digit of the same element in the old case. */
static uint64_t add_digit(struct codegen *gen, uint64_t group, const struct index_digit *digit,
                          const struct index_digit *old) {
  const uint32_t element = digit->element;
  const uint64_t first = codegen_digit_first(gen, digit), weight = digit->radix > 1 ? group * digit->weight : 0;
  const uint64_t old_weight = old && old->radix > 1 ? group * old->weight : 0;
  if (gen->key->elements[element].kind == KEY_NO_BITS)
    return 0;
  if (is_changed(gen, element) || !is_within(old, digit))
    check_digit(gen, element, first, digit->radix);
  if (weight == old_weight && is_changed(gen, element) && weight) {
    write_difference(gen, element, weight);
  } else if (weight != old_weight) {
    if (weight)
      add_raw(gen, element, weight, "+", "t");
    if (old_weight)
      add_raw(gen, element, old_weight, "-", "s");
  }
  return old_weight * (old ? codegen_digit_first(gen, old) : 0) - weight * first;
}

/* Change from a known case to a known case. */
static void change_cases(struct codegen *gen, uint64_t weight, const struct index_case *from,
                         const struct index_case *to) {
  uint64_t constant = weight * (to->offset - from->offset);
  for (uint32_t d = 0; d < to->digit_count; d++)
    constant += add_digit(gen, weight, &to->digits[d], find_digit(from, to->digits[d].element));
  add_constant(gen, constant);
}

static struct index_digit full_digit(const struct codegen *gen, uint32_t element) {
  const struct value_interval *range = &gen->key->encoding->invariants->ranges[element];
  return (struct index_digit){.element = element, .lo = range->lo, .radix = (uint64_t)(range->hi - range->lo) + 1};
}

/* Change to a known case from an unknown one. */
static void enter_case(struct codegen *gen, uint32_t g, const struct index_case *to) {
  const struct index_group *group = &gen->key->encoding->groups[g];
  uint64_t constant = group->weight * to->offset;
  for (uint32_t d = 0; d < to->digit_count; d++) {
    const struct index_digit *digit = &to->digits[d], any = full_digit(gen, digit->element);
    const uint64_t first = codegen_digit_first(gen, digit);
    if (gen->key->elements[digit->element].kind == KEY_NO_BITS)
      continue;
    if (is_changed(gen, digit->element) || !is_within(&any, digit))
      check_digit(gen, digit->element, first, digit->radix);
    if (digit->radix == 1)
      continue;
    add_raw(gen, digit->element, group->weight * digit->weight, "+", "t");
    constant -= group->weight * digit->weight * first;
  }
  codegen_line(gen, "key -= (floe_index_key)s.number_%" PRIu32 " * %" PRIu64 "%s;", g, group->weight, gen->key->suffix);
  add_constant(gen, constant);
}

static void change_group(struct codegen *gen, const struct codegen_body *body, uint32_t g) {
  const struct index_group *group = &gen->key->encoding->groups[g];
  int64_t value = 0;
  const bool known = find_test(gen, body, group->selector, &value);
  const struct index_case *const from = known ? case_of(group, value) : NULL;
  const bool known_after = find_after(gen, gen->changes->transition, group->selector, known, &value);
  const struct index_case *const to = known_after ? case_of(group, value) : NULL;
  if ((known && !from) || (known_after && !to)) { /* an impossible case */
    codegen_line(gen, "wrong |= 1;");
    return;
  }
  if (from && to) {
    change_cases(gen, group->weight, from, to);
    return;
  }
  if (to) {
    enter_case(gen, g, to);
    return;
  }
  codegen_line(gen,
               "key += (floe_number_%" PRIu32 "(t, &wrong) - (floe_index_key)s.number_%" PRIu32 ") * %" PRIu64 "%s;", g,
               g, group->weight, gen->key->suffix);
}

/* ---- assignments with computed index -------------------------------------------------------------- */

/* Writes a condition up to "?": no earlier part of the firing has added this element. */
static void compare_indexes(struct codegen *gen, size_t number) {
  const struct key_changes *changes = gen->changes;
  const struct indexed_assignment *indexed = &changes->indexed[number];
  const struct variable *variable = variable_of(gen, indexed->statement);
  const char *before = "";
  for (size_t i = 0; i < number; i++)
    if (changes->indexed[i].statement->id == indexed->statement->id) {
      codegen_add(gen, "%sat%u != at%u", before, indexed->name, changes->indexed[i].name);
      before = " && ";
    }
  for (uint32_t i = 0; i < variable->count; i++)
    if (changes->written[variable->first + i]) {
      codegen_add(gen, "%sat%u != %" PRIu32 "u", before, indexed->name, i);
      before = " && ";
    }
  if (*before)
    codegen_add(gen, " ? ");
}

static bool is_compared(const struct codegen *gen, size_t number) {
  const struct key_changes *changes = gen->changes;
  const uint32_t id = changes->indexed[number].statement->id;
  const struct variable *variable = &gen->model->variables[id];
  for (size_t i = 0; i < number; i++)
    if (changes->indexed[i].statement->id == id)
      return true;
  return memchr(changes->written + variable->first, true, variable->count) != NULL;
}

static void change_indexed(struct codegen *gen, size_t number) {
  const struct indexed_assignment *indexed = &gen->changes->indexed[number];
  const struct element_position *first = &gen->key->elements[variable_of(gen, indexed->statement)->first];
  const char *name = gen->accessors[indexed->statement->id];
  const unsigned at = indexed->name;
  codegen_line(gen, "key += ");
  compare_indexes(gen, number);
  codegen_add(gen, "((floe_index_key)raw_%s(t, at%u) - raw_%s(s, at%u)) * weight_%s[at%u]%s", name, at, name, at, name,
              at, is_compared(gen, number) ? " : 0;" : ";");
  if (codegen_may_leave_range(gen, variable_of(gen, indexed->statement)->first, first->first, first->radix))
    codegen_line(gen, "wrong |= raw_%s(t, at%u) - %" PRIu64 "u >= %" PRIu64 "u;", name, at, first->first, first->radix);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static bool dependent_is_changed(const struct codegen *gen, const struct dependent_element *dependent) {
  if (is_changed(gen, dependent->element))
    return true;
  for (uint32_t i = 0; i < dependent->term_count; i++)
    if (is_changed(gen, dependent->terms[i].element))
      return true;
  return false;
}

static void check_dependent(struct codegen *gen) {
  const struct invariants *invariants = gen->key->encoding->invariants;
  for (uint32_t i = 0; i < invariants->dependent_count; i++) {
    const uint32_t element = invariants->dependent[i].element;
    if (gen->key->elements[element].kind != KEY_DEPENDENT || !dependent_is_changed(gen, &invariants->dependent[i]))
      continue;
    codegen_line(gen, "wrong |= ");
    codegen_raw_bits(gen, element, "t");
    codegen_add(gen, " != floe_dependent_%" PRIu32 "(t);", element);
  }
}

static void change_elements(struct codegen *gen) {
  for (uint32_t e = 0; e < gen->model->value_count; e++) {
    const struct element_position *at = &gen->key->elements[e];
    if (!gen->changes->written[e] || (at->kind != KEY_DIGIT && at->kind != KEY_FIXED))
      continue;
    check_digit(gen, e, at->first, at->kind == KEY_DIGIT ? at->radix : 1);
    if (at->kind == KEY_DIGIT)
      write_difference(gen, e, at->weight);
  }
}

static void change_groups(struct codegen *gen, const struct codegen_body *body) {
  const struct encoding *encoding = gen->key->encoding;
  for (uint32_t g = 0; g < encoding->group_count; g++)
    if (encoding->groups[g].selector != NO_SELECTOR && group_is_changed(gen, &encoding->groups[g]))
      change_group(gen, body, g);
}

/* True if encoding the successor completely costs at most twice as much as updating the changed numbers. */
static bool most_change(const struct codegen *gen) {
  size_t all = 0, changed = 0;
  for (uint32_t e = 0; e < gen->model->value_count; e++) {
    const bool counts = gen->key->elements[e].kind == KEY_DIGIT || gen->key->elements[e].kind == KEY_IN_CASES;
    all += counts;
    changed += counts && gen->changes->written[e];
  }
  return 2 * (changed + gen->changes->indexed_count) > all;
}

static bool nothing_changes(const struct codegen *gen) {
  for (uint32_t e = 0; e < gen->model->value_count; e++)
    if (is_changed(gen, e) && gen->key->elements[e].kind != KEY_NO_BITS)
      return false;
  return true;
}

static void change_key(struct codegen *gen, const struct codegen_body *body) {
  if (most_change(gen)) {
    codegen_line(gen, "key = (floe_index_key)floe_encode(t, &wrong);");
    return;
  }
  change_elements(gen);
  for (size_t i = 0; i < gen->changes->indexed_count; i++)
    change_indexed(gen, i);
  change_groups(gen, body);
  check_dependent(gen);
}

/* Bits of words that the transition may write; words from 64 on have none. */
static uint64_t written_words(const struct codegen *gen) {
  uint64_t written = 0;
  for (uint32_t w = 0; w < gen->layout->words && w < 64; w++)
    written |= (uint64_t)(gen->touched[w] || gen->layout->canonical) << w;
  return written;
}

void codegen_emit(struct codegen *gen, const struct codegen_body *body, const struct transition *transition,
                  const char *number) {
  const char *const choice = transition->select_count ? "choice" : "0";
  if (!gen->key) {
    const bool canonical = gen->layout->canonical != NULL;
    if (canonical)
      codegen_line(gen, "FLOE_CANONICAL(t);");
    if (gen->model->transient) {
      codegen_line(gen, "FLOE_EMIT_WRITTEN(%s, %s, t, 0x%" PRIx64 "u);", number, choice, written_words(gen));
      return;
    }
    for (uint32_t w = 0; gen->layout->words > 1 && w < gen->layout->words; w++)
      if (gen->touched[w] || canonical)
        codegen_line(gen, "FLOE_CHANGED(%" PRIu32 ");", w);
    codegen_line(gen, "FLOE_EMIT(%s, %s, t);", number, choice);
    return;
  }
  if (nothing_changes(gen)) {
    codegen_line(gen, "FLOE_EMIT_KEY(%s, %s, s.key, 0);", number, choice);
    return;
  }
  codegen_line(gen, "floe_index_key key = (floe_index_key)s.key;");
  codegen_line(gen, "uint32_t wrong = 0;");
  change_key(gen, body);
  codegen_line(gen, "FLOE_EMIT_KEY(%s, %s, key, wrong);", number, choice);
}
