/* The code of a body (mostly of one ground transition): tests, a loop for each select, guards in the outermost loop
   that has their selects, then statements on a copy of the state. */
#include "step/codegen/codegen_transition.h"

#include "model/structural_equality.h"
#include "model/transitions/successor_bound.h"
#include "step/codegen/codegen_expr.h"
#include "step/codegen/codegen_key_delta.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_UNROLLED = 4 }; /* values of a select */

static bool expr_may_fail(const struct expr *e) { return e && e->can_fail; }

static bool statements_fail(const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &statements[i];
    if (statement->site != NO_SITE && statement->op != ST_IF)
      return true;
    if (expr_may_fail(statement->index) || expr_may_fail(statement->value) ||
        statements_fail(statement->then, statement_inner_count(statement)))
      return true;
  }
  return false;
}

/* ---- bodies of several transitions ------------------------------------------------------------ */

static const struct location_test *varying_test(const struct codegen *gen, const struct codegen_body *body,
                                                size_t index) {
  return &gen->model->transitions[body->transitions[index]].tests[body->varying];
}

static uint32_t varying_location(const struct codegen *gen, const struct codegen_body *body, size_t index) {
  return varying_test(gen, body, index)->location;
}

/* End of the range from `first` on in which locations, and with `numbers` also transition numbers, are consecutive. */
static size_t end_of_range(const struct codegen *gen, const struct codegen_body *body, size_t first, bool numbers) {
  size_t end = first + 1;
  while (end < body->count && varying_location(gen, body, end) == varying_location(gen, body, end - 1) + 1 &&
         (!numbers || body->transitions[end] == body->transitions[end - 1] + 1))
    end++;
  return end;
}

static void read_varying(struct codegen *gen, const struct codegen_body *body) {
  const struct location_test *test = varying_test(gen, body, 0);
  codegen_read_element(gen, test->variable, test->element);
}

static void write_location(struct codegen *gen, const struct codegen_body *body, size_t index) {
  const struct location_test *test = varying_test(gen, body, index);
  codegen_location(gen, test->variable, test->location);
}

/* Writes number = first + (location - location of the first), for each range of locations. */
static void define_number(struct codegen *gen, const struct codegen_body *body) {
  assert(body->count > 1);
  codegen_line(gen, "const uint32_t number = ");
  for (size_t i = 0, end; i < body->count; i = end) {
    end = end_of_range(gen, body, i, true);
    const uint32_t location = varying_location(gen, body, i);
    if (end < body->count) {
      read_varying(gen, body);
      codegen_add(gen, " <= ");
      write_location(gen, body, end - 1);
      codegen_add(gen, " ? ");
    }
    codegen_add(gen, "%" PRIu32 "u", body->transitions[i]);
    if (end > i + 1) {
      codegen_add(gen, " + (uint32_t)");
      read_varying(gen, body);
      codegen_add(gen, location ? " - (uint32_t)" : "");
      if (location)
        write_location(gen, body, i);
    }
    codegen_add(gen, end < body->count ? " : " : ";");
  }
}

/* ---- guards and selects ---------------------------------------------------------------------- */

/* Number of loops that must be open before `e` can be evaluated. */
static size_t loops_needed(const struct expr *e) {
  if (!e)
    return 0;
  size_t most = e->op == EXPR_SELECT ? e->id + 1 : 0;
  const struct expr *const operands[] = {e->a, e->b, e->c};
  for (size_t i = 0; i < 3; i++) {
    size_t needed = loops_needed(operands[i]);
    most = needed > most ? needed : most;
  }
  return most;
}

/* A conjunct of the guards, and the number of open loops where it is tested. */
struct conjunct {
  const struct expr *expr;
  size_t depth;
};

struct conjuncts {
  struct conjunct *items;
  size_t count, capacity;
  size_t deepest; /* greatest depth of an item */
};

/* Splits "and", so that each operand is tested in the outermost possible loop; a repeated operand is dropped. */
static void split_conjunct(struct codegen *gen, const struct expr *e, size_t least, struct conjuncts *conjuncts) {
  if (e->op == EXPR_AND && !e->can_fail) {
    split_conjunct(gen, e->a, least, conjuncts);
    split_conjunct(gen, e->b, least, conjuncts);
    return;
  }
  if (conjuncts->count && !e->can_fail && same_expr(conjuncts->items[conjuncts->count - 1].expr, e))
    return;
  const size_t needed = loops_needed(e), depth = needed > least ? needed : least;
  if (depth > conjuncts->deepest)
    conjuncts->deepest = depth;
  *ARENA_PUSH(gen->text.arena, conjuncts->items, conjuncts->count, conjuncts->capacity) = (struct conjunct){e, depth};
}

static bool guards_fail(const struct transition *transition) {
  for (size_t i = 0; i < transition->guard_count; i++)
    if (transition->guards[i]->can_fail)
      return true;
  return false;
}

/* If no guard can fail, the order of tests does not matter. Otherwise guards are tested in their order. A guard that
   can fail is tested inside all loops, because it then fails for every choice. */
static struct conjuncts split_guards(struct codegen *gen, const struct transition *transition) {
  const bool ordered = guards_fail(transition);
  const size_t count = transition->guard_count - never_fires(transition);
  struct conjuncts conjuncts = {0};
  for (size_t i = 0; i < count; i++) {
    const struct expr *e = transition->guards[i];
    const size_t least = ordered ? conjuncts.deepest : 0;
    split_conjunct(gen, e, e->can_fail ? transition->select_count : least, &conjuncts);
  }
  return conjuncts;
}

struct conditions {
  bool open; /* after "if (" */
  unsigned blocks;
};

static void begin_condition(struct codegen *gen, struct conditions *conditions) {
  if (conditions->open)
    codegen_add(gen, " && ");
  else
    codegen_line(gen, "if (");
  conditions->open = true;
}

static void end_conditions(struct codegen *gen, struct conditions *conditions) {
  if (!conditions->open)
    return;
  codegen_add(gen, ")");
  codegen_open(gen);
  conditions->open = false;
  conditions->blocks++;
}

static void write_guard(struct codegen *gen, const struct expr *e, struct conditions *conditions) {
  if (e->can_fail) {
    end_conditions(gen, conditions);
    codegen_error_tests(gen, e);
  }
  if (e->lo != 1) { /* lo == 1: always true, tested only for errors */
    begin_condition(gen, conditions);
    codegen_expr(gen, e, PREC_EQUAL);
  }
  codegen_drop_locals(gen);
}

/* Tests a range of locations; only bounds that the variable can violate. */
static void location_range(struct codegen *gen, const struct codegen_body *body, size_t first, size_t last) {
  const struct variable *variable = &gen->model->variables[varying_test(gen, body, 0)->variable];
  const uint32_t lo = varying_location(gen, body, first), hi = varying_location(gen, body, last);
  const bool below = lo > variable->lo, above = hi < variable->hi;
  codegen_add(gen, below && above && lo < hi ? "(" : "");
  if (lo == hi || below) {
    read_varying(gen, body);
    codegen_add(gen, lo == hi ? " == " : " >= ");
    write_location(gen, body, first);
  }
  if (lo < hi && above) {
    codegen_add(gen, below ? " && " : "");
    read_varying(gen, body);
    codegen_add(gen, " <= ");
    write_location(gen, body, last);
    codegen_add(gen, below ? ")" : "");
  }
}

/* Tests that the instance is at one of the body's locations, unless these are all. */
static void any_location(struct codegen *gen, const struct codegen_body *body, struct conditions *conditions) {
  const struct variable *variable = &gen->model->variables[varying_test(gen, body, 0)->variable];
  const bool several = end_of_range(gen, body, 0, false) < body->count;
  if (body->count == (uint64_t)(variable->hi - variable->lo) + 1)
    return;
  begin_condition(gen, conditions);
  codegen_add(gen, several ? "(" : "");
  for (size_t i = 0, end; i < body->count; i = end) {
    end = end_of_range(gen, body, i, false);
    codegen_add(gen, i ? " || " : "");
    location_range(gen, body, i, end - 1);
  }
  codegen_add(gen, several ? ")" : "");
}

static bool has_one_location(const struct codegen *gen, const struct location_test *test) {
  return gen->model->variables[test->variable].lo == gen->model->variables[test->variable].hi;
}

static void write_test(struct codegen *gen, const struct location_test *test, struct conditions *conditions) {
  begin_condition(gen, conditions);
  codegen_read_element(gen, test->variable, test->element);
  codegen_add(gen, " == ");
  codegen_location(gen, test->variable, test->location);
}

static void write_tests(struct codegen *gen, const struct codegen_body *body, const struct location_test *tested,
                        struct conditions *conditions) {
  const struct transition *transition = &gen->model->transitions[body->transitions[0]];
  for (size_t i = 0; i < transition->test_count; i++) {
    const struct location_test *test = &transition->tests[i];
    if (test == tested || has_one_location(gen, test))
      continue;
    if (body->count > 1 && i == body->varying)
      any_location(gen, body, conditions);
    else
      write_test(gen, test, conditions);
  }
}

/* Loops with many iterations are not unrolled: the GPU's instruction cache is small (doc/gpu.md). */
static void open_select_loop(struct codegen *gen, const struct transition *transition, size_t select) {
  const struct select *range = &transition->selects[select];
  bool is_64bit = range->lo < INT32_MIN || range->hi >= INT32_MAX;
  codegen_line(gen, "%sfor (%s select%zu = ", range->hi - range->lo >= MAX_UNROLLED ? "FLOE_ROLLED " : "",
               codegen_type(is_64bit), select);
  codegen_number(gen, range->lo);
  codegen_add(gen, "; select%zu <= ", select);
  codegen_number(gen, range->hi);
  codegen_add(gen, "; select%zu++)", select);
  codegen_open(gen);
  if (*range->name)
    codegen_add(gen, " /* %s */", range->name);
}

/* Writes choice = ((select0 - lo0) * size1 + (select1 - lo1)) * size2 + ... */
static void number_choice(struct codegen *gen, const struct transition *transition) {
  for (size_t i = 0; i < transition->select_count; i++) {
    const struct select *range = &transition->selects[i];
    if (i == 0)
      codegen_line(gen, "uint32_t choice = ");
    else
      codegen_line(gen, "choice = choice * %" PRIu64 "u + ", (uint64_t)(range->hi - range->lo) + 1);
    codegen_add(gen, "(uint32_t)(select%zu - ", i);
    codegen_number(gen, range->lo);
    codegen_add(gen, ");");
  }
}

/* ---- statements ------------------------------------------------------------------------------ */

static void write_statements(struct codegen *gen, const struct statement *list, size_t count);

/* An unused temporary is computed only for its errors. */
static void write_let(struct codegen *gen, const struct statement *statement) {
  const struct temp_use *temp = &gen->temps[statement->id];
  const struct codegen_local local = {'t', temp->is_64bit, statement->id};
  codegen_error_tests(gen, statement->value);
  if (temp->read || temp->checked) {
    codegen_line(gen, "%s%s", temp->nested ? "" : codegen_type(temp->is_64bit), temp->nested ? "" : " ");
    codegen_local(gen, local, temp->nested);
    codegen_add(gen, " = ");
    codegen_expr(gen, statement->value, PREC_COND);
    codegen_add(gen, ";");
  }
  codegen_drop_locals(gen);
  if (statement->site == NO_SITE)
    return;
  const struct site *site = &gen->model->sites[statement->site];
  codegen_range_check(gen, local, statement->value, site->lo, site->hi, statement->site);
}

static bool in_range(const struct expr *value, const struct variable *variable) {
  return variable->lo <= value->lo && value->hi <= variable->hi;
}

/* A move to a constant location. */
static bool is_move(const struct codegen *gen, const struct statement *statement) {
  return gen->model->variables[statement->id].kind == VARIABLE_LOCATION && statement->value->op == EXPR_CONST;
}

/* Marks the words that may hold the element, by the range of its index. */
static void mark_touched_words(struct codegen *gen, const struct statement *statement) {
  const struct field *field = &gen->layout->fields[statement->id];
  const struct expr *index = statement->index;
  const uint32_t last = gen->model->variables[statement->id].count - 1;
  const uint32_t lo = index && index->lo > 0 ? (uint32_t)index->lo : 0;
  const uint32_t hi = !index ? 0 : index->hi < last ? (uint32_t)index->hi : last;
  for (uint32_t at = lo / field->per_word; at <= hi / field->per_word; at++)
    gen->touched[field->word + at] = true;
}

/* A variable with one value has no bits, but its new value is checked. */
static void write_store(struct codegen *gen, const struct statement *statement, const struct codegen_local *value) {
  if (!gen->layout->fields[statement->id].width)
    return;
  codegen_delta_assignment(gen, statement);
  codegen_write(gen, statement->id, statement->index);
  if (value)
    codegen_local(gen, *value, false);
  else if (is_move(gen, statement))
    codegen_location(gen, statement->id, statement->value->value);
  else
    codegen_expr(gen, statement->value, PREC_COND);
  codegen_add(gen, ");");
  gen->written[statement->id] = true;
  mark_touched_words(gen, statement);
}

static void write_assignment(struct codegen *gen, const struct statement *statement) {
  const struct variable *variable = &gen->model->variables[statement->id];
  codegen_error_tests(gen, statement->index);
  codegen_error_tests(gen, statement->value);
  if (statement->site == NO_SITE || in_range(statement->value, variable))
    write_store(gen, statement, NULL);
  else {
    const struct codegen_local value = {'v', codegen_is_64bit(statement->value), gen->next_local++};
    codegen_line(gen, "const %s ", codegen_type(value.is_64bit));
    codegen_local(gen, value, false);
    codegen_add(gen, " = ");
    codegen_expr(gen, statement->value, PREC_COND);
    codegen_add(gen, ";");
    codegen_range_check(gen, value, statement->value, variable->lo, variable->hi, statement->site);
    write_store(gen, statement, &value);
  }
  codegen_drop_locals(gen);
}

/* The field that the statement changes and others share; NULL: none. */
static const struct field *shared_field(const struct codegen *gen, const struct statement *statement) {
  const struct field *field = statement->op == ST_ASSIGN ? &gen->layout->fields[statement->id] : NULL;
  return field && field->shared ? field : NULL;
}

/* All changes of a shared field at once, by the first statement that changes it: its sum of codes stays within its
   bits. Each constant is a change from the other value. */
static void write_code(struct codegen *gen, const struct statement *list, size_t count, size_t first) {
  const struct field *field = shared_field(gen, &list[first]);
  int64_t change = 0;
  for (size_t i = 0; i < count; i++) {
    const struct field *other = shared_field(gen, &list[i]);
    if (!other || other->word != field->word || other->shift != field->shift)
      continue;
    if (i < first)
      return;
    change += list[i].value->value ? (int64_t)other->code : -(int64_t)other->code;
    gen->written[list[i].id] = true;
  }
  if (change) {
    codegen_line(gen, "t");
    codegen_hole(gen, HOLE_STATE, gen->text.length - 1, 0);
    codegen_add(gen, ".w[%" PRIu32 "] %s= (uint64_t)%" PRId64 "u << %" PRIu32 "; /* %s */", field->word,
                change < 0 ? "-" : "+", change < 0 ? -change : change, field->shift, gen->accessors[list[first].id]);
  }
  mark_touched_words(gen, &list[first]);
}

static void write_assertion(struct codegen *gen, const struct statement *statement) {
  codegen_error_tests(gen, statement->value);
  codegen_line(gen, "if (!");
  codegen_expr(gen, statement->value, PREC_PRIMARY);
  codegen_add(gen, ")");
  codegen_drop_locals(gen);
  codegen_failure(gen, statement->site);
}

static void write_if(struct codegen *gen, const struct statement *statement) {
  codegen_error_tests(gen, statement->value);
  codegen_line(gen, "if (");
  codegen_expr(gen, statement->value, PREC_COND);
  codegen_add(gen, ")");
  codegen_drop_locals(gen);
  codegen_open(gen);
  write_statements(gen, statement->then, statement->then_count);
  if (statement->else_count) {
    codegen_close(gen, " else");
    codegen_open(gen);
    write_statements(gen, statement->then + statement->then_count, statement->else_count);
  }
  codegen_close(gen, "");
}

static void write_statement(struct codegen *gen, const struct statement *list, size_t count, size_t i) {
  switch (list[i].op) {
  case ST_LET:
    write_let(gen, &list[i]);
    break;
  case ST_ASSIGN:
    if (shared_field(gen, &list[i]))
      write_code(gen, list, count, i);
    else if (!is_unchanged(&gen->unchanged, &list[i]))
      write_assignment(gen, &list[i]);
    break;
  case ST_ASSERT:
    write_assertion(gen, &list[i]);
    break;
  case ST_IF:
    write_if(gen, &list[i]);
    break;
  }
}

static void write_statements(struct codegen *gen, const struct statement *list, size_t count) {
  uint32_t part = NO_PART;
  for (size_t i = 0; i < count; i++) {
    part = codegen_part_begin(gen, part);
    write_statement(gen, list, count, i);
    codegen_part_end(gen, part);
  }
}

static void note_temp_reads(const struct expr *e, struct temp_use *temps) {
  if (!e)
    return;
  if (e->op == EXPR_TEMP)
    temps[e->id].read = true;
  note_temp_reads(e->a, temps);
  note_temp_reads(e->b, temps);
  note_temp_reads(e->c, temps);
}

static void note_temps(const struct codegen *gen, const struct statement *list, size_t count, bool nested) {
  struct temp_use *temps = gen->temps;
  for (size_t i = 0; i < count; i++) {
    if (is_unchanged(&gen->unchanged, &list[i]))
      continue;
    if (list[i].op == ST_LET) {
      temps[list[i].id].is_64bit |= codegen_is_64bit(list[i].value);
      temps[list[i].id].checked |= list[i].site != NO_SITE;
      temps[list[i].id].nested |= nested || gen->parts; /* text behind a part may use what it sets */
    }
    note_temp_reads(list[i].index, temps);
    note_temp_reads(list[i].value, temps);
    note_temps(gen, list[i].then, statement_inner_count(&list[i]), true);
  }
}

static void declare_temps(struct codegen *gen, const struct transition *transition) {
  gen->temps = arena_array(gen->text.arena, transition->temp_count + 1, sizeof *gen->temps);
  find_unchanged(gen->model, transition, gen->text.arena, &gen->unchanged);
  note_temps(gen, transition->statements, transition->statement_count, false);
  codegen_parts_transition(gen, transition->temp_count);
  for (uint32_t i = 0; i < transition->temp_count; i++)
    if (gen->temps[i].nested && (gen->temps[i].read || gen->temps[i].checked))
      codegen_line(gen, "%s temp%" PRIu32 " = 0;", codegen_type(gen->temps[i].is_64bit), i);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Lists the transition numbers, or the first and the last one if consecutive. */
static void list_numbers(struct codegen *gen, const struct codegen_body *body) {
  const size_t last = body->count - 1;
  size_t i = 0;
  while (i < last && body->transitions[i + 1] == body->transitions[i] + 1)
    i++;
  if (i && i == last) {
    codegen_add(gen, "%" PRIu32 "..%" PRIu32, body->transitions[0], body->transitions[last]);
    return;
  }
  for (i = 0; i <= last; i++)
    codegen_add(gen, "%s%" PRIu32, i ? ", " : "", body->transitions[i]);
}

/* Writes " at a, b, c of P[0]": the location of each number, in the same order. */
static void list_locations(struct codegen *gen, const struct codegen_body *body) {
  const struct location_test *test = varying_test(gen, body, 0);
  const struct process *process = &gen->model->processes[gen->model->variables[test->variable].owner];
  for (size_t i = 0; i < body->count; i++)
    codegen_add(gen, "%s%s", i ? ", " : " at ", process->locations[varying_location(gen, body, i)].name);
  codegen_add(gen, " of %s[%" PRIu32 "]", process->name, test->element);
}

/* An included file without its folder: the text, and so its place in the cache, is the same from everywhere. */
static void write_place(struct codegen *gen, source_at at) {
  const char *file = source_included_file(gen->model->source, at), *slash = strrchr(file, '/');
  codegen_add(gen, ", line %u", line_number(&gen->lines, at));
  if (*file)
    codegen_add(gen, " of %s", codegen_comment_text(gen, slash ? slash + 1 : file));
}

static void heading(struct codegen *gen, const struct codegen_body *body) {
  const struct model *model = gen->model;
  const struct transition *transition = &model->transitions[body->transitions[0]];
  codegen_line(gen, "/* ");
  list_numbers(gen, body);
  if (body->count > 1)
    list_locations(gen, body);
  codegen_add(gen, ":");
  for (size_t i = 0; i < transition->participant_count; i++) {
    const struct participant *participant = &transition->participants[i];
    const struct edge *edge = &model->edges[participant->edge];
    codegen_instance(gen, i ? "; " : " ", participant->process, participant->instance);
    codegen_add(gen, " %s", codegen_comment_text(gen, edge->label));
    if (edge->process != NO_PROCESS)
      codegen_add(gen, "%s%s -> %s", *edge->label ? ": " : "", edge->from, edge->to);
    if (model->source && edge->at != NOWHERE)
      write_place(gen, edge->at);
  }
  codegen_add(gen, " */");
}

/* Compares the words that the firing may have changed. */
static void note_move(struct codegen *gen) {
  bool any = false;
  for (uint32_t w = 0; w < gen->layout->words; w++) {
    if (!gen->touched[w])
      continue;
    if (any)
      codegen_add(gen, " ||");
    codegen_line(gen, any ? "           " : "FLOE_MOVES(");
    codegen_add(gen, "t.w[%" PRIu32 "] != s.w[%" PRIu32 "]", w, w);
    any = true;
  }
  codegen_add(gen, any ? ");" : "");
}

static void write_firing(struct codegen *gen, const struct codegen_body *body, const struct transition *transition,
                         const char *number) {
  memset(gen->written, 0, gen->model->variable_count * sizeof *gen->written);
  memset(gen->touched, 0, gen->layout->words * sizeof *gen->touched);
  declare_temps(gen, transition);
  codegen_delta_begin(gen, transition);
  codegen_line(gen, "floe_state t = s;");
  const size_t changing = transition->statement_count - transition->undo_count;
  write_statements(gen, transition->statements, changing);
  if (gen->model->stuttering)
    note_move(gen);
  write_statements(gen, transition->statements + changing, transition->undo_count);
  codegen_emit(gen, body, transition, number);
  memset(gen->written, 0, gen->model->variable_count * sizeof *gen->written);
}

/* Writes guards in the outermost possible loop, and a loop for each select. */
static void write_guards(struct codegen *gen, const struct transition *transition, bool choice,
                         struct conditions *conditions) {
  const struct conjuncts conjuncts = split_guards(gen, transition);
  for (size_t depth = 0;; depth++) {
    for (size_t i = 0; i < conjuncts.count; i++)
      if (conjuncts.items[i].depth == depth)
        write_guard(gen, conjuncts.items[i].expr, conditions);
    end_conditions(gen, conditions);
    if (depth == transition->select_count)
      break;
    open_select_loop(gen, transition, depth);
    conditions->blocks++;
    if (choice && depth + 1 == transition->select_count)
      number_choice(gen, transition);
  }
}

/* An error is a firing. */
void codegen_fires(struct codegen *gen, const struct transition *transition) {
  struct conditions conditions = {0};
  gen->fail = "(void)(";
  gen->jump = "return 1";
  codegen_line(gen, "{");
  gen->indent++;
  for (size_t i = 0; i < transition->test_count; i++)
    if (!has_one_location(gen, &transition->tests[i]))
      write_test(gen, &transition->tests[i], &conditions);
  write_guards(gen, transition, false, &conditions);
  if (!never_fires(transition))
    codegen_line(gen, "return 1;");
  while (conditions.blocks--)
    codegen_close(gen, "");
  codegen_close(gen, "");
}

/* The transition with all statements: one to its current location lacks the change of location (codegen_merge.c). */
static const struct transition *longest_of(const struct codegen *gen, const struct codegen_body *body) {
  const struct transition *found = &gen->model->transitions[body->transitions[0]];
  for (size_t i = 1; i < body->count; i++) {
    const struct transition *other = &gen->model->transitions[body->transitions[i]];
    if (other->statement_count > found->statement_count)
      found = other;
  }
  return found;
}

void codegen_firings(struct codegen *gen, const struct codegen_body *body, bool located) {
  const struct transition *transition = longest_of(gen, body), *first = &gen->model->transitions[body->transitions[0]];
  const bool can_fail = guards_fail(transition) || statements_fail(transition->statements, transition->statement_count);
  const bool leave = can_fail && !transition->select_count;
  const char *const number =
      body->count > 1 ? "number" : arena_printf(gen->text.arena, "%" PRIu32, body->transitions[0]);
  struct conditions conditions = {0};
  gen->stopped = gen->stopped || stop_requested(gen->stop);
  if (gen->stopped)
    return;
  gen->fail = arena_printf(gen->text.arena, "FLOE_FAIL(%s, %s, ", number, transition->select_count ? "choice" : "0");
  gen->jump = transition->select_count ? "continue" : "break";
  gen->next_local = 0;
  heading(gen, body);
  codegen_line(gen, leave ? "do {" : "{");
  gen->indent++;
  if (body->count > 1)
    define_number(gen, body);
  write_tests(gen, body, located ? initiator_test(gen->model, first) : NULL, &conditions);
  write_guards(gen, transition, true, &conditions);
  if (!never_fires(transition))
    write_firing(gen, body, transition, number);
  assert(!conditions.open && gen->computed_count == 0);
  while (conditions.blocks--)
    codegen_close(gen, "");
  codegen_close(gen, leave ? " while (0);" : "");
}
