#include "model/symmetry/automorphism.h"

#include <stdlib.h>

/* Kinds of tuples, apart from operators. */
enum { TUPLE_STATEMENT = EXPR_OPS, TUPLE_BODY, TUPLE_GUARDS, TUPLE_TRANSITION, TUPLE_PLACE };

struct words {
  uint64_t *items;
  size_t n, cap;
};

static void add(struct automorphism *a, struct words *words, uint64_t word) {
  *ARENA_PUSH(a->table->arena, words->items, words->n, words->cap) = word;
}

static uint32_t number(struct automorphism *a, const struct words *words) {
  return tuple_number(a->table, words->items, words->n);
}

static int compare_words(const void *x, const void *y) {
  const uint64_t *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

static void sort_words(uint64_t *words, size_t n) {
  if (n > 1)
    qsort(words, n, sizeof *words, compare_words);
}

/* ---- constants and parts -------------------------------------------------------------------------- */

#define PLAIN INT64_C(-1)

/* The number of the first instance in the place of a part; PLAIN: the part does not refer to instances of the set. */
static int64_t base_of(const struct automorphism *a, uint32_t part) {
  return part != USES_NONE && uses_set(a->uses, part) == a->set ? uses_class(a->uses, part)->base : PLAIN;
}

static uint32_t instances_of(const struct automorphism *a) { return a->uses->model->processes[a->set].instances; }

/* lo..hi has all instances. */
static bool has_all(const struct automorphism *a, int64_t base, int64_t lo, int64_t hi) {
  return lo <= base && hi >= base + instances_of(a) - 1;
}

static bool takes_part(const struct automorphism *a, int64_t instance) {
  if (a->t == SIZE_MAX)
    return false;
  const struct transition *t = &a->uses->model->transitions[a->t];
  for (size_t i = 0; i < t->participant_count; i++)
    if (t->participants[i].process != NO_PROCESS && t->participants[i].instance == instance &&
        base_of(a, uses_process(a->uses, t->participants[i].process)) != PLAIN)
      return true;
  return false;
}

/* `base` as base_of. */
static uint64_t constant(struct automorphism *a, int64_t value, int64_t base) {
  if (base == PLAIN || value < base || value >= base + instances_of(a))
    return (uint64_t)value;
  const int64_t instance = value - base;
  if (a->to[instance] != instance && a->named_at == NOWHERE && !takes_part(a, instance))
    a->named_at = a->at;
  return (uint64_t)(a->to[instance] + base);
}

/* ---- expressions ---------------------------------------------------------------------------------- */

static uint32_t expression(struct automorphism *a, const struct expr *e, int64_t base);

static void add_site(struct automorphism *a, struct words *words, uint32_t site, int64_t base) {
  if (site == NO_SITE) {
    add(a, words, UINT64_MAX);
    return;
  }
  const struct site *s = &a->uses->model->sites[site];
  add(a, words, s->kind);
  add(a, words, (uint64_t)s->lo);
  add(a, words, (uint64_t)s->hi);
  if (base != PLAIN && !has_all(a, base, s->lo, s->hi))
    a->failed = true; /* the test is one of some instances */
}

/* An element of a variable: its indices. */
static uint32_t place(struct automorphism *a, uint32_t variable, const struct expr *index) {
  const struct variable *v = &a->uses->model->variables[variable];
  const uint32_t axes = uses_axes(v), part = a->uses->axes[variable];
  struct digit digits[USES_MAX_AXES];
  struct words words = {0};
  add(a, &words, TUPLE_PLACE);
  add(a, &words, variable);
  if (axes > USES_MAX_AXES || !uses_split(v, index, digits)) {
    add(a, &words, expression(a, index, PLAIN));
    for (uint32_t axis = 0; axis < axes; axis++)
      a->failed = a->failed || base_of(a, part + axis) != PLAIN;
    return number(a, &words);
  }
  for (uint32_t axis = 0; axis < axes; axis++) {
    const int64_t base = base_of(a, part + axis);
    const struct digit *digit = &digits[axis];
    add(a, &words, digit->expr != NULL);
    add(a, &words, digit->expr ? expression(a, digit->expr, base) : constant(a, digit->value, base));
  }
  return number(a, &words);
}

/* The element that the permutation makes of element `e`. */
static uint32_t moved_element(const struct automorphism *a, uint32_t variable, uint32_t e) {
  const struct variable *v = &a->uses->model->variables[variable];
  uint32_t stride = 1, target = 0;
  for (uint32_t axis = uses_axes(v); axis-- > 0; stride *= uses_axis_size(v, axis)) {
    const uint32_t index = e / stride % uses_axis_size(v, axis);
    target += stride * (base_of(a, a->uses->axes[variable] + axis) != PLAIN ? a->to[index] : index);
  }
  return target;
}

/* A variable that is never assigned is a table of constants: permuted, it must be the same. */
static bool keeps_table(const struct automorphism *a, uint32_t variable) {
  const struct variable *v = &a->uses->model->variables[variable];
  const int64_t base = base_of(a, a->uses->values[variable]);
  bool moved = base != PLAIN;
  for (uint32_t axis = 0; axis < uses_axes(v); axis++)
    moved = moved || base_of(a, a->uses->axes[variable] + axis) != PLAIN;
  for (uint32_t e = 0; moved && e < v->count; e++) {
    const bool instance = base != PLAIN && v->init[e] >= base && v->init[e] < base + instances_of(a);
    const int64_t value = instance ? a->to[v->init[e] - base] + base : v->init[e];
    if (v->init[moved_element(a, variable, e)] != value)
      return false;
  }
  return true;
}

static void add_operands(struct automorphism *a, struct words *words, enum expr_op op, const struct expr *e) {
  if (e->op == op) {
    add_operands(a, words, op, e->a);
    add_operands(a, words, op, e->b);
  } else
    add(a, words, expression(a, e, PLAIN));
}

/* Conjuncts that cannot fail are tested in any order; those that can fail keep their places. */
struct tests {
  struct words words;
  size_t sorted; /* words before belong to tests that stay */
};

static void add_tests(struct automorphism *a, struct tests *tests, enum expr_op op, const struct expr *e) {
  if (e->op == op) {
    add_tests(a, tests, op, e->a);
    add_tests(a, tests, op, e->b);
    return;
  }
  const uint32_t test = expression(a, e, PLAIN);
  if (e->can_fail)
    sort_words(tests->words.items + tests->sorted, tests->words.n - tests->sorted);
  add(a, &tests->words, test);
  if (e->can_fail)
    tests->sorted = tests->words.n;
}

static uint32_t finish_tests(struct automorphism *a, struct tests *tests) {
  sort_words(tests->words.items + tests->sorted, tests->words.n - tests->sorted);
  return number(a, &tests->words);
}

static uint32_t short_circuit(struct automorphism *a, const struct expr *e) {
  struct tests tests = {.sorted = 1};
  add(a, &tests.words, e->op);
  add_tests(a, &tests, e->op, e);
  return finish_tests(a, &tests);
}

static bool commutes(enum expr_op op) {
  return op == EXPR_ADD || op == EXPR_MUL || op == EXPR_MIN || op == EXPR_MAX || op == EXPR_BITAND ||
         op == EXPR_BITOR || op == EXPR_BITXOR;
}

static uint32_t comparison(struct automorphism *a, const struct expr *e) {
  const uint32_t x = uses_part(a->uses, a->t, e->a), y = uses_part(a->uses, a->t, e->b);
  const int64_t base = base_of(a, x) == PLAIN ? base_of(a, y) : base_of(a, x);
  uint64_t words[] = {e->op, expression(a, e->a, base), expression(a, e->b, base)};
  sort_words(words + 1, 2);
  return tuple_number(a->table, words, 3);
}

static bool has_site(enum expr_op op) {
  return op == EXPR_INDEX || op == EXPR_DIV || op == EXPR_MOD || op == EXPR_SHL || op == EXPR_SHR;
}

static uint32_t operation(struct automorphism *a, const struct expr *e, int64_t base) {
  struct words words = {0};
  add(a, &words, e->op);
  if (commutes(e->op)) {
    add_operands(a, &words, e->op, e);
    sort_words(words.items + 1, words.n - 1);
    return number(a, &words);
  }
  const struct expr *operands[] = {e->a, e->b, e->c};
  for (int i = 0; i < 3; i++) {
    const bool passes = e->op == EXPR_INDEX || (e->op == EXPR_COND && i > 0);
    if (operands[i])
      add(a, &words, expression(a, operands[i], passes ? base : PLAIN));
  }
  if (e->op == EXPR_INDEX) {
    add(a, &words, (uint64_t)e->value);
    a->failed = a->failed || (base != PLAIN && !has_all(a, base, 0, e->value - 1));
  }
  if (has_site(e->op))
    add(a, &words, e->site == NO_SITE ? UINT64_MAX : a->uses->model->sites[e->site].kind);
  return number(a, &words);
}

/* Of an operator whose operands are those of its place. */
static uint32_t of_kind(struct automorphism *a, const struct expr *e, int64_t base) {
  switch (e->op) {
  case EXPR_CONST:
    return tuple_number(a->table, (uint64_t[]){EXPR_CONST, constant(a, e->value, base)}, 2);
  case EXPR_READ:
    if (!a->uses->model->variables[e->id].assigned && !keeps_table(a, e->id))
      a->failed = true;
    return tuple_number(a->table, (uint64_t[]){EXPR_READ, place(a, e->id, e->a)}, 2);
  case EXPR_SELECT:
    return tuple_number(a->table, (uint64_t[]){EXPR_SELECT, e->id}, 2);
  case EXPR_TEMP:
    return tuple_number(a->table, (uint64_t[]){EXPR_TEMP, a->temps[e->id]}, 2);
  case EXPR_COMMITTED:
    return tuple_number(a->table, (uint64_t[]){EXPR_COMMITTED}, 1);
  case EXPR_AND:
  case EXPR_OR:
    return short_circuit(a, e);
  case EXPR_EQ:
  case EXPR_NE:
    return comparison(a, e);
  case EXPR_AUTOMATON:
  case EXPR_ENABLED:
    a->failed = true;
    return 0;
  default:
    return operation(a, e, base);
  }
}

static uint32_t expression(struct automorphism *a, const struct expr *e, int64_t base) {
  const source_at before = a->at;
  const uint32_t part = uses_part(a->uses, a->t, e);
  uint32_t result = 0;
  a->at = e->at == NOWHERE ? a->at : e->at;
  if (a->steps++ > USES_MAX_STEPS || (part != USES_NONE && base_of(a, part) != base))
    a->failed = true;
  else
    result = of_kind(a, e, base);
  a->at = before;
  return result;
}

/* ---- what statements depend on -------------------------------------------------------------------- */

/* Elements of a variable; temporary i is variable variable_count + i. */
struct access {
  uint32_t variable;
  int64_t lo, hi;
  bool write;
};
struct accesses {
  struct access *items;
  size_t n, cap;
};

static void add_access(struct automorphism *a, struct accesses *out, uint32_t variable, const struct expr *index,
                       bool write) {
  *ARENA_PUSH(a->table->arena, out->items, out->n, out->cap) =
      (struct access){variable, index ? index->lo : 0, index ? index->hi : 0, write};
}

static void read_accesses(struct automorphism *a, struct accesses *out, const struct expr *e) {
  if (!e)
    return;
  if (e->op == EXPR_READ)
    add_access(a, out, e->id, e->a, false);
  else if (e->op == EXPR_TEMP)
    add_access(a, out, (uint32_t)a->uses->model->variable_count + e->id, NULL, false);
  else if (e->op == EXPR_COMMITTED)
    a->failed = true;
  read_accesses(a, out, e->a);
  read_accesses(a, out, e->b);
  read_accesses(a, out, e->c);
}

static void statement_accesses(struct automorphism *a, struct accesses *out, const struct statement *s) {
  read_accesses(a, out, s->index);
  read_accesses(a, out, s->value);
  if (s->op == ST_ASSIGN)
    add_access(a, out, s->id, s->index, true);
  else if (s->op == ST_LET)
    add_access(a, out, (uint32_t)a->uses->model->variable_count + s->id, NULL, true);
  for (size_t i = 0; i < statement_inner_count(s); i++)
    statement_accesses(a, out, &s->then[i]);
}

static bool depend(const struct accesses *a, const struct accesses *b) {
  for (size_t i = 0; i < a->n; i++)
    for (size_t k = 0; k < b->n; k++)
      if (a->items[i].variable == b->items[k].variable && (a->items[i].write || b->items[k].write) &&
          a->items[i].lo <= b->items[k].hi && b->items[k].lo <= a->items[i].hi)
        return true;
  return false;
}

/* ---- statements ----------------------------------------------------------------------------------- */

#define MOST_REORDERED 128 /* statements of a sequence */

static uint32_t body(struct automorphism *a, const struct statement *statements, size_t n);

static uint32_t statement_part(const struct automorphism *a, const struct statement *s) {
  if (s->op == ST_LET)
    return uses_part(a->uses, a->t, &(struct expr){.op = EXPR_TEMP, .id = s->id});
  return s->op == ST_ASSIGN ? a->uses->values[s->id] : USES_NUMBER;
}

static uint32_t statement(struct automorphism *a, const struct statement *s) {
  struct words words = {0};
  const int64_t base = base_of(a, statement_part(a, s));
  a->at = s->at == NOWHERE ? a->at : s->at;
  add(a, &words, TUPLE_STATEMENT);
  add(a, &words, s->op);
  add(a, &words, s->op == ST_ASSIGN ? place(a, s->id, s->index) : 0);
  add(a, &words, expression(a, s->value, base));
  add_site(a, &words, s->site, base);
  if (s->op == ST_IF) {
    add(a, &words, body(a, s->then, s->then_count));
    add(a, &words, body(a, s->then + s->then_count, s->else_count));
  }
  return number(a, &words);
}

/* The first sequence, by numbers, that keeps the order of statements that depend on each other. Whether a step fails
   does not depend on that order; which of several errors it has may. */
static void reorder(struct automorphism *a, const struct statement *statements, uint64_t *numbers, size_t n) {
  struct accesses *accesses = arena_array(a->table->arena, n, sizeof *accesses);
  bool *used = arena_array(a->table->arena, n, sizeof *used);
  uint64_t *out = arena_array(a->table->arena, n, sizeof *out);
  for (size_t i = 0; i < n; i++)
    statement_accesses(a, &accesses[i], &statements[i]);
  for (size_t done = 0; done < n; done++) {
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
      bool ready = !used[i] && (least == SIZE_MAX || numbers[i] < numbers[least]);
      for (size_t k = 0; k < i && ready; k++)
        ready = used[k] || !depend(&accesses[k], &accesses[i]);
      least = ready ? i : least;
    }
    used[least] = true;
    out[done] = numbers[least];
  }
  for (size_t i = 0; i < n; i++)
    numbers[i] = out[i];
}

/* A temporary is named by its definition, and how many equal definitions precede it in the sequence. */
static void name_temporary(struct automorphism *a, const struct statement *s, const uint64_t *numbers, size_t i) {
  uint64_t earlier = 0;
  for (size_t k = 0; k < i; k++)
    earlier += numbers[k] == numbers[i];
  a->temps[s->id] = tuple_number(a->table, (uint64_t[]){TUPLE_STATEMENT, numbers[i], earlier}, 3);
}

static uint32_t body(struct automorphism *a, const struct statement *statements, size_t n) {
  uint64_t *words = arena_array(a->table->arena, n + 1, sizeof *words);
  words[0] = TUPLE_BODY;
  for (size_t i = 0; i < n; i++) {
    words[i + 1] = statement(a, &statements[i]);
    if (statements[i].op == ST_LET)
      name_temporary(a, &statements[i], words + 1, i);
  }
  a->steps += n > 1 && n <= MOST_REORDERED ? n * n : n;
  if (n > 1 && n <= MOST_REORDERED)
    reorder(a, statements, words + 1, n);
  return tuple_number(a->table, words, n + 1);
}

/* ---- transitions ---------------------------------------------------------------------------------- */

/* Each temporary is defined once, and not in a branch: else its definition does not name it. */
static bool names_are_unique(const struct statement *statements, size_t n, bool inner, bool *defined) {
  for (size_t i = 0; i < n; i++) {
    if (statements[i].op == ST_LET && (inner || defined[statements[i].id]))
      return false;
    if (statements[i].op == ST_LET)
      defined[statements[i].id] = true;
    if (!names_are_unique(statements[i].then, statement_inner_count(&statements[i]), true, defined))
      return false;
  }
  return true;
}

static void add_location_tests(struct automorphism *a, struct words *words, const struct transition *t) {
  const size_t first = words->n;
  for (size_t i = 0; i < t->test_count; i++) {
    const struct location_test *test = &t->tests[i];
    const uint64_t element = constant(a, test->element, base_of(a, a->uses->axes[test->variable]));
    const uint64_t tuple[] = {TUPLE_PLACE, test->variable, element, test->location};
    add(a, words, tuple_number(a->table, tuple, 4));
  }
  sort_words(words->items + first, words->n - first);
}

static void start(struct automorphism *a, size_t number_of, const struct transition *t) {
  bool *defined = arena_array(a->table->arena, t->temp_count + 1, sizeof *defined);
  a->t = number_of;
  a->failed = t->undo_count > 0 || !names_are_unique(t->statements, t->statement_count, false, defined);
  a->at = a->named_at = NOWHERE;
  a->temps = arena_array(a->table->arena, t->temp_count + 1, sizeof *a->temps);
}

uint32_t automorphism_transition(struct automorphism *a, size_t number_of) {
  const struct transition *t = &a->uses->model->transitions[number_of];
  struct words words = {0};
  struct tests tests = {.sorted = 1};
  start(a, number_of, t);
  add(a, &words, TUPLE_TRANSITION);
  add(a, &words, t->otherwise);
  add(a, &words, t->select_count);
  for (size_t i = 0; i < t->select_count; i++) {
    add(a, &words, (uint64_t)t->selects[i].lo);
    add(a, &words, (uint64_t)t->selects[i].hi);
  }
  add_location_tests(a, &words, t);
  add(a, &tests.words, TUPLE_GUARDS);
  for (size_t i = 0; i < t->guard_count; i++)
    add_tests(a, &tests, EXPR_AND, t->guards[i]);
  add(a, &words, finish_tests(a, &tests));
  add(a, &words, body(a, t->statements, t->statement_count));
  return number(a, &words);
}

uint32_t automorphism_expression(struct automorphism *a, const struct expr *expr) {
  a->t = SIZE_MAX;
  a->failed = false;
  a->at = expr->at;
  a->named_at = NOWHERE;
  return expression(a, expr, PLAIN);
}
