/* Which ground transitions one body serves. A `*` or a list in `from` makes a ground transition for each location, and
   they follow one another. Where they do the same from each, at most one of them is enabled in a state, so that they
   need one body, which computes the number of the one that fires from the location. */
#include "step/codegen/codegen_merge.h"

#include "model/structural_equality.h"

#include <assert.h>
#include <string.h>

/* ---- alike ----------------------------------------------------------------------------------- */

/* Is it the instance of `test` that goes to another location? */
static bool is_move(const struct statement *statement, const struct location_test *test) {
  const struct expr *index = statement->index;
  return statement->op == ST_ASSIGN && statement->id == test->variable &&
         (index ? index->op == EXPR_CONST && index->value == test->element : !test->element) &&
         statement->value->op == EXPR_CONST;
}

/* The number of the move among the statements, or their count: the instance stays. */
static size_t find_move(const struct transition *transition, size_t varying) {
  size_t i = 0;
  while (i < transition->statement_count && !is_move(&transition->statements[i], &transition->tests[varying]))
    i++;
  return i;
}

static bool moves(const struct transition *transition, size_t varying) {
  return find_move(transition, varying) < transition->statement_count;
}

static int64_t destination(const struct transition *transition, size_t varying) {
  const size_t move = find_move(transition, varying);
  return move < transition->statement_count ? transition->statements[move].value->value
                                            : transition->tests[varying].location;
}

/* But for the move, which one that is where the others go has not, and could have. */
static bool same_statements(const struct transition *a, const struct transition *b, size_t varying) {
  const size_t move_a = find_move(a, varying), move_b = find_move(b, varying);
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

/* The only test in which they differ, by the location alone; or the count of tests. */
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

static bool alike(const struct transition *a, const struct transition *b, size_t varying) {
  return only_difference(a, b) == varying && a->temp_count == b->temp_count && same_participants(a, b) &&
         same_selects(a, b) && same_guards(a, b) && same_statements(a, b, varying);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Of two with the same location both could fire. */
static bool is_new(const struct transition *run, size_t count, size_t varying) {
  const uint32_t location = run[count].tests[varying].location;
  for (size_t i = 0; i < count; i++)
    if (run[i].tests[varying].location == location)
      return false;
  return true;
}

size_t codegen_alike(const struct transition *run, size_t most, size_t *varying) {
  assert(most > 0);
  *varying = most > 1 ? only_difference(&run[0], &run[1]) : run[0].test_count;
  if (*varying == run[0].test_count)
    return 1;
  const bool stay = !moves(&run[0], *varying) && !moves(&run[1], *varying);
  size_t count = 1;
  while (count < most && alike(&run[0], &run[count], *varying) && is_new(run, count, *varying) &&
         (stay ? !moves(&run[count], *varying) : destination(&run[count], *varying) == destination(&run[0], *varying)))
    count++;
  return count;
}
