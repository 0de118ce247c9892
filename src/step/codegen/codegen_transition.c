/* Ground transitions with one body (mostly one) in kernel C: tests, a loop for each select, guards as far out as their
   selects allow, then the statements on a copy of the state. */
#include "step/codegen/codegen_transition.h"

#include "model/structural_equality.h"
#include "model/successor_bound.h"
#include "step/codegen/codegen_expr.h"
#include "step/codegen/codegen_key_delta.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_UNROLLED = 4 }; /* values of a select */

static bool fails(const struct expr *e) { return e && e->can_fail; }

static bool statements_fail(const struct statement *statements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &statements[i];
    if (statement->site != NO_SITE && statement->op != ST_IF)
      return true;
    if (fails(statement->index) || fails(statement->value) ||
        statements_fail(statement->then, statement_inner_count(statement)))
      return true;
  }
  return false;
}

/* ---- several transitions --------------------------------------------------------------------- */

static const struct location_test *varying_test(const struct codegen *gen, const struct codegen_body *body,
                                                size_t member) {
  return &gen->model->transitions[body->members[member]].tests[body->varying];
}

static uint32_t location_of(const struct codegen *gen, const struct codegen_body *body, size_t member) {
  return varying_test(gen, body, member)->location;
}

/* Members from `first` on whose locations, and numbers too where that is asked for, follow one another: their end. */
static size_t end_of_range(const struct codegen *gen, const struct codegen_body *body, size_t first, bool numbers) {
  size_t end = first + 1;
  while (end < body->count && location_of(gen, body, end) == location_of(gen, body, end - 1) + 1 &&
         (!numbers || body->members[end] == body->members[end - 1] + 1))
    end++;
  return end;
}

static void read_varying(struct codegen *gen, const struct codegen_body *body) {
  const struct location_test *test = varying_test(gen, body, 0);
  codegen_read_element(gen, test->variable, test->element);
}

static void write_location(struct codegen *gen, const struct codegen_body *body, size_t member) {
  const struct location_test *test = varying_test(gen, body, member);
  codegen_location(gen, test->variable, test->location);
}

/* number = first + (location - that of the first), for each range of locations */
static void define_number(struct codegen *gen, const struct codegen_body *body) {
  assert(body->count > 1);
  codegen_line(gen, "const uint32_t number = ");
  for (size_t i = 0, end; i < body->count; i = end) {
    end = end_of_range(gen, body, i, true);
    const uint32_t location = location_of(gen, body, i);
    if (end < body->count) {
      read_varying(gen, body);
      codegen_add(gen, " <= ");
      write_location(gen, body, end - 1);
      codegen_add(gen, " ? ");
    }
    codegen_add(gen, "%" PRIu32 "u", body->members[i]);
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

/* A part of the guards, and the loops that are open when it is tested. */
struct conjunct {
  const struct expr *expr;
  size_t depth;
};

struct conjuncts {
  struct conjunct *items;
  size_t count, capacity;
  size_t deepest; /* of their depths */
};

/* The operands of "and" are tested apart, so that each is as far out as it can be; one that says nothing new is not. */
static void split(struct codegen *gen, const struct expr *e, size_t least, struct conjuncts *conjuncts) {
  if (e->op == EXPR_AND && !e->can_fail) {
    split(gen, e->a, least, conjuncts);
    split(gen, e->b, least, conjuncts);
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

/* Without errors the order of tests does not matter. Else the guards are tested in their order, and one that can fail
   for every choice, since every choice fails then. */
static struct conjuncts split_guards(struct codegen *gen, const struct transition *transition) {
  const bool ordered = guards_fail(transition);
  const size_t count = transition->guard_count - fires_never(transition);
  struct conjuncts conjuncts = {0};
  for (size_t i = 0; i < count; i++) {
    const struct expr *e = transition->guards[i];
    const size_t least = ordered ? conjuncts.deepest : 0;
    split(gen, e, e->can_fail ? transition->select_count : least, &conjuncts);
  }
  return conjuncts;
}

struct conditions {
  bool open; /* inside "if (" */
  unsigned blocks;
};

static void condition(struct codegen *gen, struct conditions *conditions) {
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

static void guard(struct codegen *gen, const struct expr *e, struct conditions *conditions) {
  if (e->can_fail) {
    end_conditions(gen, conditions);
    codegen_prepare(gen, e);
  }
  if (e->lo != 1) { /* else it is there for its errors */
    condition(gen, conditions);
    codegen_expr(gen, e, PREC_EQUAL);
  }
  codegen_forget(gen);
}

/* A range; only a side that the variable can violate is tested. */
static void location_range(struct codegen *gen, const struct codegen_body *body, size_t first, size_t last) {
  const struct variable *variable = &gen->model->variables[varying_test(gen, body, 0)->variable];
  const uint32_t lo = location_of(gen, body, first), hi = location_of(gen, body, last);
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

/* Is the instance at one of the locations? No question where they are all that it has. */
static void any_location(struct codegen *gen, const struct codegen_body *body, struct conditions *conditions) {
  const struct variable *variable = &gen->model->variables[varying_test(gen, body, 0)->variable];
  const bool several = end_of_range(gen, body, 0, false) < body->count;
  if (body->count == (uint64_t)(variable->hi - variable->lo) + 1)
    return;
  condition(gen, conditions);
  codegen_add(gen, several ? "(" : "");
  for (size_t i = 0, end; i < body->count; i = end) {
    end = end_of_range(gen, body, i, false);
    codegen_add(gen, i ? " || " : "");
    location_range(gen, body, i, end - 1);
  }
  codegen_add(gen, several ? ")" : "");
}

static void tests(struct codegen *gen, const struct codegen_body *body, const struct location_test *tested,
                  struct conditions *conditions) {
  const struct transition *transition = &gen->model->transitions[body->members[0]];
  for (size_t i = 0; i < transition->test_count; i++) {
    const struct location_test *test = &transition->tests[i];
    if (test == tested || gen->model->variables[test->variable].lo == gen->model->variables[test->variable].hi)
      continue;
    if (body->count > 1 && i == body->varying)
      any_location(gen, body, conditions);
    else {
      condition(gen, conditions);
      codegen_read_element(gen, test->variable, test->element);
      codegen_add(gen, " == ");
      codegen_location(gen, test->variable, test->location);
    }
  }
}

/* More turns than a few stay a loop on GPUs: their cache of instructions is small (doc/gpu.md). */
static void loop(struct codegen *gen, const struct transition *transition, size_t select) {
  const struct select *range = &transition->selects[select];
  bool wide = range->lo < INT32_MIN || range->hi >= INT32_MAX;
  codegen_line(gen, "%sfor (%s select%zu = ", range->hi - range->lo >= MOST_UNROLLED ? "FLOE_ROLLED " : "",
               codegen_type(wide), select);
  codegen_number(gen, range->lo);
  codegen_add(gen, "; select%zu <= ", select);
  codegen_number(gen, range->hi);
  codegen_add(gen, "; select%zu++)", select);
  codegen_open(gen);
  if (*range->name)
    codegen_add(gen, " /* %s */", range->name);
}

/* choice = ((select0 - lo0) * size1 + (select1 - lo1)) * size2 + ... */
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

static void statements(struct codegen *gen, const struct statement *list, size_t count);

/* One that nobody reads is computed only for its errors. */
static void let(struct codegen *gen, const struct statement *statement) {
  const struct temp_use *temp = &gen->temps[statement->id];
  codegen_prepare(gen, statement->value);
  if (temp->read || statement->site != NO_SITE) {
    codegen_line(gen, "%s%stemp%" PRIu32 " = ", temp->nested ? "" : codegen_type(temp->wide), temp->nested ? "" : " ",
                 statement->id);
    codegen_expr(gen, statement->value, PREC_COND);
    codegen_add(gen, ";");
  }
  codegen_forget(gen);
  if (statement->site == NO_SITE)
    return;
  char name[16];
  snprintf(name, sizeof name, "temp%" PRIu32, statement->id);
  const struct site *site = &gen->model->sites[statement->site];
  codegen_range_check(gen, name, statement->value, site->lo, site->hi, statement->site);
}

static bool in_range(const struct expr *value, const struct variable *variable) {
  return variable->lo <= value->lo && value->hi <= variable->hi;
}

/* To a location that is known. */
static bool is_move(const struct codegen *gen, const struct statement *statement) {
  return gen->model->variables[statement->id].kind == VARIABLE_LOCATION && statement->value->op == EXPR_CONST;
}

/* The words that hold the element, of which a range is known. */
static void touch(struct codegen *gen, const struct statement *statement) {
  const struct field *field = &gen->layout->fields[statement->id];
  const struct expr *index = statement->index;
  const uint32_t last = gen->model->variables[statement->id].count - 1;
  const uint32_t lo = index && index->lo > 0 ? (uint32_t)index->lo : 0;
  const uint32_t hi = !index ? 0 : index->hi < last ? (uint32_t)index->hi : last;
  for (uint32_t at = lo / field->per_word; at <= hi / field->per_word; at++)
    gen->touched[field->word + at] = true;
}

/* A one-value variable stores nothing, but its new value is checked. */
static void store(struct codegen *gen, const struct statement *statement, const char *name) {
  if (!gen->layout->fields[statement->id].width)
    return;
  codegen_keep_index(gen, statement);
  codegen_write(gen, statement->id, statement->index);
  if (name)
    codegen_add(gen, "%s", name);
  else if (is_move(gen, statement))
    codegen_location(gen, statement->id, statement->value->value);
  else
    codegen_expr(gen, statement->value, PREC_COND);
  codegen_add(gen, ");");
  gen->written[statement->id] = true;
  touch(gen, statement);
}

static void assign(struct codegen *gen, const struct statement *statement) {
  const struct variable *variable = &gen->model->variables[statement->id];
  codegen_prepare(gen, statement->index);
  codegen_prepare(gen, statement->value);
  if (statement->site == NO_SITE || in_range(statement->value, variable))
    store(gen, statement, NULL);
  else {
    char name[16];
    snprintf(name, sizeof name, "v%u", gen->next_name++);
    codegen_line(gen, "const %s %s = ", codegen_type(codegen_is_wide(statement->value)), name);
    codegen_expr(gen, statement->value, PREC_COND);
    codegen_add(gen, ";");
    codegen_range_check(gen, name, statement->value, variable->lo, variable->hi, statement->site);
    store(gen, statement, name);
  }
  codegen_forget(gen);
}

static void assertion(struct codegen *gen, const struct statement *statement) {
  codegen_prepare(gen, statement->value);
  codegen_line(gen, "if (!");
  codegen_expr(gen, statement->value, PREC_PRIMARY);
  codegen_add(gen, ")");
  codegen_forget(gen);
  codegen_failure(gen, statement->site);
}

static void conditional(struct codegen *gen, const struct statement *statement) {
  codegen_prepare(gen, statement->value);
  codegen_line(gen, "if (");
  codegen_expr(gen, statement->value, PREC_COND);
  codegen_add(gen, ")");
  codegen_forget(gen);
  codegen_open(gen);
  statements(gen, statement->then, statement->then_count);
  if (statement->else_count) {
    codegen_close(gen, " else");
    codegen_open(gen);
    statements(gen, statement->then + statement->then_count, statement->else_count);
  }
  codegen_close(gen, "");
}

static void statements(struct codegen *gen, const struct statement *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    switch (list[i].op) {
    case ST_LET:
      let(gen, &list[i]);
      break;
    case ST_ASSIGN:
      assign(gen, &list[i]);
      break;
    case ST_ASSERT:
      assertion(gen, &list[i]);
      break;
    case ST_IF:
      conditional(gen, &list[i]);
      break;
    }
}

static void note_reads(const struct expr *e, struct temp_use *temps) {
  if (!e)
    return;
  if (e->op == EXPR_TEMP)
    temps[e->id].read = true;
  note_reads(e->a, temps);
  note_reads(e->b, temps);
  note_reads(e->c, temps);
}

static void note_temps(const struct statement *list, size_t count, bool nested, struct temp_use *temps) {
  for (size_t i = 0; i < count; i++) {
    if (list[i].op == ST_LET) {
      temps[list[i].id].wide |= codegen_is_wide(list[i].value);
      temps[list[i].id].nested |= nested;
    }
    note_reads(list[i].index, temps);
    note_reads(list[i].value, temps);
    note_temps(list[i].then, statement_inner_count(&list[i]), true, temps);
  }
}

static void declare_temps(struct codegen *gen, const struct transition *transition) {
  gen->temps = arena_array(gen->text.arena, transition->temp_count + 1, sizeof *gen->temps);
  note_temps(transition->statements, transition->statement_count, false, gen->temps);
  for (uint32_t i = 0; i < transition->temp_count; i++)
    if (gen->temps[i].nested)
      codegen_line(gen, "%s temp%" PRIu32 " = 0;", codegen_type(gen->temps[i].wide), i);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* A label is free text: only what cannot end a comment or join lines goes into the code. */
static const char *harmless(struct codegen *gen, const char *label) {
  static const char kept[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             " _.,:;+-=<>()[]{}!?'";
  char *copy = arena_copy(gen->text.arena, label, strlen(label));
  for (char *at = copy; *at; at++)
    if (!strchr(kept, *at))
      *at = '_';
  return copy;
}

/* Each number, or the first and the last one where they follow one another. */
static void list_numbers(struct codegen *gen, const struct codegen_body *body) {
  const size_t last = body->count - 1;
  size_t i = 0;
  while (i < last && body->members[i + 1] == body->members[i] + 1)
    i++;
  if (i && i == last) {
    codegen_add(gen, "%" PRIu32 "..%" PRIu32, body->members[0], body->members[last]);
    return;
  }
  for (i = 0; i <= last; i++)
    codegen_add(gen, "%s%" PRIu32, i ? ", " : "", body->members[i]);
}

/* " at a, b, c of P[0]": which location each number is for, in the same order */
static void list_locations(struct codegen *gen, const struct codegen_body *body) {
  const struct location_test *test = varying_test(gen, body, 0);
  const struct process *process = &gen->model->processes[gen->model->variables[test->variable].owner];
  for (size_t i = 0; i < body->count; i++)
    codegen_add(gen, "%s%s", i ? ", " : " at ", process->locations[location_of(gen, body, i)].name);
  codegen_add(gen, " of %s[%" PRIu32 "]", process->name, test->element);
}

static void headline(struct codegen *gen, const struct codegen_body *body) {
  const struct model *model = gen->model;
  const struct transition *transition = &model->transitions[body->members[0]];
  codegen_line(gen, "/* ");
  list_numbers(gen, body);
  if (body->count > 1)
    list_locations(gen, body);
  codegen_add(gen, ":");
  for (size_t i = 0; i < transition->participant_count; i++) {
    const struct participant *participant = &transition->participants[i];
    const struct edge *edge = &model->edges[participant->edge];
    codegen_add(gen, "%s %s[%" PRIu32 "] %s%s%s -> %s", i ? ";" : "", model->processes[participant->process].name,
                participant->instance, harmless(gen, edge->label), *edge->label ? ": " : "", edge->from, edge->to);
    if (model->source && edge->at != NOWHERE)
      codegen_add(gen, ", line %u", line_number(&gen->lines, edge->at));
  }
  codegen_add(gen, " */");
}

static void fire(struct codegen *gen, const struct codegen_body *body, const struct transition *transition,
                 const char *number) {
  memset(gen->written, 0, gen->model->variable_count * sizeof *gen->written);
  memset(gen->touched, 0, gen->layout->words * sizeof *gen->touched);
  declare_temps(gen, transition);
  codegen_changes(gen, transition);
  codegen_line(gen, "floe_state t = s;");
  statements(gen, transition->statements, transition->statement_count);
  codegen_emit(gen, body, transition, number);
  memset(gen->written, 0, gen->model->variable_count * sizeof *gen->written);
}

/* Guards as far out as their selects allow, a loop for each select, then the statements. */
static void guarded(struct codegen *gen, const struct codegen_body *body, const struct transition *transition,
                    const char *number, struct conditions *conditions) {
  const struct conjuncts conjuncts = split_guards(gen, transition);
  for (size_t depth = 0;; depth++) {
    for (size_t i = 0; i < conjuncts.count; i++)
      if (conjuncts.items[i].depth == depth)
        guard(gen, conjuncts.items[i].expr, conditions);
    end_conditions(gen, conditions);
    if (depth == transition->select_count)
      break;
    loop(gen, transition, depth);
    conditions->blocks++;
    if (depth + 1 == transition->select_count)
      number_choice(gen, transition);
  }
  if (!fires_never(transition))
    fire(gen, body, transition, number);
}

/* The one with all statements: one that is where the others go lacks the move (codegen_merge.c). */
static const struct transition *fullest(const struct codegen *gen, const struct codegen_body *body) {
  const struct transition *found = &gen->model->transitions[body->members[0]];
  for (size_t i = 1; i < body->count; i++) {
    const struct transition *other = &gen->model->transitions[body->members[i]];
    if (other->statement_count > found->statement_count)
      found = other;
  }
  return found;
}

void codegen_firings(struct codegen *gen, const struct codegen_body *body, bool located) {
  const struct transition *transition = fullest(gen, body), *first = &gen->model->transitions[body->members[0]];
  const bool can_fail = guards_fail(transition) || statements_fail(transition->statements, transition->statement_count);
  const bool leave = can_fail && !transition->select_count;
  const char *const number = body->count > 1 ? "number" : arena_printf(gen->text.arena, "%" PRIu32, body->members[0]);
  struct conditions conditions = {0};
  gen->stopped = gen->stopped || stop_requested(gen->stop);
  if (gen->stopped)
    return;
  gen->fail = arena_printf(gen->text.arena, "FLOE_FAIL(%s, %s, ", number, transition->select_count ? "choice" : "0");
  gen->jump = transition->select_count ? "continue" : "break";
  gen->next_name = 0;
  headline(gen, body);
  codegen_line(gen, leave ? "do {" : "{");
  gen->indent++;
  if (body->count > 1)
    define_number(gen, body);
  tests(gen, body, located ? initiator_test(gen->model, first) : NULL, &conditions);
  guarded(gen, body, transition, number, &conditions);
  assert(!conditions.open && gen->named_count == 0);
  while (conditions.blocks--)
    codegen_close(gen, "");
  codegen_close(gen, leave ? " while (0);" : "");
}
