#include "model/write/writer.h"

#include "model/process.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- text and messages ------------------------------------------------------------------------ */

static void reserve(struct writer *w, size_t more) {
  struct writer_text *out = &w->out;
  if (out->length + more <= out->capacity)
    return;
  const size_t capacity = 2 * (out->length + more) + 4096;
  char *text = arena_alloc(w->arena, capacity);
  if (out->length)
    memcpy(text, out->text, out->length);
  out->text = text;
  out->capacity = capacity;
}

void put(struct writer *w, const char *format, ...) {
  va_list list;
  va_start(list, format);
  va_list again;
  va_copy(again, list);
  const int length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (length > 0 && !w->failed) {
    reserve(w, (size_t)length + 1);
    vsnprintf(w->out.text + w->out.length, (size_t)length + 1, format, again);
    w->out.length += (size_t)length;
  }
  va_end(again);
  if (w->out.length > WRITER_LARGEST)
    writer_refuse(w, NOWHERE, "choose smaller constants", "the text would be larger than %zu MiB",
                  WRITER_LARGEST >> 20);
}

struct writer_text writer_take(struct writer *w) {
  const struct writer_text body = w->out;
  w->out = (struct writer_text){0};
  return body;
}

floe_status writer_join(struct writer *w, struct writer_text body, const char **text) {
  if (w->failed)
    return FLOE_ERROR_MODEL;
  *text = arena_printf(w->arena, "%s%s", w->out.text, body.text);
  return FLOE_OK;
}

void writer_refuse(struct writer *w, source_at at, const char *hint, const char *format, ...) {
  va_list list;
  char message[400];
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  diag_error(w->log, w->model->source, at, hint, "%s", message);
  w->failed = true;
}

bool writer_try(struct writer *w, void (*write)(struct writer *w, const void *data), const void *data) {
  const size_t length = w->out.length;
  floe_log *log = w->log;
  if (w->failed)
    return false;
  w->log = NULL;
  write(w, data);
  w->log = log;
  if (!w->failed)
    return true;
  w->failed = false;
  w->nesting = 0;
  w->out.length = length;
  return false;
}

void writer_lost(struct writer *w, const char *const *ids, size_t count, const char *why) {
  const char *list = count ? ids[0] : "";
  for (size_t i = 1; i < count && i < 8; i++)
    list = arena_printf(w->arena, "%s, %s", list, ids[i]);
  if (count)
    diag_warning(w->log, NULL, NOWHERE, NULL, "%zu %s not written (%s%s): %s", count,
                 count == 1 ? "property is" : "properties are", list, count > 8 ? ", ..." : "", why);
}

/* ---- names ------------------------------------------------------------------------------------ */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Runs of other characters become one _, none at the end. */
static const char *ascii_of(struct writer *w, const char *like) {
  char *name = arena_alloc(w->arena, strlen(like) + 2), *end = name;
  if (!is_letter(*like) && *like != '_')
    *end++ = 'n';
  for (; *like; like++)
    if (is_letter(*like) || is_digit(*like) || *like == '_')
      *end++ = *like;
    else if (like[1] && end > name && end[-1] != '_')
      *end++ = '_';
  if (end > name + 1 && end[-1] == '_' && strchr(name, '_') == end - 1)
    end--;
  *end = 0;
  return strcmp(name, "_") == 0 ? "n_" : name;
}

static bool is_used(const struct writer *w, const struct name_table *scope, const char *name) {
  return name_table_find(&w->names, name) != NAME_ABSENT || (scope && name_table_find(scope, name) != NAME_ABSENT);
}

const char *writer_name(struct writer *w, struct name_table *scope, const char *like) {
  struct name_table *table = scope ? scope : &w->names;
  const char *plain = ascii_of(w, like), *name = plain;
  for (size_t i = table->count + 1; is_used(w, scope, name); i++)
    name = arena_printf(w->arena, "%s_%zu", plain, i);
  name_table_add(table, w->arena, name);
  return name;
}

static const char *variable_like(const struct writer *w, const struct variable *v) {
  const struct model *model = w->model;
  switch (v->kind) {
  case VARIABLE_LOCAL:
    return arena_printf(w->arena, "%s_%s", model->processes[v->owner].name, v->name);
  case VARIABLE_LOCATION:
    return arena_printf(w->arena, "%s_location", v->name);
  case VARIABLE_LENGTH:
    return arena_printf(w->arena, "%s_length", v->name);
  case VARIABLE_FIELD:
    return arena_printf(w->arena, "%s_field%" PRIu32, v->name, v->field);
  case VARIABLE_TABLE:
    return arena_printf(w->arena, "%s_values", model->variables[v->owner].name);
  default:
    return v->name;
  }
}

/* Processes and what all can read first: they keep their names. */
static void make_names(struct writer *w) {
  const struct model *model = w->model;
  w->processes = arena_array(w->arena, model->process_count, sizeof *w->processes);
  w->locations = arena_array(w->arena, model->process_count, sizeof *w->locations);
  w->variables = arena_array(w->arena, model->variable_count, sizeof *w->variables);
  struct name_table *scopes = arena_array(w->arena, model->process_count, sizeof *scopes);
  for (const char *const *word = w->dialect->reserved; *word; word++)
    name_table_add(&w->names, w->arena, *word);
  for (size_t p = 0; p < model->process_count; p++)
    w->processes[p] = writer_name(w, NULL, model->processes[p].name);
  for (size_t v = 0; v < model->variable_count; v++)
    if (!w->local[v])
      w->variables[v] = writer_name(w, NULL, variable_like(w, &model->variables[v]));
  for (size_t v = 0; v < model->variable_count; v++)
    if (w->local[v])
      w->variables[v] = writer_name(w, &scopes[model->variables[v].owner], model->variables[v].name);
  for (size_t p = 0; p < model->process_count; p++) {
    const struct process *process = &model->processes[p];
    w->locations[p] = arena_array(w->arena, process->location_count, sizeof **w->locations);
    for (size_t l = 0; l < process->location_count; l++)
      w->locations[p][l] = writer_name(w, &scopes[p], process->locations[l].name);
  }
}

/* ---- what processes keep ---------------------------------------------------------------------- */

static bool is_location_change(const struct writer *w, const struct statement *s) {
  return s->op == ST_ASSIGN && w->model->variables[s->id].kind == VARIABLE_LOCATION;
}

static int64_t index_value(const struct expr *index) {
  return !index ? 0 : index->op == EXPR_CONST ? index->value : -1;
}

static const struct location_test *test_of(const struct writer *w, const struct transition *t, size_t side) {
  const struct participant *p = &t->participants[side];
  for (size_t i = 0; p->process != NO_PROCESS && i < t->test_count; i++)
    if (t->tests[i].variable == w->model->processes[p->process].location_variable && t->tests[i].element == p->instance)
      return &t->tests[i];
  return NULL;
}

/* The side that leaves this location; WRITER_NO_SIDE: none. */
static size_t side_at(const struct writer *w, const struct transition *t, uint32_t variable, int64_t element) {
  for (size_t i = 0; i < 2 && i < t->participant_count; i++) {
    const struct location_test *test = test_of(w, t, i);
    if (test && test->variable == variable && test->element == element)
      return i;
  }
  return WRITER_NO_SIDE;
}

static void require_side(struct writer *w, const struct transition *t, uint32_t variable, int64_t element) {
  if (side_at(w, t, variable, element) == WRITER_NO_SIDE)
    w->located[w->model->variables[variable].owner] = false;
}

static size_t last_changes(const struct writer *w, const struct transition *t) {
  size_t n = t->statement_count;
  while (n > 0 && is_location_change(w, &t->statements[n - 1]) && t->statements[n - 1].value->op == EXPR_CONST)
    n--;
  return n;
}

/* Assignments, also those in branches. */
static void visit_assignments(struct writer *w, const struct transition *t, const struct statement *all, size_t count,
                              void (*visit)(struct writer *w, const struct transition *t, const struct statement *s)) {
  for (size_t i = 0; i < count; i++) {
    if (all[i].op == ST_ASSIGN)
      visit(w, t, &all[i]);
    visit_assignments(w, t, all[i].then, all[i].op == ST_IF ? statement_inner_count(&all[i]) : 0, visit);
  }
}

static void forget_location(struct writer *w, const struct transition *t, const struct statement *s) {
  (void)t;
  if (is_location_change(w, s))
    w->located[w->model->variables[s->id].owner] = false;
}

static void find_located(struct writer *w) {
  const struct model *model = w->model;
  w->located = arena_array(w->arena, model->process_count, sizeof *w->located);
  for (size_t p = 0; p < model->process_count; p++) {
    const struct variable *v = &model->variables[model->processes[p].location_variable];
    w->located[p] = true;
    for (uint32_t i = 1; i < v->count; i++)
      w->located[p] = w->located[p] && v->init[i] == v->init[0];
  }
  for (size_t i = 0; i < model->transition_count; i++) {
    const struct transition *t = &model->transitions[i];
    const size_t last = last_changes(w, t);
    for (size_t k = 0; k < t->test_count; k++)
      require_side(w, t, t->tests[k].variable, t->tests[k].element);
    for (size_t k = last; k < t->statement_count; k++)
      require_side(w, t, t->statements[k].id, index_value(t->statements[k].index));
    visit_assignments(w, t, t->statements, last, forget_location);
  }
}

/* A variable is declared in its process if steps of others do not assign it. */
static void keep_local(struct writer *w, const struct transition *t, const struct statement *s) {
  const struct variable *v = &w->model->variables[s->id];
  const int64_t first = (int64_t)t->participants[0].instance * v->length;
  const int64_t lo = s->index ? s->index->lo : 0, hi = s->index ? s->index->hi : 0;
  if (t->participants[0].process != v->owner || lo < first || hi >= first + v->length)
    w->local[s->id] = false;
}

static void find_local(struct writer *w) {
  const struct model *model = w->model;
  w->local = arena_array(w->arena, model->variable_count, sizeof *w->local);
  for (size_t i = 0; w->dialect->has_templates && i < model->variable_count; i++) {
    const struct variable *v = &model->variables[i];
    w->local[i] = v->kind == VARIABLE_LOCAL;
    for (uint32_t k = v->length; k < v->count; k++)
      w->local[i] = w->local[i] && v->init[k] == v->init[k % v->length];
  }
  for (size_t i = 0; i < model->transition_count; i++)
    visit_assignments(w, &model->transitions[i], model->transitions[i].statements,
                      model->transitions[i].statement_count, keep_local);
}

/* ---- priority --------------------------------------------------------------------------------- */

static bool is_priority(const struct expr *guard) { return guard->op == EXPR_NOT && guard->a->op == EXPR_COMMITTED; }

static bool has_priority(const struct transition *t) {
  for (size_t i = 0; i < t->guard_count; i++)
    if (is_priority(t->guards[i]))
      return true;
  return false;
}

/* The language's committed locations block the transition while some process is committed. */
static bool is_blocked(const struct writer *w, const struct transition *t) {
  size_t sides = 0, committed = 0;
  struct side side;
  for (size_t i = 0; i < 2 && writer_side(w, t, i, &side); i++, sides++)
    committed += side.process != NO_PROCESS && w->located[side.process] &&
                 w->model->processes[side.process].locations[side.from].committed;
  return w->dialect->pairs_commit ? committed < sides : committed == 0;
}

static void find_priority(struct writer *w) {
  const struct model *model = w->model;
  w->commits = model->committed != NULL;
  for (size_t p = 0; p < model->process_count; p++)
    for (size_t l = 0; l < model->processes[p].location_count; l++)
      if (model->processes[p].locations[l].committed && !w->located[p])
        w->commits = false;
  for (size_t i = 0; i < model->transition_count && w->commits; i++)
    w->commits = !is_blocked(w, &model->transitions[i]) || has_priority(&model->transitions[i]);
}

void writer_start(struct writer *w, const struct dialect *dialect, const struct model *model, struct arena *arena,
                  floe_log *log) {
  *w = (struct writer){.dialect = dialect, .model = model, .arena = arena, .log = log};
  find_located(w);
  find_local(w);
  find_priority(w);
  make_names(w);
}

/* ---- transitions ------------------------------------------------------------------------------ */

bool writer_side(const struct writer *w, const struct transition *t, size_t number, struct side *out) {
  const struct participant *p = &t->participants[number];
  const struct location_test *test = number < t->participant_count ? test_of(w, t, number) : NULL;
  if (number > 0 && (!test || !w->located[p->process]))
    return false;
  *out = (struct side){.process = p->process, .instance = p->instance, .edge = &w->model->edges[p->edge]};
  if (!test || !w->located[p->process])
    return true;
  out->from = out->to = test->location;
  for (size_t i = last_changes(w, t); i < t->statement_count; i++)
    if (t->statements[i].id == test->variable && index_value(t->statements[i].index) == test->element)
      out->to = (uint32_t)t->statements[i].value->value;
  return true;
}

bool writer_is_move(const struct writer *w, const struct statement *s) {
  return is_location_change(w, s) && w->located[w->model->variables[s->id].owner];
}

static bool reads(const struct expr *e, enum expr_op op, uint32_t id) {
  return e && ((e->op == op && e->id == id) || reads(e->a, op, id) || reads(e->b, op, id) || reads(e->c, op, id));
}

static bool assigns_read(const struct statement *s, const struct expr *value) {
  if (s->op == ST_ASSIGN)
    return reads(value, EXPR_READ, s->id);
  for (size_t i = 0; s->op == ST_IF && i < statement_inner_count(s); i++)
    if (assigns_read(&s->then[i], value))
      return true;
  return false;
}

static bool uses_temporary(const struct statement *s, uint32_t id) {
  if ((s->op == ST_LET && s->id == id) || reads(s->index, EXPR_TEMP, id) || reads(s->value, EXPR_TEMP, id))
    return true;
  for (size_t i = 0; s->op == ST_IF && i < statement_inner_count(s); i++)
    if (uses_temporary(&s->then[i], id))
      return true;
  return false;
}

static bool sets_temporary(const struct statement *s, uint32_t id) {
  if (s->op == ST_LET && s->id == id)
    return true;
  for (size_t i = 0; s->op == ST_IF && i < statement_inner_count(s); i++)
    if (sets_temporary(&s->then[i], id))
      return true;
  return false;
}

#define LARGEST_INLINED 100 /* operators and leaves */

/* Its value can stand in its place: it cannot fail, and no statement before or in its last use changes what it reads.
 */
static bool is_inlined(const struct transition *t, size_t let) {
  const struct statement *s = &t->statements[let];
  if (s->site != NO_SITE || s->value->can_fail || s->value->size > LARGEST_INLINED)
    return false;
  bool changed = false;
  for (size_t i = let + 1; i < t->statement_count; i++) {
    const bool assigned = assigns_read(&t->statements[i], s->value);
    if (sets_temporary(&t->statements[i], s->id))
      return false;
    if (uses_temporary(&t->statements[i], s->id) && (changed || (assigned && t->statements[i].op == ST_IF)))
      return false;
    changed = changed || assigned;
  }
  return true;
}

void writer_begin(struct writer *w, const struct transition *t) {
  w->transition = t;
  w->inlined = arena_array(w->arena, t->temp_count, sizeof *w->inlined);
  w->selects = NULL;
  w->chosen = NULL;
  for (size_t i = 0; i < t->statement_count; i++)
    if (t->statements[i].op == ST_LET && is_inlined(t, i))
      w->inlined[t->statements[i].id] = t->statements[i].value;
}

const char *writer_temporary(struct writer *w, uint32_t number, const struct expr *value) {
  while (w->temporary_count <= number) {
    const char *like = arena_printf(w->arena, "temporary%zu", w->temporary_count);
    *ARENA_PUSH(w->arena, w->temporaries, w->temporary_count, w->temporary_cap) =
        (struct temporary){.name = writer_name(w, NULL, like)};
  }
  struct temporary *temporary = &w->temporaries[number];
  if (value && value->lo < temporary->lo)
    temporary->lo = value->lo;
  if (value && value->hi > temporary->hi)
    temporary->hi = value->hi;
  return temporary->name;
}

bool writer_first_choice(struct writer *w) {
  const struct transition *t = w->transition;
  uint64_t choices = 1;
  w->chosen = arena_array(w->arena, t->select_count, sizeof *w->chosen);
  for (size_t i = 0; i < t->select_count; i++) {
    w->chosen[i] = t->selects[i].lo;
    choices *= (uint64_t)(t->selects[i].hi - t->selects[i].lo + 1);
    if (choices <= WRITER_MOST_CHOICES)
      continue;
    writer_refuse(w, w->model->edges[t->participants[0].edge].at, "choose smaller constants",
                  "a transition has more than %d choices, which this language writes one by one", WRITER_MOST_CHOICES);
    return false;
  }
  return true;
}

bool writer_next_choice(struct writer *w) {
  const struct transition *t = w->transition;
  for (size_t i = t->select_count; i-- > 0;) {
    if (w->chosen[i]++ < t->selects[i].hi)
      return true;
    w->chosen[i] = t->selects[i].lo;
  }
  return false;
}

static void put_and(struct writer *w, bool *begun) {
  if (*begun)
    put(w, " %s ", w->dialect->operators[EXPR_AND].text);
  *begun = true;
}

bool writer_guards(struct writer *w, bool begun) {
  const struct transition *t = w->transition;
  const bool implied = w->commits && is_blocked(w, t);
  for (size_t i = 0; i < t->test_count; i++) {
    const struct location_test *test = &t->tests[i];
    if (w->located[w->model->variables[test->variable].owner])
      continue;
    const struct expr element = {.op = EXPR_CONST, .value = test->element, .lo = test->element, .hi = test->element};
    put_and(w, &begun);
    w->dialect->element(w, test->variable, &element);
    put(w, " == %" PRIu32, test->location);
  }
  for (size_t i = 0; i < t->guard_count; i++) {
    if (implied && is_priority(t->guards[i]))
      continue;
    put_and(w, &begun);
    writer_expr(w, t->guards[i], STRENGTH_AND);
  }
  return begun;
}
