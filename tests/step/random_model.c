#include "random_model.h"

#include "base/splitmix64.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 64

/* A name that an expression can read. */
struct name {
  char text[24];
  int lo, hi;
  int size;      /* elements; 0: not an array */
  bool constant; /* constant when the model is checked */
  bool assignable;
};

struct channel {
  char name[16];
  int size, capacity, fields;
  bool broadcast;
  int hi[2]; /* fields have ranges 0..hi */
};

struct process {
  char name[16];
  int instances, locations;
  char local[8]; /* a scalar 0..local_hi, or "" */
  int local_hi;
};

struct gen {
  uint64_t state;
  uint64_t bits; /* a separate random stream: its decisions do not change the others */
  enum random_size size;
  FILE *out;
  struct name names[MAX_NAMES]; /* in scope; locals and bound names at the end */
  int name_count, bound;        /* names bound so far, for fresh ones */
  struct channel channels[3];
  int channel_count;
  struct process processes[3];
  int process_count;
};

static int below(struct gen *g, int n) { return (int)(splitmix64_next(&g->state) % (uint64_t)n); }
static bool chance(struct gen *g, int percent) { return below(g, 100) < percent; }
static int between(struct gen *g, int lo, int hi) { return lo + below(g, hi - lo + 1); }

/* Without errors, and nearly always something is enabled: many states. */
static bool is_lively(const struct gen *g) { return g->size == RANDOM_LIVELY || g->size == RANDOM_BROAD; }

static void put(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct gen *g, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(g->out, format, args);
  va_end(args);
}

static struct name *add_name(struct gen *g, struct name new, const char *format, int number) {
  struct name *name = &g->names[g->name_count++];
  *name = new;
  snprintf(name->text, sizeof name->text, format, number);
  return name;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void number(struct gen *g, int depth);
static void truth(struct gen *g, int depth);

static const struct name *pick(struct gen *g, bool (*accepts)(const struct name *)) {
  int first = g->name_count ? below(g, g->name_count) : 0;
  for (int i = 0; i < g->name_count; i++) {
    const struct name *name = &g->names[(first + i) % g->name_count];
    if (accepts(name))
      return name;
  }
  return NULL;
}

static bool is_scalar(const struct name *name) { return !name->size; }
static bool is_array(const struct name *name) { return name->size > 0; }
static bool is_changing(const struct name *name) { return !name->size && name->assignable; }
static bool is_target(const struct name *name) { return name->assignable; }

/* Writes an index into `size` elements: in bounds, or a variable expression that may be out of bounds. */
static void index_of(struct gen *g, int size, int depth) {
  const struct name *changing = pick(g, is_changing);
  const struct name *scalar = pick(g, is_scalar);
  if (changing && is_lively(g) && chance(g, 45))
    put(g, "(%s %% %d + %d) %% %d", changing->text, size, size, size);
  else if (changing && !is_lively(g) && chance(g, 45)) {
    if (chance(g, 50) || depth == 0)
      put(g, "%s", changing->text);
    else
      put(g, "%s + %d", changing->text, between(g, -1, 1));
  } else if (scalar && scalar->lo >= 0 && scalar->hi < size)
    put(g, "%s", scalar->text);
  else
    put(g, "%d", below(g, size));
}

static void element(struct gen *g, const struct name *array, int depth) {
  put(g, "%s[", array->text);
  index_of(g, array->size, depth);
  put(g, "]");
}

static void atom(struct gen *g) {
  bool (*kinds[])(const struct name *) = {is_scalar, is_array, is_changing, is_changing};
  const struct name *name = pick(g, kinds[below(g, 4)]);
  if (!name || chance(g, 15))
    put(g, "%d", below(g, 4));
  else if (is_array(name))
    element(g, name, 0);
  else
    put(g, "%s", name->text);
}

/* Divisors are variable or literals, which may be 0 if errors are allowed. */
static void divisor(struct gen *g) {
  const struct name *changing = pick(g, is_changing);
  if (changing && !is_lively(g) && chance(g, 50))
    put(g, "%s", changing->text);
  else if (!is_lively(g) && splitmix64_next(&g->bits) % 12 == 0)
    put(g, splitmix64_next(&g->bits) % 2 ? "0" : "(K - 2)");
  else
    put(g, chance(g, 20) ? "(-%d)" : "%d", between(g, 1, 4));
}

/* Binds a name over a range or the instances of a process and calls `body` with it in scope. */
static void quantified(struct gen *g, const char *operator, void (*body)(struct gen *, int), int depth) {
  int before = g->name_count, fresh = g->bound++;
  put(g, "%s(q%d in ", operator, fresh);
  if (g->process_count && chance(g, 40)) {
    const struct process *process = &g->processes[below(g, g->process_count)];
    put(g, "%s : ", process->name);
    add_name(g, (struct name){.lo = 0, .hi = process->instances - 1, .constant = true}, "q%d", fresh);
  } else {
    int lo = between(g, 0, 1), hi = lo + below(g, 3);
    put(g, "%d..%d : ", lo, hi);
    add_name(g, (struct name){.lo = lo, .hi = hi, .constant = true}, "q%d", fresh);
  }
  body(g, depth - 1);
  put(g, ")");
  g->name_count = before;
}

static void of_process(struct gen *g, bool location) {
  const struct process *process = &g->processes[below(g, g->process_count)];
  put(g, "%s[", process->name);
  index_of(g, process->instances, 0);
  if (location || !*process->local)
    put(g, "].s%d", below(g, process->locations));
  else
    put(g, "].%s", process->local);
}

static const struct channel *buffer(struct gen *g) {
  for (int i = 0; i < g->channel_count; i++)
    if (g->channels[i].capacity)
      return &g->channels[i];
  return NULL;
}

static void of_buffer(struct gen *g, const char *function, const struct channel *channel) {
  put(g, "%s(%s", function, channel->name);
  if (channel->size) {
    put(g, "[");
    index_of(g, channel->size, 0);
    put(g, "]");
  }
  put(g, ")");
}

static void infix(struct gen *g, const char *operator, void (*side)(struct gen *, int), int depth) {
  put(g, "(");
  side(g, depth - 1);
  put(g, " %s ", operator);
  side(g, depth - 1);
  put(g, ")");
}

/* Writes (a shl b) with shifts of 0..3 if a may be large. If errors are allowed, right shifts may be by anything. */
static void shift(struct gen *g, int depth) {
  const struct name *by = pick(g, is_changing);
  bool right = splitmix64_next(&g->bits) % 2, any = right && !is_lively(g) && splitmix64_next(&g->bits) % 2;
  put(g, "(");
  number(g, depth - 1);
  put(g, right ? " shr " : " shl ");
  if (by && any)
    put(g, "%s)", by->text);
  else if (by)
    put(g, "(%s bitand 3))", by->text);
  else
    put(g, "%d)", (int)(splitmix64_next(&g->bits) % 4));
}

static void arithmetic(struct gen *g, int depth) {
  static const char *const operators[] = {"+", "-", "*"}, *const bitwise[] = {"bitand", "bitor", "bitxor", "^"};
  const char *operator= operators[below(g, 3)];
  switch (splitmix64_next(&g->bits) % 8) {
  case 0:
  case 1:
    infix(g, bitwise[splitmix64_next(&g->bits) % 4], number, depth);
    break;
  case 2:
    shift(g, depth);
    break;
  case 3:
    put(g, "~");
    infix(g, operator, number, depth);
    break;
  default:
    infix(g, operator, number, depth);
  }
}

static void number(struct gen *g, int depth) {
  static const char *const over[] = {"sum", "count", "min", "max"};
  int what = depth <= 0 ? below(g, 2) : below(g, 14);
  if (what < 3)
    atom(g);
  else if (what < 6)
    arithmetic(g, depth);
  else if (what < 8) {
    put(g, "(");
    number(g, depth - 1);
    put(g, chance(g, 50) ? " / " : " %% ");
    divisor(g);
    put(g, ")");
  } else if (what == 8) {
    put(g, chance(g, 50) ? "min(" : "max(");
    number(g, depth - 1);
    put(g, ", ");
    number(g, depth - 1);
    put(g, ")");
  } else if (what == 9) {
    put(g, "(");
    truth(g, depth - 1);
    put(g, " ? ");
    number(g, depth - 1);
    put(g, " : ");
    number(g, depth - 1);
    put(g, ")");
  } else if (what == 10)
    quantified(g, over[below(g, 4)], number, depth);
  else if (what == 11 && g->process_count)
    of_process(g, false);
  else if (what == 12 && buffer(g))
    of_buffer(g, "len", buffer(g));
  else {
    put(g, "-");
    atom(g);
  }
}

static void truth(struct gen *g, int depth) {
  static const char *const compare[] = {"lt", "le", "gt", "ge", "==", "!=", "eq", "ne"};
  static const char *const join[] = {"and", "or", "implies"};
  int what = depth <= 0 ? below(g, 3) : below(g, 12);
  if (what < 5)
    infix(g, compare[below(g, 8)], number, depth);
  else if (what < 8)
    infix(g, join[below(g, 3)], truth, depth);
  else if (what == 8) {
    put(g, "not ");
    infix(g, compare[below(g, 8)], number, depth);
  } else if (what == 9)
    quantified(g, chance(g, 50) ? "all" : "exists", truth, depth);
  else if (what == 10 && g->process_count)
    of_process(g, true);
  else if (what == 11 && buffer(g))
    of_buffer(g, chance(g, 50) ? "empty" : "full", buffer(g));
  else
    atom(g);
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* Values assigned by effects stay in lo..hi; the range is larger. */
static int room_beyond(struct gen *g, bool first) { return first || chance(g, 40) ? (1 << between(g, 4, 16)) : 0; }

static void global(struct gen *g, int number_of) {
  int lo = chance(g, 25) ? -between(g, 1, 2) : 0, hi = lo + between(g, 1, 3);
  int size = chance(g, 40) ? between(g, 2, g->size == RANDOM_WIDE ? 9 : 3) : 0;
  bool is_bool = chance(g, 25);
  int room = 0;
  if (g->size == RANDOM_BROAD) {
    room = room_beyond(g, number_of == 0);
    size = number_of == 0 ? between(g, 13, 40) : chance(g, 50) ? between(g, 2, 20) : 0;
    is_bool = is_bool && room == 0;
  }
  if (g->size == RANDOM_WIDE && chance(g, 30))
    hi = lo + 1000 * between(g, 1, 3000);
  if (g->size == RANDOM_WIDE && chance(g, 8))
    lo = chance(g, 50) ? -2147483647 - 1 : -7, hi = 2147483647;
  if (is_bool)
    lo = 0, hi = 1;
  put(g, "  <variable name=\"g%d\" ", number_of);
  if (is_bool)
    put(g, "type=\"bool\"");
  else
    put(g, "range=\"%d..%d\"", lo, hi + room);
  if (size)
    put(g, " size=\"%d\"", size);
  if (chance(g, 30) || lo > 0 || hi < 0)
    put(g, " init=\"%d\"", between(g, lo < -9 ? -9 : lo, hi < 9 ? hi : 9));
  put(g, "/>\n");
  add_name(g, (struct name){.lo = lo, .hi = hi, .size = size}, "g%d", number_of)->assignable = true;
}

static void table(struct gen *g) {
  put(g, "  <variable name=\"table\" range=\"-1..5\" size=\"K + 1\" init=\"%d, 0, index\"/>\n", between(g, -1, 5));
  add_name(g, (struct name){.lo = -1, .hi = 5, .size = 3}, "table", 0);
}

static void channel(struct gen *g, int number_of) {
  struct channel *c = &g->channels[g->channel_count++];
  memset(c, 0, sizeof *c);
  snprintf(c->name, sizeof c->name, "c%d", number_of);
  int kind = below(g, 3);
  c->broadcast = kind == 0;
  c->capacity = kind == 1 ? between(g, 1, 2) : 0;
  c->size = chance(g, 30) ? 2 : 0;
  c->fields = below(g, 3);
  put(g, "  <channel name=\"%s\"", c->name);
  if (c->size)
    put(g, " size=\"%d\"", c->size);
  if (c->capacity)
    put(g, " capacity=\"%d\"", c->capacity);
  if (c->broadcast)
    put(g, " broadcast=\"true\"");
  for (int i = 0; i < c->fields; i++) {
    c->hi[i] = between(g, 1, 2);
    put(g, i ? ", 0..%d" : " message=\"0..%d", c->hi[i]);
  }
  put(g, c->fields ? "\"/>\n" : "/>\n");
}

/* ---- transitions ----------------------------------------------------------------------------- */

/* Mostly values that stay in lo..hi. */
static void value_for(struct gen *g, int lo, int hi) {
  if (!is_lively(g) && chance(g, 35)) {
    number(g, 2);
    return;
  }
  long long n = (long long)hi - lo + 1;
  put(g, "%d + ((", lo);
  number(g, 2);
  put(g, ") %% %lld + %lld) %% %lld", n, n, n);
}

static void target(struct gen *g, const struct name *name) {
  if (is_array(name))
    element(g, name, 1);
  else
    put(g, "%s", name->text);
}

static void statement(struct gen *g, int blocks);

static void block(struct gen *g, int blocks) {
  int before = g->name_count, n = below(g, 3);
  put(g, "{ ");
  for (int i = 0; i < n; i++) {
    statement(g, blocks);
    put(g, "; ");
  }
  put(g, "}");
  g->name_count = before;
}

static void branch(struct gen *g, int blocks) {
  put(g, "if (");
  truth(g, 1);
  put(g, ") ");
  block(g, blocks);
  if (chance(g, 50)) {
    put(g, " else ");
    statement(g, blocks);
  }
}

static void loop(struct gen *g, int blocks) {
  int before = g->name_count, fresh = g->bound++, lo = between(g, 0, 1), hi = lo + between(g, -1, 2);
  put(g, "for f%d in %d..%d: ", fresh, lo, hi);
  add_name(g, (struct name){.lo = lo, .hi = hi < lo ? lo : hi, .constant = true}, "f%d", fresh);
  block(g, blocks);
  g->name_count = before;
}

static void simple_statement(struct gen *g) {
  const struct name *name = pick(g, is_target);
  if (!name || (!is_lively(g) && chance(g, 8))) {
    put(g, "assert(");
    truth(g, 1);
    put(g, ")");
    return;
  }
  target(g, name);
  int what = is_lively(g) ? 9 : below(g, 10);
  if (what == 0)
    put(g, "++");
  else if (what == 1)
    put(g, "--");
  else if (what == 2) {
    put(g, chance(g, 50) ? " += " : " -= ");
    atom(g);
  } else {
    put(g, " = ");
    value_for(g, name->lo, name->hi);
  }
}

static void statement(struct gen *g, int blocks) {
  if (blocks == 0 || chance(g, 70))
    simple_statement(g);
  else if (chance(g, 65))
    branch(g, blocks - 1);
  else
    loop(g, blocks - 1);
}

/* Variables that no statement assigns would be constants. */
static int assign_all(struct gen *g, int statements) {
  int before = statements;
  for (int i = 0; i < g->name_count; i++) {
    const struct name *name = &g->names[i];
    const char *element = is_array(name) ? "[0]" : "";
    if (name->assignable)
      put(g, "%s%s%s = %s%s", statements++ ? "; " : " effect=\"", name->text, element, name->text, element);
  }
  return statements - before;
}

static void channel_reference(struct gen *g, const struct channel *channel) {
  put(g, "%s", channel->name);
  if (channel->size) {
    put(g, "[");
    index_of(g, channel->size, 1);
    put(g, "]");
  }
}

static void send(struct gen *g, const struct channel *channel) {
  put(g, " send=\"");
  channel_reference(g, channel);
  for (int i = 0; i < channel->fields; i++) {
    put(g, i ? ", " : "(");
    value_for(g, 0, channel->hi[i]);
  }
  put(g, channel->fields ? ")\"" : "\"");
}

static void receive(struct gen *g, const struct channel *channel) {
  put(g, " receive=\"");
  channel_reference(g, channel);
  for (int i = 0; i < channel->fields; i++) {
    const struct name *name = pick(g, is_target);
    put(g, i ? ", " : "(");
    bool fits = name && (!is_lively(g) || (name->lo <= 0 && name->hi >= channel->hi[i]));
    if (fits && chance(g, 50))
      target(g, name);
    else if (chance(g, 60)) {
      put(g, "== ");
      number(g, 1);
    } else
      put(g, "_");
  }
  put(g, channel->fields ? ")\"" : "\"");
}

static void from_and_to(struct gen *g, const struct process *process) {
  int form = below(g, 10);
  if (form == 0)
    put(g, "    <transition from=\"*\"");
  else if (form == 1 && process->locations > 2)
    put(g, "    <transition from=\"s0 s2\"");
  else
    put(g, "    <transition from=\"s%d\"", below(g, process->locations));
  if (chance(g, 80))
    put(g, " to=\"s%d\"", below(g, process->locations));
}

static void transition(struct gen *g, const struct process *process, int number_of) {
  int before = g->name_count;
  from_and_to(g, process);
  if (chance(g, 60))
    put(g, " label=\"t%d\"", number_of);
  if (chance(g, 30)) {
    int lo = between(g, -1, 1), hi = lo + below(g, 3);
    put(g, " select=\"i in %d..%d", lo, hi);
    if (chance(g, 30)) {
      put(g, ", j in %s", process->name);
      add_name(g, (struct name){.lo = 0, .hi = process->instances - 1}, "j", 0);
    }
    put(g, "\"");
    add_name(g, (struct name){.lo = lo, .hi = hi}, "i", 0);
  }
  if (chance(g, is_lively(g) ? 40 : 60)) {
    put(g, " guard=\"");
    truth(g, 2);
    put(g, chance(g, 5) ? " and false\"" : "\""); /* errors of the operands before it remain */
  }
  if (g->channel_count && chance(g, is_lively(g) ? 30 : 60)) {
    const struct channel *channel = &g->channels[below(g, g->channel_count)];
    (chance(g, 50) ? send : receive)(g, channel);
  }
  int statements = below(g, 4);
  for (int i = 0; i < statements; i++) {
    put(g, i ? "; " : " effect=\"");
    statement(g, 2);
  }
  statements += number_of == 0 ? assign_all(g, statements) : 0;
  put(g, statements ? "\"/>\n" : "/>\n");
  g->name_count = before;
}

/* Processes are planned before they are written: expressions can name later ones. */
static void plan_processes(struct gen *g) {
  static const int most_instances[] = {[RANDOM_SMALL] = 2, [RANDOM_WIDE] = 5, [RANDOM_LIVELY] = 3, [RANDOM_BROAD] = 4};
  int n = between(g, 1, g->size == RANDOM_SMALL ? 2 : 3);
  for (int p = 0; p < n; p++) {
    struct process *process = &g->processes[p];
    memset(process, 0, sizeof *process);
    snprintf(process->name, sizeof process->name, "P%d", p);
    process->instances = between(g, 1, most_instances[g->size]);
    process->locations = between(g, 1, 3);
    if (chance(g, 70)) {
      strcpy(process->local, "x");
      process->local_hi = between(g, 1, 2);
    }
  }
  g->process_count = n;
}

static void process(struct gen *g, const struct process *process) {
  int before = g->name_count;
  put(g, "  <process name=\"%s\" instances=\"%d\">\n", process->name, process->instances);
  put(g, "    <parameter name=\"a\" value=\"self * 2 - K\"/>\n");
  add_name(g, (struct name){.lo = -2, .hi = 2 * process->instances, .constant = true}, "a", 0);
  add_name(g, (struct name){.lo = 0, .hi = process->instances - 1, .constant = true}, "self", 0);
  if (*process->local) {
    put(g, "    <variable name=\"x\" range=\"0..%d\" init=\"self %% %d\"/>\n", process->local_hi,
        process->local_hi + 1);
    add_name(g, (struct name){.lo = 0, .hi = process->local_hi}, "x", 0)->assignable = true;
  }
  if (chance(g, 30)) {
    put(g, "    <variable name=\"y\" type=\"bool\" size=\"2\"/>\n");
    add_name(g, (struct name){.lo = 0, .hi = 1, .size = 2}, "y", 0)->assignable = true;
  }
  int committed = chance(g, 25) ? between(g, 1, 3) : 99;
  for (int l = 0; l < process->locations; l++)
    put(g, "    <location name=\"s%d\"%s%s/>\n", l, l ? "" : " initial=\"true\"",
        l == committed ? " committed=\"true\"" : "");
  int transitions = between(g, 2, 6);
  for (int t = 0; t < transitions; t++)
    transition(g, process, t);
  put(g, "  </process>\n");
  g->name_count = before;
}

static void properties(struct gen *g) {
  static const char *const kinds[] = {"invariant", "never", "reachable"};
  int n = between(g, 1, 3);
  for (int i = 0; i < n; i++) {
    put(g, "  <property id=\"p%d\" kind=\"%s\">", i, kinds[below(g, 3)]);
    truth(g, 3);
    put(g, "</property>\n");
  }
  if (chance(g, 20))
    put(g, "  <deadlock check=\"false\"/>\n");
  else if (chance(g, 40)) {
    put(g, "  <deadlock unless=\"");
    truth(g, 2);
    put(g, "\"/>\n");
  }
}

void random_model(uint64_t seed, enum random_size size, FILE *out) {
  struct gen g = {.state = seed * 2 + (uint64_t)size, .bits = ~seed, .size = size, .out = out};
  put(&g, "<model name=\"random%llu\">\n", (unsigned long long)seed);
  put(&g, "  <constant name=\"K\" value=\"2\"/>\n");
  add_name(&g, (struct name){.lo = 2, .hi = 2, .constant = true}, "K", 0);
  int globals = between(&g, 1, size == RANDOM_WIDE ? 8 : size == RANDOM_BROAD ? 5 : 3);
  for (int i = 0; i < globals; i++)
    global(&g, i);
  if (chance(&g, 40))
    table(&g);
  int channels = below(&g, 3);
  for (int i = 0; i < channels; i++)
    channel(&g, i);
  plan_processes(&g);
  for (int p = 0; p < g.process_count; p++)
    process(&g, &g.processes[p]);
  properties(&g);
  put(&g, "</model>\n");
}
