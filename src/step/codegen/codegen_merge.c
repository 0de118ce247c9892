/* A `*` or a list in `from` makes consecutive ground transitions, one for each location. If they do the same from each
   location, at most one of them is enabled in a state. So one body suffices, which computes the number of the enabled
   transition from the location. */
#include "step/codegen/codegen_merge.h"

#include "model/structural_equality.h"

#include <assert.h>
#include <string.h>

/* ---- comparison ------------------------------------------------------------------------------ */

/* True if the statement moves the instance of `test` to a location. */
static bool is_location_change(const struct statement *statement, const struct location_test *test) {
  const struct expr *index = statement->index;
  return statement->op == ST_ASSIGN && statement->id == test->variable &&
         (index ? index->op == EXPR_CONST && index->value == test->element : !test->element) &&
         statement->value->op == EXPR_CONST;
}

/* Index of that statement, or the statement count: the instance stays. */
static size_t find_location_change(const struct transition *transition, size_t varying) {
  size_t i = 0;
  while (i < transition->statement_count &&
         !is_location_change(&transition->statements[i], &transition->tests[varying]))
    i++;
  return i;
}

static bool changes_location(const struct transition *transition, size_t varying) {
  return find_location_change(transition, varying) < transition->statement_count;
}

static int64_t destination(const struct transition *transition, size_t varying) {
  const size_t move = find_location_change(transition, varying);
  return move < transition->statement_count ? transition->statements[move].value->value
                                            : transition->tests[varying].location;
}

/* Same statements except the change of location, which is missing in a transition to the location where the instance
   already is. */
static bool same_statements(const struct transition *a, const struct transition *b, size_t varying) {
  const size_t move_a = find_location_change(a, varying), move_b = find_location_change(b, varying);
  if (move_a != move_b && move_a < a->statement_count && move_b < b->statement_count)
    return false;
  size_t i = 0, k = 0;
  for (;; i++, k++) {
    i += i == move_a;
    k += k == move_b;
    if (i >= a->statement_count || k >= b->statement_count)
      return i >= a->statement_count && k >= b->statement_count;
    if (!same_statement(&a->statements[i], &b->statements[k]))
      return false;
  }
}

static bool same_guards(const struct transition *a, const struct transition *b) {
  if (a->guard_count != b->guard_count)
    return false;
  for (size_t i = 0; i < a->guard_count; i++)
    if (!same_expr(a->guards[i], b->guards[i]))
      return false;
  return true;
}

static bool same_selects(const struct transition *a, const struct transition *b) {
  if (a->select_count != b->select_count)
    return false;
  for (size_t i = 0; i < a->select_count; i++)
    if (a->selects[i].lo != b->selects[i].lo || a->selects[i].hi != b->selects[i].hi ||
        strcmp(a->selects[i].name, b->selects[i].name) != 0)
      return false;
  return true;
}

static bool same_participants(const struct transition *a, const struct transition *b) {
  if (a->participant_count != b->participant_count)
    return false;
  for (size_t i = 0; i < a->participant_count; i++) {
    const struct participant *x = &a->participants[i], *y = &b->participants[i];
    if (x->process != y->process || x->instance != y->instance || x->edge != y->edge)
      return false;
  }
  return true;
}

/* Index of the only test in which they differ, if only by location; else the count of tests. */
static size_t only_difference(const struct transition *a, const struct transition *b) {
  size_t found = a->test_count;
  if (a->test_count != b->test_count)
    return a->test_count;
  for (size_t i = 0; i < a->test_count; i++) {
    const struct location_test *x = &a->tests[i], *y = &b->tests[i];
    if (x->variable != y->variable || x->element != y->element)
      return a->test_count;
    if (x->location != y->location && found < a->test_count)
      return a->test_count;
    if (x->location != y->location)
      found = i;
  }
  return found;
}

static bool share_body(const struct transition *a, const struct transition *b, size_t varying) {
  return only_difference(a, b) == varying && a->temp_count == b->temp_count && same_participants(a, b) &&
         same_selects(a, b) && same_guards(a, b) && same_statements(a, b, varying);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Two transitions with the same location could both fire. */
static bool is_other_location(const struct transition *run, size_t count, size_t varying) {
  const uint32_t location = run[count].tests[varying].location;
  for (size_t i = 0; i < count; i++)
    if (run[i].tests[varying].location == location)
      return false;
  return true;
}

size_t codegen_shared_body(const struct transition *run, size_t max, size_t *varying) {
  assert(max > 0);
  *varying = max > 1 ? only_difference(&run[0], &run[1]) : run[0].test_count;
  if (*varying == run[0].test_count)
    return 1;
  const bool stay = !changes_location(&run[0], *varying) && !changes_location(&run[1], *varying);
  size_t count = 1;
  while (count < max && share_body(&run[0], &run[count], *varying) && is_other_location(run, count, *varying) &&
         (stay ? !changes_location(&run[count], *varying)
               : destination(&run[count], *varying) == destination(&run[0], *varying)))
    count++;
  return count;
}
