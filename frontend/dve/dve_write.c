/* Each instance is a process, all variables are global, and each choice of a select is a transition. An error of the
   model is a division by 0; branches compute both results. */
#include "frontend/dve/dve_write.h"

#include "frontend/dve/dve_notation.h"
#include "frontend/dve/parse/dve_lexer.h"
#include "model/property_kind.h"
#include "model/write/writer.h"

#include <inttypes.h>
#include <string.h>

struct dve_writer {
  struct writer w;         /* first: a struct writer of this dialect is one of these */
  const char ***instances; /* [process][instance] names */
  const char **channels;   /* [transition] of handshakes */
  const char *zero;        /* variable that is always 0, assigned by checks; NULL: not used yet */
  const char **conditions; /* variables for conditions of branches */
  size_t condition_count, condition_cap;
  size_t conditions_used; /* by this transition */
  bool begun;             /* an effect of it was written */
};

/* ---- expressions ------------------------------------------------------------------------------ */

#define RESERVED(token, symbol, word) word,
static const char *const words[] = {DVE_TOKENS(RESERVED)};
#undef RESERVED

static const char *const *reserved_words(struct arena *arena) {
  const size_t count = sizeof words / sizeof *words;
  const char **all = arena_array(arena, count + 1, sizeof *all);
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    if (words[i])
      all[n++] = words[i];
  return all;
}

static void put_element(struct writer *w, uint32_t variable, const struct expr *index) {
  const struct variable *v = &w->model->variables[variable];
  put(w, "%s", w->variables[variable]);
  if (!writer_is_array(v))
    return;
  put(w, "[");
  writer_index(w, index, v->count);
  put(w, "]");
}

static void put_at(struct writer *w, uint32_t process, const struct expr *index, uint32_t location) {
  const struct dve_writer *d = (const struct dve_writer *)w;
  const char *name = w->locations[process][location];
  const uint32_t instances = w->model->processes[process].instances;
  if (!index || index->op == EXPR_CONST) {
    put(w, "%s.%s", d->instances[process][index ? index->value : 0], name);
    return;
  }
  put(w, "(");
  for (uint32_t i = 0; i < instances; i++) {
    put(w, "%s(", i ? " or " : "");
    writer_expr(w, index, STRENGTH_SHIFT);
    put(w, " == %" PRIu32 " and %s.%s)", i, d->instances[process][i], name);
  }
  put(w, ")");
}

/* ---- effects ---------------------------------------------------------------------------------- */

static void put_statements(struct dve_writer *d, const struct statement *all, size_t count, const char *condition);

/* The start of the next effect. */
static struct writer *next(struct dve_writer *d) {
  put(&d->w, "%s", d->begun ? ", " : " effect ");
  d->begun = true;
  return &d->w;
}

/* An error unless the text that follows, up to put_checked, is true. */
static void put_check(struct dve_writer *d, const char *condition) {
  if (!d->zero)
    d->zero = writer_name(&d->w, NULL, "zero");
  struct writer *w = next(d);
  put(w, "%s = 0 / (", d->zero);
  if (condition)
    put(w, "not %s or (", condition);
}

static void put_checked(struct dve_writer *d, const char *condition) { put(&d->w, condition ? "))" : ")"); }

static void put_range_check(struct dve_writer *d, const struct expr *value, int64_t lo, int64_t hi,
                            const char *condition) {
  struct writer *w = &d->w;
  put_check(d, condition);
  if (value->lo < lo || value->hi <= hi) {
    writer_expr(w, value, STRENGTH_SHIFT);
    put(w, " >= %" PRId64 "%s", lo, value->hi > hi ? " and " : "");
  }
  if (value->hi > hi) {
    writer_expr(w, value, STRENGTH_SHIFT);
    put(w, " <= %" PRId64, hi);
  }
  put_checked(d, condition);
}

/* In a branch that is not taken the value is not used, but computed. */
static void put_value(struct dve_writer *d, const struct expr *value, const char *condition) {
  struct writer *w = &d->w;
  if (condition && value->can_fail)
    writer_refuse(w, value->at, "move it out of the branch",
                  "a value in a branch can fail, and DVE computes it always");
  if (condition)
    put(w, "%s * ", condition);
  writer_expr(w, value, condition ? STRENGTH_UNARY : STRENGTH_COND);
}

static void put_assignment(struct dve_writer *d, const struct statement *s, const char *condition) {
  struct writer *w = &d->w;
  const struct variable *v = &w->model->variables[s->id];
  const bool constant = !s->index || s->index->op == EXPR_CONST;
  const struct value_range range = v->ranges && constant ? v->ranges[s->index ? s->index->value % v->length : 0]
                                                         : (struct value_range){v->lo, v->hi};
  if (s->site != NO_SITE && v->ranges && !constant)
    writer_refuse(w, s->at, "give all elements one range", "the elements of '%s' have different ranges", v->name);
  if (condition && s->index && s->index->can_fail)
    writer_refuse(w, s->at, "move it out of the branch", "an index in a branch can fail, and DVE computes it always");
  if (s->site != NO_SITE)
    put_range_check(d, s->value, range.lo, range.hi, condition);
  next(d);
  put_element(w, s->id, s->index);
  put(w, " = ");
  put_value(d, s->value, condition);
  if (!condition)
    return;
  put(w, " + (not %s) * ", condition);
  put_element(w, s->id, s->index);
}

static void put_let(struct dve_writer *d, const struct statement *s, const char *condition) {
  struct writer *w = &d->w;
  const char *name = writer_temporary(w, s->id, s->value);
  if (s->site != NO_SITE)
    put_range_check(d, s->value, w->model->sites[s->site].lo, w->model->sites[s->site].hi, condition);
  put(next(d), "%s = ", name);
  put_value(d, s->value, condition);
  if (condition) /* both branches may set it */
    put(w, " + (not %s) * %s", condition, name);
}

static const char *condition_variable(struct dve_writer *d) {
  if (d->conditions_used == d->condition_count) {
    const char *name = arena_printf(d->w.arena, "condition%zu", d->condition_count);
    *ARENA_PUSH(d->w.arena, d->conditions, d->condition_count, d->condition_cap) = writer_name(&d->w, NULL, name);
  }
  return d->conditions[d->conditions_used++];
}

/* Conditions of both branches are computed before either changes a variable. */
static void put_branches(struct dve_writer *d, const struct statement *s, const char *condition) {
  const char *of_branch[2] = {NULL, NULL};
  for (size_t i = 0; i < (s->else_count ? 2 : 1); i++) {
    of_branch[i] = condition_variable(d);
    struct writer *w = next(d);
    put(w, "%s = ", of_branch[i]);
    if (condition)
      put(w, "%s != 0 and ", condition);
    put(w, i ? "(not (" : "((");
    writer_expr(w, s->value, STRENGTH_COND);
    put(w, i ? "))" : ") != 0)");
  }
  put_statements(d, s->then, s->then_count, of_branch[0]);
  put_statements(d, s->then + s->then_count, s->else_count, of_branch[1]);
}

static void put_statements(struct dve_writer *d, const struct statement *all, size_t count, const char *condition) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *s = &all[i];
    if ((s->op == ST_LET && d->w.inlined[s->id]) || writer_is_move(&d->w, s))
      continue;
    switch (s->op) {
    case ST_LET:
      put_let(d, s, condition);
      break;
    case ST_ASSIGN:
      put_assignment(d, s, condition);
      break;
    case ST_ASSERT:
      put_check(d, condition);
      writer_expr(&d->w, s->value, STRENGTH_COND);
      put_checked(d, condition);
      break;
    case ST_IF:
      put_branches(d, s, condition);
      break;
    }
  }
}

static void put_resets(struct dve_writer *d, const struct statement *all, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (all[i].op == ST_LET && !d->w.inlined[all[i].id])
      put(next(d), "%s = 0", writer_temporary(&d->w, all[i].id, NULL));
    if (all[i].op == ST_IF)
      put_resets(d, all[i].then, statement_inner_count(&all[i]));
  }
}

static void put_effects(struct dve_writer *d, const struct transition *t) {
  const size_t count = t->statement_count;
  d->begun = false;
  d->conditions_used = 0;
  put_statements(d, t->statements, count, NULL);
  put_resets(d, t->statements, count);
  for (size_t i = 0; i < d->conditions_used; i++)
    put(next(d), "%s = 0", d->conditions[i]);
  put(&d->w, "%s", d->begun ? ";" : "");
}

/* ---- transitions ------------------------------------------------------------------------------ */

static const char *location_of(const struct writer *w, const struct side *side, uint32_t location) {
  return side->process == NO_PROCESS || !w->located[side->process] ? "here" : w->locations[side->process][location];
}

static void put_comment(struct writer *w, const char *label) {
  if (!*label || strstr(label, "*/"))
    return;
  put(w, " /* ");
  for (; *label; label++)
    put(w, "%c", (unsigned char)*label < ' ' ? ' ' : *label);
  put(w, " */");
}

static void put_arrow(struct writer *w, const struct side *side, bool *begun) {
  put(w, "%s%s -> %s {", *begun ? ",\n    " : "  trans\n    ", location_of(w, side, side->from),
      location_of(w, side, side->to));
  put_comment(w, side->edge->label);
  *begun = true;
}

static void put_sender(struct dve_writer *d, const struct transition *t, const struct side *side, bool *begun) {
  struct writer *w = &d->w;
  struct side partner;
  writer_begin(w, t);
  if (!writer_first_choice(w))
    return;
  do {
    put_arrow(w, side, begun);
    const size_t head = w->out.length;
    put(w, " guard ");
    if (writer_guards(w, false))
      put(w, ";");
    else
      w->out.length = head;
    if (writer_side(w, t, 1, &partner))
      put(w, " sync %s!;", d->channels[t - w->model->transitions]);
    put_effects(d, t);
    put(w, " }");
  } while (!w->failed && writer_next_choice(w));
  w->chosen = NULL;
  w->transition = NULL;
}

static void put_transitions(struct dve_writer *d, uint32_t process, uint32_t instance) {
  struct writer *w = &d->w;
  const struct model *model = w->model;
  struct side side;
  bool begun = false;
  for (size_t i = 0; i < model->transition_count; i++) {
    const struct transition *t = &model->transitions[i];
    if (writer_side(w, t, 0, &side) && side.process == process && side.instance == instance)
      put_sender(d, t, &side, &begun);
    if (writer_side(w, t, 1, &side) && side.process == process && side.instance == instance) {
      put_arrow(w, &side, &begun);
      put(w, " sync %s?; }", d->channels[i]);
    }
  }
  put(w, "%s}\n\n", begun ? ";\n" : "");
}

/* ---- processes -------------------------------------------------------------------------------- */

static void put_states(struct dve_writer *d, uint32_t number) {
  struct writer *w = &d->w;
  const struct process *p = &w->model->processes[number];
  const char *comma = "";
  put(w, "  state ");
  for (size_t l = 0; l < p->location_count; l++)
    put(w, "%s%s", l ? ", " : "", w->locations[number][l]);
  put(w, ";\n  init %s;\n", w->locations[number][w->model->variables[p->location_variable].init[0]]);
  for (size_t l = 0; l < p->location_count && w->commits; l++)
    if (p->locations[l].committed) {
      put(w, "%s%s", *comma ? comma : "  commit ", w->locations[number][l]);
      comma = ", ";
    }
  put(w, "%s", *comma ? ";\n" : "");
}

static void put_processes(struct dve_writer *d) {
  struct writer *w = &d->w;
  const struct model *model = w->model;
  bool outside = !model->process_count;
  for (uint32_t p = 0; p < model->process_count; p++)
    for (uint32_t i = 0; i < model->processes[p].instances; i++) {
      put(w, "process %s {\n", d->instances[p][i]);
      if (w->located[p])
        put_states(d, p);
      else
        put(w, "  state here;\n  init here;\n");
      put_transitions(d, p, i);
    }
  for (size_t i = 0; i < model->transition_count; i++)
    outside = outside || model->transitions[i].participants[0].process == NO_PROCESS;
  if (!outside)
    return;
  put(w, "process %s {\n  state here;\n  init here;\n", writer_name(w, NULL, "net"));
  put_transitions(d, NO_PROCESS, 0);
}

static void name_instances(struct dve_writer *d) {
  struct writer *w = &d->w;
  const struct model *model = w->model;
  struct side partner;
  d->instances = arena_array(w->arena, model->process_count, sizeof *d->instances);
  for (size_t p = 0; p < model->process_count; p++) {
    const uint32_t count = model->processes[p].instances;
    d->instances[p] = arena_array(w->arena, count, sizeof **d->instances);
    for (uint32_t i = 0; i < count; i++)
      d->instances[p][i] = count == 1 ? w->processes[p]
                                      : writer_name(w, NULL, arena_printf(w->arena, "%s_%" PRIu32, w->processes[p], i));
  }
  d->channels = arena_array(w->arena, model->transition_count, sizeof *d->channels);
  for (size_t i = 0; i < model->transition_count; i++)
    if (writer_side(w, &model->transitions[i], 1, &partner)) {
      const char *channel = model->edges[model->transitions[i].participants[0].edge].channel;
      d->channels[i] = writer_name(w, NULL, arena_printf(w->arena, "%s_%zu", channel ? channel : "step", i));
    }
}

/* ---- declarations ----------------------------------------------------------------------------- */

static const char *type_of(struct writer *w, source_at at, const char *name, int64_t lo, int64_t hi) {
  if (lo < INT16_MIN || hi > INT16_MAX)
    writer_refuse(w, at, "use smaller ranges, in nets -D tokens=N",
                  "'%s' has values of %" PRId64 "..%" PRId64 ", and DVE has 16 bits", name, lo, hi);
  return lo >= 0 && hi <= UINT8_MAX ? "byte" : "int";
}

static void put_variable(struct writer *w, uint32_t number) {
  const struct variable *v = &w->model->variables[number];
  put(w, "%s%s %s", v->assigned ? "" : "const ", type_of(w, v->at, v->name, v->lo, v->hi), w->variables[number]);
  if (writer_is_array(v))
    put(w, "[%" PRIu32 "] = {", v->count);
  else
    put(w, " = ");
  for (uint32_t i = 0; i < v->count; i++)
    put(w, "%s%" PRId64, i ? ", " : "", v->init[i]);
  put(w, "%s", writer_is_array(v) ? "};\n" : ";\n");
}

static void put_head(struct dve_writer *d) {
  struct writer *w = &d->w;
  const struct model *model = w->model;
  put(w, "// %s, converted by floe\n\n", model->name);
  for (uint32_t v = 0; v < model->variable_count; v++)
    if (!(model->variables[v].kind == VARIABLE_LOCATION && w->located[model->variables[v].owner]))
      put_variable(w, v);
  for (size_t i = 0; i < w->temporary_count; i++)
    put(w, "%s %s;\n", type_of(w, NOWHERE, w->temporaries[i].name, w->temporaries[i].lo, w->temporaries[i].hi),
        w->temporaries[i].name);
  for (size_t i = 0; i < d->condition_count; i++)
    put(w, "byte %s;\n", d->conditions[i]);
  if (d->zero)
    put(w, "byte %s; // checks divide 0 by a condition\n", d->zero);
  for (size_t i = 0; i < w->bound_count; i++) {
    put(w, "const int %s[%" PRIu32 "] = {", w->bounds[i].name, w->bounds[i].bound);
    for (uint32_t k = 0; k < w->bounds[i].bound; k++)
      put(w, "%s%" PRIu32, k ? ", " : "", k);
    put(w, "}; // tests an index\n");
  }
  for (size_t i = 0; i < model->transition_count; i++)
    if (d->channels[i])
      put(w, "channel %s;\n", d->channels[i]);
  put(w, "\n");
}

/* ---- properties ------------------------------------------------------------------------------- */

/* A process without transitions asserts an invariant. */
static void put_property(struct writer *w, const void *data) {
  const struct property *property = data;
  w->failed = !property_kind_is_local(property->kind);
  if (w->failed)
    return;
  put(w, "process %s {\n  state q;\n  init q;\n  assert q: ", writer_name(w, NULL, property->id));
  put(w, property->kind == FLOE_INVARIANT ? "(" : "not (");
  writer_expr(w, property->expr, STRENGTH_COND);
  put(w, property->kind == FLOE_INVARIANT ? ") != 0;\n}\n\n" : ");\n}\n\n");
}

static void put_properties(struct dve_writer *d) {
  struct writer *w = &d->w;
  const struct model *model = w->model;
  const char **lost = arena_array(w->arena, model->property_count, sizeof *lost), **turned = lost;
  size_t lost_count = 0, turned_count = 0;
  bool deadlock = false, unless = false;
  turned = arena_array(w->arena, model->property_count, sizeof *turned);
  for (size_t i = 0; i < model->property_count; i++) {
    const struct property *property = &model->properties[i];
    deadlock = deadlock || property->kind == FLOE_DEADLOCK;
    unless = unless || (property->kind == FLOE_DEADLOCK && property->expr);
    if (property->kind == FLOE_DEADLOCK || property->kind == FLOE_ERRORS)
      continue;
    if (!writer_try(w, put_property, property))
      lost[lost_count++] = property->id;
    else if (property->kind == FLOE_REACHABLE)
      turned[turned_count++] = property->id;
  }
  writer_lost(w, lost, lost_count, "DVE cannot express them");
  if (turned_count)
    diag_warning(w->log, NULL, NOWHERE, NULL, "%zu reachable %s written as assertions of the contrary (%s%s)",
                 turned_count, turned_count == 1 ? "property is" : "properties are", turned[0],
                 turned_count > 1 ? ", ..." : "");
  if (!deadlock || unless)
    diag_warning(w->log, NULL, NOWHERE, NULL, "in DVE freedom from deadlock is always a property%s",
                 unless ? ", without exceptions" : "");
}

/* ---- the model -------------------------------------------------------------------------------- */

floe_status dve_write(const struct model *model, struct arena *arena, floe_log *log, const char **text) {
  const struct dialect dialect = {.operators = dve_notation.operators,
                                  .reserved = reserved_words(arena),
                                  .pairs_commit = true,
                                  .lo = INT32_MIN,
                                  .hi = INT32_MAX,
                                  .numbers = "32 bits",
                                  .element = put_element,
                                  .at = put_at};
  struct dve_writer d = {.zero = NULL};
  writer_start(&d.w, &dialect, model, arena, log);
  name_instances(&d);
  put_processes(&d);
  if (!d.w.failed)
    put_properties(&d);
  put(&d.w, "system async;\n");
  const struct writer_text body = writer_take(&d.w);
  put_head(&d);
  return writer_join(&d.w, body, text);
}
