#include "frontend/xml/xml_write.h"

#include "frontend/xml/xml_write_properties.h"
#include "model/process.h"
#include "model/write/writer.h"

#include <inttypes.h>
#include <string.h>

struct xml_writer {
  struct writer w;       /* first: a struct writer of this dialect is one of these */
  bool faithful;         /* each transition has the participants of the ground model */
  const char **types;    /* [variable] names of enumerations, or NULL */
  const char **channels; /* [transition] of handshakes */
};

/* ---- expressions ------------------------------------------------------------------------------ */

static const char *const reserved[] = {"and",  "or",    "not",    "implies", "lt",     "le",    "gt",  "ge",
                                       "eq",   "ne",    "bitnot", "bitand",  "bitxor", "bitor", "shl", "shr",
                                       "true", "false", "self",   "bool",    "byte",   NULL};

/* Words that need no entities. */
static const struct operator_text *operators(struct arena *arena) {
  static const struct {
    enum expr_op op;
    const char *text;
  } words[] = {{EXPR_LT, "lt"}, {EXPR_LE, "le"}, {EXPR_BITAND, "bitand"}, {EXPR_SHL, "shl"}, {EXPR_SHR, "shr"}};
  struct operator_text *all = arena_array(arena, EXPR_OPS, sizeof *all);
  memcpy(all, default_operators, EXPR_OPS * sizeof *all);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    all[words[i].op].text = words[i].text;
  return all;
}

static void put_instance(struct writer *w, uint32_t process, const struct expr *index) {
  const struct process *p = &w->model->processes[process];
  put(w, "%s", w->processes[process]);
  if (p->single)
    return;
  put(w, "[");
  writer_index(w, index, p->instances);
  put(w, "]");
}

static void put_at(struct writer *w, uint32_t process, const struct expr *index, uint32_t location) {
  put_instance(w, process, index);
  put(w, ".%s", w->locations[process][location]);
}

static void put_index(struct writer *w, const struct variable *v, const struct expr *index) {
  if (!writer_is_array(v))
    return;
  put(w, "[");
  writer_index(w, index, v->count);
  put(w, "]");
}

/* Instance and own index are index / length and index % length. */
static void put_local(struct writer *w, const struct variable *v, const char *name, const struct expr *index) {
  const struct process *p = &w->model->processes[v->owner];
  const int64_t length = v->length;
  put(w, "%s", w->processes[v->owner]);
  if (p->single || length == 1) {
    if (!p->single) {
      put(w, "[");
      writer_index(w, index, p->instances);
      put(w, "]");
    }
    put(w, ".%s", name);
    if (length > 1 || v->is_array) {
      put(w, "[");
      writer_index(w, length > 1 || p->single ? index : NULL, v->length);
      put(w, "]");
    }
  } else if (!index || index->op == EXPR_CONST) {
    const int64_t value = index ? index->value : 0;
    put(w, "[%" PRId64 "].%s[%" PRId64 "]", value / length, name, value % length);
  } else {
    put(w, "[");
    writer_expr(w, index, STRENGTH_PRODUCT);
    put(w, " / %" PRId64 "].%s[", length, name);
    writer_expr(w, index, STRENGTH_PRODUCT);
    put(w, " %% %" PRId64 "]", length);
  }
}

static void put_element(struct writer *w, uint32_t variable, const struct expr *index) {
  const struct variable *v = &w->model->variables[variable];
  if (w->local[variable]) {
    put_local(w, v, w->variables[variable], index);
    return;
  }
  put(w, "%s", w->variables[variable]);
  put_index(w, v, index);
}

void xml_write_set(struct writer *w, const struct transition_set *set) {
  const struct xml_writer *x = (const struct xml_writer *)w;
  const struct expr instance = {.op = EXPR_CONST, .value = set->instance};
  if (!x->faithful || (set->edge != NO_EDGE && !set->label))
    w->failed = true; /* the transitions have other participants */
  if (set->process != NO_PROCESS)
    put_instance(w, set->process, &instance);
  if (set->label)
    put(w, "%s%s", set->process != NO_PROCESS ? "." : "", set->label);
}

static void put_enabled(struct writer *w, const struct transition_set *set) {
  put(w, "enabled(");
  xml_write_set(w, set);
  put(w, ")");
}

/* ---- declarations ----------------------------------------------------------------------------- */

static void put_initial(struct writer *w, const struct variable *v, uint32_t count) {
  bool equal = true;
  for (uint32_t i = 1; i < count; i++)
    equal = equal && v->init[i] == v->init[0];
  put(w, " init=\"");
  for (uint32_t i = 0; i < (equal ? 1 : count); i++) {
    put(w, "%s", i ? ", " : "");
    if (v->is_bool)
      put(w, "%s", v->init[i] ? "true" : "false");
    else
      writer_number(w, v->init[i]);
  }
  put(w, "\"");
}

static void put_range(struct writer *w, const struct variable *v, uint32_t count) {
  if (v->is_bool) {
    put(w, " type=\"bool\"");
    return;
  }
  put(w, " range=\"");
  for (uint32_t i = 0; i < (v->ranges ? count : 1); i++)
    put(w, "%s%" PRId64 "..%" PRId64, i ? ", " : "", v->ranges ? v->ranges[i % v->length].lo : v->lo,
        v->ranges ? v->ranges[i % v->length].hi : v->hi);
  put(w, "\"");
}

/* Enumerations name values, and the locations of processes that do not keep them. */
static size_t value_count(const struct writer *w, const struct variable *v) {
  if (v->kind == VARIABLE_LOCATION)
    return w->located[v->owner] ? 0 : w->model->processes[v->owner].location_count;
  return v->type && v->lo == 0 && v->hi < (int64_t)v->type->count && !v->values ? (size_t)v->hi + 1 : 0;
}

static const char *type_of(const struct xml_writer *x, uint32_t number) {
  const struct variable *all = x->w.model->variables;
  for (uint32_t i = 0; i < number; i++)
    if (all[i].type && all[i].type == all[number].type && all[i].hi == all[number].hi && x->types[i])
      return x->types[i];
  return NULL;
}

static void put_type(struct xml_writer *x, uint32_t number) {
  struct writer *w = &x->w;
  const struct variable *v = &w->model->variables[number];
  const bool located = v->kind == VARIABLE_LOCATION;
  const char *like = located ? arena_printf(w->arena, "%s_at", v->name) : v->type->name;
  if ((x->types[number] = type_of(x, number)))
    return;
  x->types[number] = writer_name(w, NULL, like);
  put(w, "  <enumeration name=\"%s\" values=\"", x->types[number]);
  for (size_t i = 0; i < value_count(w, v); i++)
    put(w, "%s%s", i ? ", " : "",
        writer_name(w, NULL, located ? w->model->processes[v->owner].locations[i].name : v->type->values[i]));
  put(w, "\"/>\n");
}

static void put_variable(struct xml_writer *x, uint32_t number, const char *indent) {
  struct writer *w = &x->w;
  const struct variable *v = &w->model->variables[number];
  const uint32_t count = w->local[number] ? v->length : v->count;
  put(w, "%s<variable name=\"%s\"", indent, w->variables[number]);
  if (x->types[number])
    put(w, " type=\"%s\"", x->types[number]);
  else
    put_range(w, v, count);
  if (w->local[number] ? count > 1 || v->is_array : writer_is_array(v))
    put(w, " size=\"%" PRIu32 "\"", count);
  put_initial(w, v, count);
  put(w, "/>\n");
}

/* The head is written last: the transitions add temporary values and tests of indices. */
static void put_head(struct xml_writer *x) {
  struct writer *w = &x->w;
  const struct model *model = w->model;
  put(w, "<model name=\"");
  for (const char *c = model->name; *c; c++)
    put(w, "%c", (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ? *c : '_');
  put(w, "\">\n  <description>");
  xml_write_text(w, model->description);
  put(w, "%sConverted by floe.</description>\n", *model->description ? "\n" : "");
  for (uint32_t v = 0; v < model->variable_count; v++)
    if (value_count(w, &model->variables[v]))
      put_type(x, v);
  for (uint32_t v = 0; v < model->variable_count; v++)
    if (!w->local[v] && !(model->variables[v].kind == VARIABLE_LOCATION && w->located[model->variables[v].owner]))
      put_variable(x, v, "  ");
  for (size_t i = 0; i < w->temporary_count; i++)
    put(w, "  <variable name=\"%s\" range=\"%" PRId64 "..%" PRId64 "\"/>\n", w->temporaries[i].name,
        w->temporaries[i].lo, w->temporaries[i].hi);
  for (size_t i = 0; i < w->bound_count; i++)
    put(w, "  <variable name=\"%s\" range=\"0..%" PRIu32 "\" size=\"%" PRIu32 "\" init=\"index\"/>\n",
        w->bounds[i].name, w->bounds[i].bound - 1, w->bounds[i].bound);
}

/* ---- effects ---------------------------------------------------------------------------------- */

static void put_statements(struct writer *w, const struct statement *all, size_t count, bool begun);

static void put_let(struct writer *w, const struct statement *s) {
  const char *name = writer_temporary(w, s->id, s->value);
  put(w, "%s = ", name);
  writer_expr(w, s->value, STRENGTH_COND);
  if (s->site != NO_SITE)
    put(w, "; assert(%s ge %" PRId64 " and %s le %" PRId64 ")", name, w->model->sites[s->site].lo, name,
        w->model->sites[s->site].hi);
}

/* A local variable has no name of its process in an effect. */
static void put_assignment(struct writer *w, const struct statement *s) {
  const struct variable *v = &w->model->variables[s->id];
  if (w->local[s->id]) {
    put(w, "%s", w->variables[s->id]);
    const bool is_element = v->length > 1 || v->is_array;
    if (is_element && s->index && s->index->op != EXPR_CONST) {
      put(w, "[");
      writer_expr(w, s->index, STRENGTH_PRODUCT);
      put(w, v->count > v->length ? " %% %" PRIu32 "]" : "]", v->length);
    } else if (is_element) {
      put(w, "[%" PRId64 "]", s->index ? s->index->value % v->length : 0);
    }
  } else {
    put_element(w, s->id, s->index);
  }
  put(w, " = ");
  writer_expr(w, s->value, STRENGTH_COND);
}

static void put_branches(struct writer *w, const struct statement *s) {
  put(w, "if (");
  writer_expr(w, s->value, STRENGTH_COND);
  put(w, ") { ");
  put_statements(w, s->then, s->then_count, false);
  put(w, " }");
  if (!s->else_count)
    return;
  put(w, " else { ");
  put_statements(w, s->then + s->then_count, s->else_count, false);
  put(w, " }");
}

static void put_statements(struct writer *w, const struct statement *all, size_t count, bool begun) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *s = &all[i];
    if ((s->op == ST_LET && w->inlined[s->id]) || writer_is_move(w, s))
      continue;
    put(w, "%s", begun ? "; " : "");
    begun = true;
    switch (s->op) {
    case ST_LET:
      put_let(w, s);
      break;
    case ST_ASSIGN:
      put_assignment(w, s);
      break;
    case ST_ASSERT:
      put(w, "assert(");
      writer_expr(w, s->value, STRENGTH_COND);
      put(w, ")");
      break;
    case ST_IF:
      put_branches(w, s);
      break;
    }
  }
}

static void put_resets(struct writer *w, const struct statement *all, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (all[i].op == ST_LET && !w->inlined[all[i].id])
      put(w, "; %s = 0", writer_temporary(w, all[i].id, NULL));
    if (all[i].op == ST_IF)
      put_resets(w, all[i].then, statement_inner_count(&all[i]));
  }
}

/* ---- transitions ------------------------------------------------------------------------------ */

static void put_selects(struct writer *w, const struct transition *t) {
  struct name_table scope = {0};
  w->selects = arena_array(w->arena, t->select_count, sizeof *w->selects);
  for (size_t v = 0; v < w->model->variable_count && t->select_count; v++)
    if (w->local[v] && w->model->variables[v].owner == t->participants[0].process)
      name_table_add(&scope, w->arena, w->variables[v]);
  for (size_t i = 0; i < t->select_count; i++) {
    w->selects[i] = writer_name(w, &scope, *t->selects[i].name ? t->selects[i].name : "choice");
    put(w, "%s%s in %" PRId64 "..%" PRId64, i ? ", " : " select=\"", w->selects[i], t->selects[i].lo, t->selects[i].hi);
  }
  if (t->select_count)
    put(w, "\"");
}

static const char *location_of(const struct writer *w, const struct side *side, uint32_t location) {
  return side->process == NO_PROCESS || !w->located[side->process] ? "here" : w->locations[side->process][location];
}

static void put_side(struct writer *w, const struct side *side) {
  put(w, "    <transition from=\"%s\"", location_of(w, side, side->from));
  if (side->to != side->from)
    put(w, " to=\"%s\"", location_of(w, side, side->to));
  if (*side->edge->label) {
    put(w, " label=\"");
    xml_write_text(w, side->edge->label);
    put(w, "\"");
  }
}

/* Guard, or the start of one: the process has one transition for each of its instances. */
static bool put_self(struct writer *w, const struct side *side) {
  const bool one = side->process == NO_PROCESS || w->model->processes[side->process].instances == 1;
  if (!one)
    put(w, "self == %" PRIu32, side->instance);
  return !one;
}

static const char *channel_of(const struct writer *w, const struct transition *t) {
  return ((const struct xml_writer *)w)->channels[t - w->model->transitions];
}

/* The effect as an element, and the end of the transition; `open`: the tag is closed, as there is another element. */
static void put_effect(struct writer *w, const struct transition *t, bool open) {
  const size_t statements = t->statement_count, head = w->out.length;
  put(w, "%s\n      <effect>", open ? "" : ">");
  const size_t begin = w->out.length;
  put_statements(w, t->statements, statements, false);
  put_resets(w, t->statements, statements);
  const bool empty = w->out.length == begin;
  put(w, "</effect>");
  if (empty)
    w->out.length = head;
  put(w, "%s", empty && !open ? "/>\n" : "\n    </transition>\n");
}

/* Guard and effect are elements, because attributes have at most 1 MiB. */
static void put_sender(struct writer *w, const struct transition *t, const struct side *side) {
  struct side partner;
  writer_begin(w, t);
  put_side(w, side);
  put_selects(w, t);
  if (writer_side(w, t, 1, &partner))
    put(w, " send=\"%s\"", channel_of(w, t));
  const size_t head = w->out.length;
  put(w, ">\n      <guard>");
  const bool guarded = writer_guards(w, put_self(w, side));
  put(w, "</guard>");
  if (!guarded)
    w->out.length = head;
  put_effect(w, t, guarded);
  w->transition = NULL;
}

static void put_receiver(struct writer *w, const struct transition *t, const struct side *side) {
  put_side(w, side);
  put(w, " receive=\"%s\"", channel_of(w, t));
  const size_t before = w->out.length;
  put(w, " guard=\"");
  if (put_self(w, side))
    put(w, "\"");
  else
    w->out.length = before;
  put(w, "/>\n");
}

/* Those of the process; NO_PROCESS: those without one. */
static void put_transitions(struct xml_writer *x, uint32_t process) {
  const struct model *model = x->w.model;
  struct side side;
  for (size_t i = 0; i < model->transition_count; i++) {
    const struct transition *t = &model->transitions[i];
    if (writer_side(&x->w, t, 0, &side) && side.process == process)
      put_sender(&x->w, t, &side);
    if (writer_side(&x->w, t, 1, &side) && side.process == process)
      put_receiver(&x->w, t, &side);
  }
}

static void put_process(struct xml_writer *x, uint32_t number) {
  struct writer *w = &x->w;
  const struct process *p = &w->model->processes[number];
  const int64_t initial = w->model->variables[p->location_variable].init[0];
  put(w, "  <process name=\"%s\"", w->processes[number]);
  if (!p->single)
    put(w, " instances=\"%" PRIu32 "\"", p->instances);
  if (p->fair != FAIR_NONE && x->faithful)
    put(w, " fair=\"%s\"", p->fair == FAIR_WEAK ? "weak" : "strong");
  put(w, ">\n");
  for (uint32_t v = 0; v < w->model->variable_count; v++)
    if (w->local[v] && w->model->variables[v].owner == number)
      put_variable(x, v, "    ");
  if (!w->located[number])
    put(w, "    <location name=\"here\" initial=\"true\"/>\n");
  for (size_t l = 0; w->located[number] && l < p->location_count; l++)
    put(w, "    <location name=\"%s\"%s%s/>\n", w->locations[number][l],
        (int64_t)l == initial ? " initial=\"true\"" : "",
        p->locations[l].committed && w->commits ? " committed=\"true\"" : "");
  put_transitions(x, number);
  put(w, "  </process>\n");
}

static void put_processes(struct xml_writer *x) {
  struct writer *w = &x->w;
  const struct model *model = w->model;
  struct side partner;
  x->channels = arena_array(w->arena, model->transition_count, sizeof *x->channels);
  for (size_t i = 0; i < model->transition_count; i++)
    if (writer_side(w, &model->transitions[i], 1, &partner)) {
      const char *channel = model->edges[model->transitions[i].participants[0].edge].channel;
      x->channels[i] = writer_name(w, NULL, arena_printf(w->arena, "%s_%zu", channel ? channel : "step", i));
      put(w, "  <channel name=\"%s\"/>\n", x->channels[i]);
    }
  for (uint32_t p = 0; p < model->process_count; p++)
    put_process(x, p);
  bool outside = !model->process_count;
  for (size_t i = 0; i < model->transition_count; i++)
    outside = outside || model->transitions[i].participants[0].process == NO_PROCESS;
  if (!outside)
    return;
  put(w, "  <process name=\"%s\">\n    <location name=\"here\" initial=\"true\"/>\n", writer_name(w, NULL, "net"));
  put_transitions(x, NO_PROCESS);
  put(w, "  </process>\n");
}

/* ---- the model -------------------------------------------------------------------------------- */

/* Transitions of several instances are steps of a process alone, or handshakes that are kept. */
static bool is_faithful(const struct writer *w) {
  struct side partner;
  for (size_t i = 0; i < w->model->transition_count; i++) {
    const struct transition *t = &w->model->transitions[i];
    const size_t sides = writer_side(w, t, 1, &partner) ? 2 : 1;
    if (t->participant_count > sides && !t->participants[1].participates &&
        !(w->model->edges[t->participants[0].edge].channel_number < w->model->channel_count &&
          w->model->channels[w->model->edges[t->participants[0].edge].channel_number].broadcast))
      return false;
  }
  return true;
}

floe_status xml_write(const struct model *model, struct arena *arena, floe_log *log, const char **text) {
  const struct dialect dialect = {.operators = operators(arena),
                                  .reserved = reserved,
                                  .has_conditionals = true,
                                  .has_templates = true,
                                  .lo = INT64_MIN,
                                  .hi = INT64_MAX,
                                  .numbers = "64 bits",
                                  .element = put_element,
                                  .at = put_at,
                                  .enabled = put_enabled};
  struct xml_writer x;
  writer_start(&x.w, &dialect, model, arena, log);
  x.types = arena_array(arena, model->variable_count, sizeof *x.types);
  x.faithful = is_faithful(&x.w);
  put_processes(&x);
  if (!x.w.failed)
    xml_write_properties(&x.w, x.faithful);
  put(&x.w, "</model>\n");
  const struct writer_text body = writer_take(&x.w);
  put_head(&x);
  return writer_join(&x.w, body, text);
}
