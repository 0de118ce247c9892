/* Random models: the interpreter on the lowered model finds exactly the successors of the reference semantics
   (reference_semantics.c), and the checker's intervals and texts are correct. */
#include "checked.h"
#include "reference_semantics.h"

#include "core/mem.h"
#include "step/stepper.h"
#include "tests/suite.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STATES 150
#define MODELS 1200

/* ---- random text --------------------------------------------------------------------- */

struct writer {
  char text[1 << 14];
  size_t n;
  uint64_t random;
};

static unsigned any(struct writer *w, unsigned n) { /* xorshift64* */
  w->random ^= w->random >> 12;
  w->random ^= w->random << 25;
  w->random ^= w->random >> 27;
  return (unsigned)((w->random * 2685821657736338717u >> 33) % n);
}

static void put(struct writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  w->n += (size_t)vsnprintf(w->text + w->n, sizeof w->text - w->n, format, args);
  va_end(args);
  ck_assert_uint_lt(w->n, sizeof w->text);
}

/* Context of the text: names in scope. */
struct place {
  bool process; /* x, i (a select), self, me (local), k (parameter) */
  bool select;
  bool errors;     /* expressions may fail */
  bool otherwise;  /* its process has a guard="else": no edges that depend on other instances */
  unsigned fields; /* fields of the message bound to u and v: bits */
  unsigned depth;
  unsigned loop; /* depth of loops: their names are f0, f1, ... */
};

static void put_number(struct writer *w, struct place at) {
  static const char *const global[] = {"0",           "1",    "2",       "N",       "x",
                                       "a[x % 2]",    "b",    "t[x]",    "a[0]",    "len(q)",
                                       "P[x % 2].me", "R.me", "P[1].l0", "Q[0].l1", "full(qq[b])"};
  static const char *const local[] = {"self", "me", "k", "a[self]", "me"};
  static const char *const failing[] = {"a[x]",    "t[x - b]",      "7 / x",     "x % (a[0] - 1)",
                                        "P[x].me", "3 shl (x - b)", "-7 shr -x", "x / (N - 2)"};
  static const char *const defined[] = {"few",          "less(x, b)", "less(less(b, x), a[0])", "any(x, N)",
                                        "any(a[1], 1)", "own(x)",     "own(own(self))"};
  if (at.errors && any(w, 5) == 0)
    put(w, "(%s)", failing[any(w, 8)]);
  else if (at.fields && any(w, 2) == 0)
    put(w, "%s", at.fields == 3 ? (any(w, 2) ? "u" : "v") : at.fields == 1 ? "u" : "v");
  else if (at.select && any(w, 4) == 0)
    put(w, "i");
  else if (at.loop && any(w, 3) == 0)
    put(w, "f%u", any(w, at.loop));
  else if (any(w, 6) == 0)
    put(w, "%s", defined[any(w, at.process ? 7 : 5)]);
  else if (at.process && any(w, 3) == 0)
    put(w, "%s", local[any(w, 5)]);
  else
    put(w, "%s", global[any(w, 15)]);
}

static void put_expression(struct writer *w, struct place at) {
  static const char *const binary[] = {"+",   "-",  "*",   "eq", "ne",      "lt",     "le",    "gt", "ge",
                                       "and", "or", "and", "or", "implies", "bitand", "bitor", "^"};
  static const char *const quantifiers[] = {"all", "exists", "count", "sum", "min", "max"};
  if (at.depth == 0 || any(w, 4) == 0) {
    put_number(w, at);
    return;
  }
  at.depth--;
  switch (any(w, 8)) {
  case 0:
    put(w, any(w, 3) ? "not (" : "~(");
    break;
  case 1:
    put(w, "%s(z%u in 0..%u : z%u + ", quantifiers[any(w, 6)], at.depth, any(w, 3), at.depth);
    break;
  case 2:
    put(w, "max(");
    put_expression(w, at);
    put(w, ", ");
    break;
  case 3:
    put(w, "(");
    put_expression(w, at);
    put(w, " ? ");
    put_expression(w, at);
    put(w, " : ");
    break;
  default:
    put(w, "(");
    put_expression(w, at);
    put(w, " %s ", binary[any(w, 17)]);
  }
  put_expression(w, at);
  put(w, ")");
}

static void put_assignment(struct writer *w, struct place at) {
  static const char *const targets[] = {"x", "a[x % 2]", "b", "me", "a[self]", "x"};
  bool modest = any(w, 5) != 0;
  if (at.loop && any(w, 3) == 0)
    put(w, modest ? "a[f%u %% 2] = (" : "a[f%u %% 2] = ", any(w, at.loop));
  else
    put(w, modest ? "%s = (" : "%s = ", targets[any(w, 6)]);
  put_expression(w, at);
  put(w, modest ? ") %% 2 == 0" : "");
}

static void put_statements(struct writer *w, struct place at, unsigned blocks);

static void put_body(struct writer *w, struct place at, unsigned blocks) {
  put(w, "{");
  put_statements(w, at, blocks);
  put(w, "}");
}

static void put_statement(struct writer *w, struct place at, unsigned blocks) {
  static const char *const ranges[] = {"0..1", "1..N", "P", "2..1", "-1..0"};
  switch (blocks ? any(w, 5) : 4) {
  case 0:
    put(w, "for f%u in %s: ", at.loop++, ranges[any(w, 5)]);
    put_body(w, at, blocks - 1);
    break;
  case 1:
  case 2:
    put(w, "if (");
    put_expression(w, at);
    put(w, ") ");
    put_body(w, at, blocks - 1);
    if (any(w, 2)) {
      put(w, " else ");
      put_statement(w, at, blocks - 1);
    }
    break;
  default:
    put_assignment(w, at);
  }
}

static void put_statements(struct writer *w, struct place at, unsigned blocks) {
  for (unsigned i = 0, n = any(w, 3); i < n; i++) {
    put_statement(w, at, blocks);
    put(w, "; ");
  }
}

static void put_effects(struct writer *w, struct place at) {
  put(w, " effect='");
  put_statements(w, at, 2);
  put(w, "assert(x != 3 or b)'");
}

/* Writes argument 0 or 1 of a receive: possibly a name to bind, or an expression that reads the field to its left. */
static void put_argument(struct writer *w, struct place *at, unsigned number) {
  static const char *const arguments[] = {"x", "a[x % 2]", "b", "_", "== 1", "== x", "me", "== self"};
  static const char *const after_field[] = {"a[u % 2]", "== u", "== u % 2", "== (u gt 0)"};
  if (any(w, 2) == 0) {
    put(w, "%s", number ? "v" : "u");
    at->fields |= 1u << number;
  } else if ((at->fields & 1) && any(w, 3)) {
    put(w, "%s", after_field[any(w, 4)]);
  } else {
    put(w, "%s", arguments[any(w, 8)]);
  }
}

static void put_receive(struct writer *w, struct place *at, const char *channel) {
  put(w, " receive='%s(", channel);
  put_argument(w, at, 0);
  if (strcmp(channel, "q") == 0) {
    put(w, ", ");
    put_argument(w, at, 1);
  }
  put(w, ")'");
}

/* Channels: h (handshake, one field), g[2] (handshake), q and qq[2] (buffers), s (broadcast, one field), r (broadcast).
   Numbers below 8 do not depend on other instances. */
static void put_sync(struct writer *w, struct place *at) {
  switch (any(w, at->otherwise ? 9 : 17)) {
  case 0:
    put(w, " send='q(%s, b)'", any(w, 2) ? "x" : "1");
    break;
  case 1:
  case 2:
    put_receive(w, at, "q");
    break;
  case 3:
    put(w, " send='qq[%s](x)'", any(w, 2) ? "b" : "self");
    break;
  case 4:
    put_receive(w, at, any(w, 2) ? "qq[a[0] % 2]" : "qq[1]");
    break;
  case 5:
  case 6:
    put(w, " send='s(%s)'", any(w, 2) ? "x" : "b");
    break;
  case 7:
    put(w, " send='r'");
    break;
  case 9:
  case 10:
    put(w, " send='h(%s)'", any(w, 2) ? "x" : at->select ? "i" : "self");
    break;
  case 11:
    put_receive(w, at, "h");
    break;
  case 12:
    put(w, " %s='g[%s]'", any(w, 2) ? "send" : "receive", any(w, 2) ? "b" : "self");
    break;
  case 13:
    put_receive(w, at, "s");
    break;
  case 14:
    put_receive(w, at, "s");
    break;
  case 15:
    put(w, " receive='r'");
    break;
  }
}

static void put_transition(struct writer *w, unsigned locations, bool otherwise) {
  static const char *const from[] = {"*", "l0 l1", "l0", "l1"};
  struct place at = {.process = true, .depth = 2, .otherwise = otherwise};
  put(w, "<transition from='%s'", from[any(w, 4)]);
  if (any(w, 4))
    put(w, " to='l%u'", any(w, locations));
  if ((at.select = any(w, 4) == 0))
    put(w, " select='i in %s'", any(w, 2) ? "0..2" : "P");
  if (otherwise && any(w, 3) == 0) {
    put(w, " guard='else'");
    put_effects(w, at);
    put(w, "/>");
    return;
  }
  if (any(w, 3))
    put_sync(w, &at);
  if (any(w, 2) || otherwise) {
    put(w, " guard='");
    put_expression(w, at);
    put(w, "'");
  }
  put_effects(w, at);
  put(w, "/>");
}

static void put_process(struct writer *w, const char *name, const char *instances) {
  unsigned locations = 2 + any(w, 2), transitions = 1 + any(w, 4);
  bool otherwise = any(w, 4) == 0;
  put(w, "<process name='%s' %s><parameter name='k' value='self + 1'/>", name, instances);
  put(w, "<variable name='me' range='0..3' init='self'/>");
  put(w, "<define name='own' parameters='v'>me + v - (less(k, v) ? few : 0)</define>");
  for (unsigned i = 0; i < locations; i++)
    put(w, "<location name='l%u'%s%s/>", i, i == 0 ? " initial='true'" : "", any(w, 6) == 0 ? " committed='true'" : "");
  for (unsigned i = 0; i < transitions; i++)
    put_transition(w, locations, otherwise);
  put(w, "</process>");
}

static void put_model(struct writer *w, uint64_t seed) {
  w->n = 0;
  w->random = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
  put(w, "<model name='random'><constant name='N' value='2'/>"
         "<variable name='x' range='0..3'/><variable name='b' type='bool'/>"
         "<variable name='a' range='0..3' size='2' init='index'/>"
         "<variable name='t' range='0..9' size='4' init='1, 0, 3, 2'/>"
         "<define name='few'>x lt N</define><define name='less' parameters='y, n'>y lt n + few</define>"
         "<define name='any' parameters='n, i'>exists(z in 0..1: a[z] == n and (b or i == x))</define>"
         "<channel name='h' message='0..2'/><channel name='g' size='2'/>"
         "<channel name='q' capacity='2' message='0..3, bool'/>"
         "<channel name='qq' size='2' capacity='1' message='1..3'/>"
         "<channel name='s' broadcast='true' message='0..3'/><channel name='r' broadcast='true'/>");
  put_process(w, "P", "instances='N'");
  put_process(w, "Q", any(w, 2) ? "instances='1'" : "instances='2'");
  put_process(w, "R", "");
  for (unsigned i = 0; i < 6; i++) {
    put(w, "<property id='p%u' kind='invariant'>", i);
    put_expression(w, (struct place){.errors = i % 2, .depth = 3});
    put(w, "</property>");
  }
  put(w, "</model>");
}

/* ---- comparison ---------------------------------------------------------------------- */

static size_t width; /* values in an item of qsort */
static int compare(const void *a, const void *b) { return memcmp(a, b, width * sizeof(int64_t)); }

static void sort(struct reference_step *step) {
  if (step->count)
    qsort(step->successors, step->count, width * sizeof(int64_t), compare);
}

static uint32_t choices(const struct transition *t) {
  uint64_t n = 1;
  for (size_t i = 0; i < t->select_count; i++)
    n *= (uint64_t)(t->selects[i].hi - t->selects[i].lo + 1);
  ck_assert_uint_lt(n, 1u << 20);
  return (uint32_t)n;
}

static bool guard_can_fail(const struct model *model) {
  for (size_t i = 0; i < model->transition_count; i++)
    for (size_t k = 0; k < model->transitions[i].guard_count; k++)
      if (model->transitions[i].guards[k]->can_fail)
        return true;
  return false;
}

/* All firings in the state `values`, by the interpreter. */
static void ground_expand(const struct model *model, const int64_t *values, struct reference_step *out) {
  int64_t after[1024];
  const size_t bytes = width * sizeof *after;
  ck_assert_uint_le(width, 1024);
  out->width = width;
  for (uint32_t t = 0; t < model->transition_count; t++)
    for (uint32_t choice = 0, n = choices(&model->transitions[t]); choice < n; choice++) {
      uint32_t site;
      memcpy(after, values, bytes);
      if (!interpreter_fire(model, t, choice, after, NULL, &site))
        continue;
      if (site != NO_SITE) {
        out->failures++;
        continue;
      }
      out->successors = realloc(out->successors, (out->count + 1) * bytes);
      memcpy(out->successors + out->count++ * width, after, bytes);
    }
}

static void compare_steps(const struct checked *m, const int64_t *state, struct reference_step *naive) {
  struct reference_step ground = {0};
  reference_expand(m->syntax, m->model, state, naive);
  ground_expand(m->model, state, &ground);
  sort(naive);
  sort(&ground);
  bool same =
      naive->count == ground.count && naive->failures == ground.failures &&
      (!naive->count || memcmp(naive->successors, ground.successors, naive->count * width * sizeof(int64_t)) == 0);
  ck_assert_msg(same, "naive: %zu successors, %zu failures; ground: %zu, %zu; model:\n%s", naive->count,
                naive->failures, ground.count, ground.failures, m->source.text);
  free(ground.successors);
}

/* Every operand lies in its interval. */
static void check_intervals(const struct checked *m, const struct expr *e, const int64_t *state) {
  int64_t value;
  if (!e)
    return;
  if (interpreter_eval(m->model, e, state, NULL, NULL, &value) == NO_SITE)
    ck_assert_msg(e->lo <= value && value <= e->hi, "%d outside %d..%d; model:\n%s", (int)value, (int)e->lo, (int)e->hi,
                  m->source.text);
  else
    ck_assert(e->can_fail);
  check_intervals(m, e->a, state);
  check_intervals(m, e->b, state);
  check_intervals(m, e->c, state);
}

static void compare_properties(struct checked *m, const int64_t *state) {
  for (size_t i = 0; i < m->syntax->property_count; i++) {
    const struct expr *e = m->model->properties[i].expr;
    int64_t naive = 0, ground = 0;
    bool holds = reference_eval(m->syntax, m->model, state, m->syntax->properties[i].expr, &naive);
    uint32_t site = interpreter_eval(m->model, e, state, NULL, NULL, &ground);
    ck_assert_msg(holds == (site == NO_SITE) && (!holds || (naive != 0) == (ground != 0)),
                  "property %zu: %d, %d; model:\n%s", i, (int)naive, (int)ground, m->source.text);
    check_intervals(m, e, state);
  }
}

/* Explores breadth-first, up to MAX_STATES states. Returns the number of firings compared. */
static size_t explore(struct checked *m) {
  int64_t *states = calloc(MAX_STATES + 1, width * sizeof *states);
  size_t n = 1, firings = 0;
  for (size_t v = 0; v < m->model->variable_count; v++)
    memcpy(states + m->model->variables[v].first, m->model->variables[v].init,
           m->model->variables[v].count * sizeof *states);
  for (size_t i = 0; i < n; i++) {
    struct reference_step step = {0};
    compare_properties(m, states + i * width);
    compare_steps(m, states + i * width, &step);
    firings += step.count + step.failures;
    for (size_t k = 0; k < step.count && n < MAX_STATES; k++) {
      bool seen = false;
      for (size_t j = 0; j < n && !seen; j++)
        seen = compare(states + j * width, step.successors + k * width) == 0;
      if (!seen)
        memcpy(states + n++ * width, step.successors + k * width, width * sizeof *states);
    }
    free(step.successors);
  }
  free(states);
  return firings;
}

START_TEST(test_random_models) {
  static struct writer w;
  size_t right = 0, firings = 0, large = 0;
  for (uint64_t seed = 1; seed <= MODELS; seed++) {
    struct checked m;
    put_model(&w, seed);
    checked_open(&m, w.text, "");
    ck_assert_msg(m.status == FLOE_OK || floe_log_count(m.log), "%s", w.text);
    if (m.status != FLOE_OK && getenv("SHOW"))
      printf("%s\n%s\n", floe_log_at(m.log, 0)->message, w.text);
    if (m.status == FLOE_OK && !guard_can_fail(m.model)) {
      width = m.model->value_count;
      size_t more = explore(&m);
      right++;
      firings += more;
      large += more > 100;
    }
    checked_close(&m);
  }
  printf("%zu models of %d, %zu with more than 100 firings, %zu firings\n", right, MODELS, large, firings);
  ck_assert_uint_gt(right, MODELS / 2);
  ck_assert_uint_gt(firings, 20000);
}
END_TEST

/* Any failing allocation is reported, and no memory leaks. */
START_TEST(test_out_of_memory) {
  static struct writer w;
  size_t failures = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    struct checked m;
    struct arena arena;
    const struct model *model = NULL;
    put_model(&w, seed);
    checked_open(&m, w.text, "");
    arena_init(&arena);
    mem_fail_after(1 + (long)(seed % 6));
    floe_status status = model_check(m.syntax, NULL, 0, &arena, m.log, &model);
    mem_fail_after(0);
    ck_assert(status == m.status || status == FLOE_ERROR_MEMORY);
    failures += status == FLOE_ERROR_MEMORY;
    arena_free(&arena);
    checked_close(&m);
  }
  ck_assert_uint_gt(failures, 40);
}
END_TEST

START_TEST(test_nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  return run_tests("check_random", CK_NOFORK, test_random_models, test_out_of_memory, test_nothing_leaks);
}
