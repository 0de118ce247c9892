#include "logic/formula.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct entailment {
  const struct formula *f, *g; /* f NULL: a free place */
  bool holds;
};

struct formulas {
  struct arena *arena;
  const struct formula **buckets; /* bucket_count, a power of two */
  size_t bucket_count, count;
  struct entailment *known; /* known_size, a power of two, or NULL */
  size_t known_size, known_count;
  const struct formula *constants[2];
};

struct arena *formulas_arena(struct formulas *set) {
  return set->arena;
}

/* ---- one object for equal formulas ---------------------------------------------------------------- */

static uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

static uint64_t hash_of(const struct formula *f) {
  uint64_t hash = mixed(f->op, f->atom);
  for (uint32_t i = 0; i < f->count; i++)
    hash = mixed(hash, f->args[i]->number);
  return hash;
}

static bool same(const struct formula *f, const struct formula *g) {
  return f->op == g->op && f->atom == g->atom && f->count == g->count &&
         (f->count == 0 || memcmp(f->args, g->args, f->count * sizeof *f->args) == 0);
}

static void widen(struct formulas *set) {
  const size_t old_count = set->bucket_count;
  const struct formula **old = set->buckets;
  set->bucket_count = old_count * 2;
  set->buckets = arena_array(set->arena, set->bucket_count, sizeof *set->buckets);
  for (size_t i = 0; i < old_count; i++)
    for (const struct formula *f = old[i], *next; f; f = next) {
      const struct formula **bucket = &set->buckets[hash_of(f) & (set->bucket_count - 1)];
      next = f->next_in_bucket;
      ((struct formula *)f)->next_in_bucket = *bucket;
      *bucket = f;
    }
}

static bool all_args(const struct formula *f, bool (*holds)(const struct formula *)) {
  for (uint32_t i = 0; i < f->count; i++)
    if (!holds(f->args[i]))
      return false;
  return true;
}
static bool is_eventual(const struct formula *f) { return f->eventual; }
static bool is_universal(const struct formula *f) { return f->universal; }

static void classify(struct formula *f) {
  const bool literal = f->op == FORMULA_ATOM || f->op == FORMULA_NOT_ATOM;
  f->eventual = !literal && all_args(f, is_eventual);
  f->universal = !literal && all_args(f, is_universal);
  if (f->op == FORMULA_UNTIL)
    f->eventual |= f->args[0]->op == FORMULA_TRUE || f->args[1]->eventual;
  if (f->op == FORMULA_RELEASE)
    f->universal |= f->args[0]->op == FORMULA_FALSE || f->args[1]->universal;
}

/* The formula with these members, without simplification. */
static const struct formula *make(struct formulas *set, enum formula_op op, uint32_t atom,
                                  const struct formula *const *args, uint32_t count) {
  const struct formula wanted = {.op = op, .atom = atom, .args = args, .count = count};
  const uint64_t hash = hash_of(&wanted);
  for (const struct formula *f = set->buckets[hash & (set->bucket_count - 1)]; f; f = f->next_in_bucket)
    if (same(f, &wanted))
      return f;
  if (set->count >= set->bucket_count)
    widen(set);
  const struct formula **copy = arena_array(set->arena, count, sizeof *copy);
  for (uint32_t i = 0; i < count; i++)
    copy[i] = args[i];
  struct formula *made = arena_alloc(set->arena, sizeof *made);
  *made = wanted;
  made->args = copy;
  made->number = (uint32_t)set->count++;
  classify(made);
  const struct formula **bucket = &set->buckets[hash & (set->bucket_count - 1)];
  made->next_in_bucket = *bucket;
  *bucket = made;
  return made;
}

static const struct formula *make2(struct formulas *set, enum formula_op op, const struct formula *f,
                                   const struct formula *g) {
  return make(set, op, 0, (const struct formula *const[]){f, g}, 2);
}

struct formulas *formulas_create(struct arena *arena) {
  struct formulas *set = arena_alloc(arena, sizeof *set);
  *set = (struct formulas){.arena = arena, .bucket_count = 64};
  set->buckets = arena_array(arena, set->bucket_count, sizeof *set->buckets);
  set->constants[0] = make(set, FORMULA_FALSE, 0, NULL, 0);
  set->constants[1] = make(set, FORMULA_TRUE, 0, NULL, 0);
  return set;
}

const struct formula *formula_constant(struct formulas *set, bool value) { return set->constants[value]; }

const struct formula *formula_atom(struct formulas *set, uint32_t atom) {
  assert(atom < LOGIC_MAX_ATOMS);
  return make(set, FORMULA_ATOM, atom, NULL, 0);
}

/* ---- negation: each operator's dual. The duals of simplified formulas need no simplification ----------------------
 */

static int by_number(const void *a, const void *b) {
  const uint32_t x = (*(const struct formula *const *)a)->number, y = (*(const struct formula *const *)b)->number;
  return x < y ? -1 : x > y;
}

static void sort(const struct formula **args, size_t count) {
  qsort(args, count, sizeof(const struct formula *), by_number);
}

static enum formula_op dual(enum formula_op op) {
  static const enum formula_op duals[] = {
      [FORMULA_FALSE] = FORMULA_TRUE,    [FORMULA_TRUE] = FORMULA_FALSE,    [FORMULA_ATOM] = FORMULA_NOT_ATOM,
      [FORMULA_NOT_ATOM] = FORMULA_ATOM, [FORMULA_AND] = FORMULA_OR,        [FORMULA_OR] = FORMULA_AND,
      [FORMULA_NEXT] = FORMULA_NEXT,     [FORMULA_UNTIL] = FORMULA_RELEASE, [FORMULA_RELEASE] = FORMULA_UNTIL};
  return duals[op];
}

const struct formula *formula_not(struct formulas *set, const struct formula *f) {
  if (f->negation)
    return f->negation;
  const struct formula **args = arena_array(set->arena, f->count, sizeof *args);
  for (uint32_t i = 0; i < f->count; i++)
    args[i] = formula_not(set, f->args[i]);
  if (f->op == FORMULA_AND || f->op == FORMULA_OR)
    sort(args, f->count);
  const struct formula *negation = make(set, dual(f->op), f->atom, args, f->count);
  ((struct formula *)f)->negation = negation;
  ((struct formula *)negation)->negation = f;
  return negation;
}

/* ---- entailment, by syntax ------------------------------------------------------------------------ */

static bool entails_all(struct formulas *set, const struct formula *f, const struct formula *g) {
  for (uint32_t i = 0; i < g->count; i++)
    if (!formula_entails(set, f, g->args[i]))
      return false;
  return true;
}

static bool all_entail(struct formulas *set, const struct formula *f, const struct formula *g) {
  for (uint32_t i = 0; i < f->count; i++)
    if (!formula_entails(set, f->args[i], g))
      return false;
  return true;
}

static bool some_arg_entails(struct formulas *set, const struct formula *f, const struct formula *g) {
  for (uint32_t i = 0; i < f->count; i++)
    if (formula_entails(set, f->args[i], g))
      return true;
  return false;
}

static bool entails_some_arg(struct formulas *set, const struct formula *f, const struct formula *g) {
  for (uint32_t i = 0; i < g->count; i++)
    if (formula_entails(set, f, g->args[i]))
      return true;
  return false;
}

/* The arguments of f and g, which have the same operator, entail each other in order. */
static bool args_entail(struct formulas *set, const struct formula *f, const struct formula *g) {
  return f->op == g->op && formula_entails(set, f->args[0], g->args[0]) && formula_entails(set, f->args[1], g->args[1]);
}

static bool entails_by_right(struct formulas *set, const struct formula *f, const struct formula *g) {
  switch (g->op) {
  case FORMULA_OR:
    return entails_some_arg(set, f, g);
  case FORMULA_NEXT:
    return (f->op == FORMULA_NEXT || f->universal) &&
           formula_entails(set, f->op == FORMULA_NEXT ? f->args[0] : f, g->args[0]);
  case FORMULA_UNTIL:
    return formula_entails(set, f, g->args[1]) || args_entail(set, f, g);
  case FORMULA_RELEASE:
    return (formula_entails(set, f, g->args[1]) && (f->universal || formula_entails(set, f, g->args[0]))) ||
           args_entail(set, f, g);
  default:
    return false;
  }
}

static bool entails_by_left(struct formulas *set, const struct formula *f, const struct formula *g) {
  switch (f->op) {
  case FORMULA_AND:
    return some_arg_entails(set, f, g);
  case FORMULA_NEXT:
    return g->eventual && formula_entails(set, f->args[0], g);
  case FORMULA_UNTIL:
    return formula_entails(set, f->args[1], g) && (g->eventual || formula_entails(set, f->args[0], g));
  case FORMULA_RELEASE:
    return formula_entails(set, f->args[1], g);
  default:
    return false;
  }
}

static struct entailment *place_of(struct formulas *set, const struct formula *f, const struct formula *g) {
  size_t i = mixed(mixed(1, f->number), g->number) & (set->known_size - 1);
  while (set->known[i].f && (set->known[i].f != f || set->known[i].g != g))
    i = (i + 1) & (set->known_size - 1);
  return &set->known[i];
}

static void remember(struct formulas *set, const struct formula *f, const struct formula *g, bool holds) {
  if (set->known_count * 2 >= set->known_size) {
    const size_t old_size = set->known_size;
    struct entailment *old = set->known;
    set->known_size = old_size ? old_size * 2 : 256;
    set->known = arena_array(set->arena, set->known_size, sizeof *set->known);
    for (size_t i = 0; i < old_size; i++)
      if (old[i].f)
        *place_of(set, old[i].f, old[i].g) = old[i];
  }
  *place_of(set, f, g) = (struct entailment){f, g, holds};
  set->known_count++;
}

bool formula_entails(struct formulas *set, const struct formula *f, const struct formula *g) {
  if (f == g || f->op == FORMULA_FALSE || g->op == FORMULA_TRUE)
    return true;
  if (f->count == 0 && g->count == 0)
    return false;
  const struct entailment *known = set->known ? place_of(set, f, g) : NULL;
  if (known && known->f)
    return known->holds;
  bool holds;
  if (f->op == FORMULA_OR)
    holds = all_entail(set, f, g);
  else if (g->op == FORMULA_AND)
    holds = entails_all(set, f, g);
  else
    holds = entails_by_right(set, f, g) || entails_by_left(set, f, g);
  remember(set, f, g, holds);
  return holds;
}

/* ---- conjunction; disjunction is its dual --------------------------------------------------------- */

struct args {
  const struct formula **items;
  size_t n, cap;
};

static void add_arg(struct formulas *set, struct args *args, const struct formula *f) {
  *ARENA_PUSH(set->arena, args->items, args->n, args->cap) = f;
}

static bool is_eventually(const struct formula *f) { return f->op == FORMULA_UNTIL && f->args[0]->op == FORMULA_TRUE; }

/* One formula for the conjunction of both; NULL: none is simpler. */
static const struct formula *merged(struct formulas *set, const struct formula *f, const struct formula *g) {
  if (formula_entails(set, f, g))
    return f;
  if (formula_entails(set, g, f))
    return g;
  if (formula_entails(set, f, formula_not(set, g)) || formula_entails(set, g, formula_not(set, f)))
    return set->constants[false];
  if (f->op != g->op || f->count < 1)
    return NULL;
  if (f->op == FORMULA_NEXT)
    return formula_next(set, formula_and(set, f->args[0], g->args[0]));
  if (f->op == FORMULA_RELEASE && f->args[0] == g->args[0])
    return formula_release(set, f->args[0], formula_and(set, f->args[1], g->args[1]));
  if (f->op == FORMULA_UNTIL && f->args[1] == g->args[1])
    return formula_until(set, formula_and(set, f->args[0], g->args[0]), f->args[1]);
  if (is_eventually(f) && is_eventually(g) && f->args[1]->universal && g->args[1]->universal)
    return formula_eventually(set, formula_and(set, f->args[1], g->args[1]));
  return NULL;
}

static const struct formula *conjunction(struct formulas *set, struct args *args) {
  if (args->n == 1)
    return args->items[0];
  sort(args->items, args->n);
  return make(set, FORMULA_AND, 0, args->items, (uint32_t)args->n);
}

/* Adds f to conjuncts of which no two can be merged. */
static void conjoin(struct formulas *set, struct args *args, const struct formula *f) {
  if (f->op == FORMULA_AND) {
    for (uint32_t i = 0; i < f->count; i++)
      conjoin(set, args, f->args[i]);
    return;
  }
  for (size_t i = 0; i < args->n; i++) {
    const struct formula *both = merged(set, args->items[i], f);
    if (both == args->items[i])
      return;
    if (both) {
      args->items[i] = args->items[--args->n];
      conjoin(set, args, both);
      return;
    }
  }
  add_arg(set, args, f);
}

const struct formula *formula_and(struct formulas *set, const struct formula *f, const struct formula *g) {
  struct args args = {NULL, 0, 0};
  conjoin(set, &args, f);
  conjoin(set, &args, g);
  return conjunction(set, &args);
}

static void add_conjuncts(struct formulas *set, struct args *args, const struct formula *f) {
  const struct formula *const *conjuncts = f->op == FORMULA_AND ? f->args : &f;
  const uint32_t count = f->op == FORMULA_AND ? f->count : 1;
  for (uint32_t i = 0; i < count; i++) {
    bool known = false;
    for (size_t k = 0; k < args->n && !known; k++)
      known = args->items[k] == conjuncts[i];
    if (!known)
      add_arg(set, args, conjuncts[i]);
  }
}

const struct formula *formula_conjunction(struct formulas *set, const struct formula *f, const struct formula *g) {
  if (f->op == FORMULA_TRUE || g->op == FORMULA_FALSE)
    return g;
  if (g->op == FORMULA_TRUE || f->op == FORMULA_FALSE)
    return f;
  struct args args = {NULL, 0, 0};
  add_conjuncts(set, &args, f);
  add_conjuncts(set, &args, g);
  return conjunction(set, &args);
}

const struct formula *formula_or(struct formulas *set, const struct formula *f, const struct formula *g) {
  return formula_not(set, formula_and(set, formula_not(set, f), formula_not(set, g)));
}

/* ---- temporal operators --------------------------------------------------------------------------- */

const struct formula *formula_next(struct formulas *set, const struct formula *f) {
  if (f->eventual && f->universal) /* constants, too */
    return f;
  return make(set, FORMULA_NEXT, 0, &f, 1);
}

/* Divides the arguments of f, an AND or OR, into those that `apart` selects and the rest; each result is the
   conjunction or disjunction of its part. */
static void divide(struct formulas *set, const struct formula *f, bool (*apart)(const struct formula *),
                   const struct formula **selected, const struct formula **rest) {
  const bool conjunction = f->op == FORMULA_AND;
  *selected = *rest = set->constants[conjunction];
  for (uint32_t i = 0; i < f->count; i++) {
    const struct formula **part = apart(f->args[i]) ? selected : rest;
    *part = conjunction ? formula_and(set, *part, f->args[i]) : formula_or(set, *part, f->args[i]);
  }
}

static bool is_suspendable(const struct formula *f) { return f->eventual && f->universal; }

static const struct formula *eventually(struct formulas *set, const struct formula *f) {
  const struct formula *apart, *rest;
  if (f->op == FORMULA_NEXT)
    return formula_next(set, formula_eventually(set, f->args[0]));
  if (f->op == FORMULA_UNTIL)
    return formula_eventually(set, f->args[1]);
  if (f->op == FORMULA_OR) {
    divide(set, f, is_eventual, &apart, &rest);
    if (apart->op != FORMULA_FALSE)
      return formula_or(set, formula_eventually(set, rest), apart);
  }
  if (f->op == FORMULA_AND) {
    divide(set, f, is_suspendable, &apart, &rest);
    if (apart->op != FORMULA_TRUE)
      return formula_and(set, formula_eventually(set, rest), apart);
  }
  return make2(set, FORMULA_UNTIL, set->constants[true], f);
}

const struct formula *formula_eventually(struct formulas *set, const struct formula *f) {
  return f->eventual ? f : eventually(set, f);
}

const struct formula *formula_until(struct formulas *set, const struct formula *f, const struct formula *g) {
  if (g->eventual || formula_entails(set, f, g))
    return g;
  if (f->op == FORMULA_TRUE || formula_entails(set, formula_not(set, f), g))
    return formula_eventually(set, g);
  if (g->op == FORMULA_UNTIL && formula_entails(set, f, g->args[0]))
    return g;
  if (f->op == FORMULA_NEXT && g->op == FORMULA_NEXT)
    return formula_next(set, formula_until(set, f->args[0], g->args[0]));
  return make2(set, FORMULA_UNTIL, f, g);
}

const struct formula *formula_release(struct formulas *set, const struct formula *f, const struct formula *g) {
  return formula_not(set, formula_until(set, formula_not(set, f), formula_not(set, g)));
}

const struct formula *formula_weak_until(struct formulas *set, const struct formula *f, const struct formula *g) {
  return formula_release(set, g, formula_or(set, f, g));
}

const struct formula *formula_always(struct formulas *set, const struct formula *f) {
  return formula_release(set, set->constants[false], f);
}

const struct formula *formula_copy(struct formulas *to, const struct formula *f) {
  const struct formula **args = arena_array(to->arena, f->count, sizeof *args);
  for (uint32_t i = 0; i < f->count; i++)
    args[i] = formula_copy(to, f->args[i]);
  if (f->op == FORMULA_AND || f->op == FORMULA_OR)
    sort(args, f->count);
  return make(to, f->op, f->atom, args, f->count);
}

/* ---- text ----------------------------------------------------------------------------------------- */

static char *prefixed(const char *operator, const struct formula * f, const char *const *names, struct arena *arena) {
  return arena_printf(arena, "%s(%s)", operator, formula_text(f, names, arena));
}

static char *joined(const struct formula *f, const char *operator, const char * const * names, struct arena *arena) {
  char *text = arena_printf(arena, "(%s", formula_text(f->args[0], names, arena));
  for (uint32_t i = 1; i < f->count; i++)
    text = arena_printf(arena, "%s %s %s", text, operator, formula_text(f->args[i], names, arena));
  return arena_printf(arena, "%s)", text);
}

char *formula_text(const struct formula *f, const char *const *names, struct arena *arena) {
  switch (f->op) {
  case FORMULA_FALSE:
  case FORMULA_TRUE:
    return arena_printf(arena, "%s", f->op == FORMULA_TRUE ? "true" : "false");
  case FORMULA_ATOM:
  case FORMULA_NOT_ATOM:
    return names ? arena_printf(arena, "%s%s", f->op == FORMULA_ATOM ? "" : "!", names[f->atom])
                 : arena_printf(arena, "%sp%u", f->op == FORMULA_ATOM ? "" : "!", f->atom);
  case FORMULA_NEXT:
    return prefixed("X", f->args[0], names, arena);
  case FORMULA_UNTIL:
    return is_eventually(f) ? prefixed("F", f->args[1], names, arena) : joined(f, "U", names, arena);
  case FORMULA_RELEASE:
    return f->args[0]->op == FORMULA_FALSE ? prefixed("G", f->args[1], names, arena) : joined(f, "R", names, arena);
  default:
    return joined(f, f->op == FORMULA_AND ? "&" : "|", names, arena);
  }
}
