/* A model is a net if its guards compare single elements with constants, and its effects add constants to them or set
   them. Each element is a place with as many tokens as its value, and so is each location of an instance, with a token
   while the instance is there. Guards and effects are evaluated symbolically, for each choice of the selects. */
#include "frontend/pnml/pnml_write.h"

#include "frontend/pnml/net.h"
#include "model/process.h"
#include "model/write/writer.h"

#include <inttypes.h>
#include <string.h>

#define NO_PLACE UINT32_MAX

/* Tokens of a place before the step, or 0, plus a number. */
struct linear {
  uint32_t place; /* NO_PLACE: the number alone */
  int64_t plus;
};

struct place_info {
  const char *name, *id;
  int64_t initial, most; /* most: NET_MOST_TOKENS for a variable whose range need not be checked */
  source_at at;
};

/* What a transition does with a place. */
struct change {
  bool touched, set; /* set: the tokens afterwards are `to`, else `to` more than before */
  int64_t to;
  int64_t least, most; /* guard: least <= tokens <= most */
};

struct pnml_writer {
  struct writer w; /* first: a struct writer of this dialect is one of these */
  struct place_info *places;
  size_t place_count;
  uint32_t *first;        /* [variable] place of element 0; locations: of location 0 of instance 0 */
  struct change *changes; /* [place] */
  uint32_t *touched;      /* places in `changes` that are in use */
  size_t touched_count;
  bool never; /* a guard is false */
};

#define REFUSE(p, at, ...)                                                                                             \
  writer_refuse(&(p)->w, (at),                                                                                         \
                "nets have guards p >= 2 and p < 2 of single variables, and effects p = p + 1 and p = 0", __VA_ARGS__)

/* ---- places ----------------------------------------------------------------------------------- */

static void add_place(struct pnml_writer *p, const char *name, int64_t initial, int64_t most, source_at at) {
  p->places[p->place_count++] = (struct place_info){name, writer_name(&p->w, NULL, name), initial, most, at};
}

static void add_locations(struct pnml_writer *p, const struct variable *v) {
  const struct model *model = p->w.model;
  const struct process *process = &model->processes[v->owner];
  for (uint32_t i = 0; i < process->instances; i++)
    for (size_t l = 0; l < process->location_count; l++)
      add_place(
          p,
          arena_printf(p->w.arena, "%s.%s", instance_name(model, v->owner, i, p->w.arena), process->locations[l].name),
          v->init[i] == (int64_t)l, 1, process->locations[l].at);
}

/* A variable that nothing assigns is a place only in a net. */
static void add_places(struct pnml_writer *p) {
  struct writer *w = &p->w;
  const struct model *model = w->model;
  size_t count = 0;
  for (size_t v = 0; v < model->variable_count; v++)
    count += model->variables[v].kind == VARIABLE_LOCATION
                 ? model->variables[v].count * model->processes[model->variables[v].owner].location_count
                 : model->variables[v].count;
  p->places = arena_array(w->arena, count, sizeof *p->places);
  p->first = arena_array(w->arena, model->variable_count, sizeof *p->first);
  for (uint32_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    p->first[v] = (uint32_t)p->place_count;
    if (variable->kind == VARIABLE_LOCATION) {
      add_locations(p, variable);
      continue;
    }
    if (!variable->assigned && model->process_count)
      p->first[v] = NO_PLACE;
    else if (variable->lo < 0 || variable->values)
      REFUSE(p, variable->at, "'%s' has %s, and places have a number of tokens", variable->name,
             variable->values ? "a set of values" : "negative values");
    for (uint32_t i = 0; p->first[v] != NO_PLACE && i < variable->count; i++)
      add_place(p, element_name(model, v, i, w->arena), variable->init[i],
                variable->ranges ? variable->ranges[i % variable->length].hi : variable->hi, variable->at);
  }
  p->changes = arena_array(w->arena, p->place_count, sizeof *p->changes);
  p->touched = arena_array(w->arena, p->place_count, sizeof *p->touched);
}

static struct change *change_of(struct pnml_writer *p, uint32_t place) {
  struct change *change = &p->changes[place];
  if (change->touched)
    return change;
  *change = (struct change){.touched = true, .most = p->places[place].most};
  p->touched[p->touched_count++] = place;
  return change;
}

/* ---- values ----------------------------------------------------------------------------------- */

static bool value_of(struct pnml_writer *p, const struct expr *e, struct linear *out);

static bool constant_of(struct pnml_writer *p, const struct expr *e, int64_t *out) {
  struct linear value;
  const bool constant = value_of(p, e, &value) && value.place == NO_PLACE;
  *out = value.plus;
  return constant;
}

/* The place that a variable's element is. */
static bool place_of(struct pnml_writer *p, uint32_t variable, const struct expr *index, uint32_t *out) {
  int64_t element = 0;
  if (index && (!constant_of(p, index, &element) || element < 0 || element >= p->w.model->variables[variable].count))
    return false;
  *out = p->first[variable] + (uint32_t)element;
  return true;
}

/* After the statements so far. */
static bool read_of(struct pnml_writer *p, const struct expr *e, struct linear *out) {
  const struct variable *v = &p->w.model->variables[e->id];
  uint32_t place;
  int64_t element = 0;
  if (v->kind == VARIABLE_LOCATION)
    return false;
  if (p->first[e->id] == NO_PLACE) { /* a constant array */
    if (e->a && (!constant_of(p, e->a, &element) || element < 0 || element >= v->count))
      return false;
    *out = (struct linear){NO_PLACE, v->init[element]};
    return true;
  }
  if (!place_of(p, e->id, e->a, &place))
    return false;
  const struct change *change = &p->changes[place];
  *out = (struct linear){change->touched && change->set ? NO_PLACE : place, change->touched ? change->to : 0};
  return true;
}

static bool sum_of(struct pnml_writer *p, const struct expr *e, struct linear *out) {
  struct linear a, b;
  if (!value_of(p, e->a, &a) || !value_of(p, e->b, &b))
    return false;
  if (e->op == EXPR_SUB && b.place != NO_PLACE) {
    if (a.place != b.place)
      return false;
    *out = (struct linear){NO_PLACE, a.plus - b.plus};
    return true;
  }
  if (a.place != NO_PLACE && b.place != NO_PLACE)
    return false;
  *out =
      (struct linear){a.place != NO_PLACE ? a.place : b.place, e->op == EXPR_SUB ? a.plus - b.plus : a.plus + b.plus};
  return true;
}

/* Operators that nets do not have, on constants. */
static bool constant_operator(struct pnml_writer *p, const struct expr *e, struct linear *out) {
  int64_t a, b;
  if (!constant_of(p, e->a, &a) || !constant_of(p, e->b, &b) || ((e->op == EXPR_DIV || e->op == EXPR_MOD) && b == 0))
    return false;
  const int64_t value = e->op == EXPR_MUL   ? a * b
                        : e->op == EXPR_DIV ? a / b
                        : e->op == EXPR_MOD ? a % b
                        : e->op == EXPR_MIN ? (a < b ? a : b)
                        : e->op == EXPR_MAX ? (a > b ? a : b)
                        : e->op == EXPR_LT  ? a < b
                        : e->op == EXPR_LE  ? a <= b
                        : e->op == EXPR_EQ  ? a == b
                                            : a != b;
  *out = (struct linear){NO_PLACE, value};
  return true;
}

static bool value_of(struct pnml_writer *p, const struct expr *e, struct linear *out) {
  int64_t condition;
  *out = (struct linear){NO_PLACE, e->value};
  switch (e->op) {
  case EXPR_CONST:
    return true;
  case EXPR_SELECT:
    out->plus = p->w.chosen[e->id];
    return true;
  case EXPR_TEMP:
    return p->w.inlined[e->id] && value_of(p, p->w.inlined[e->id], out);
  case EXPR_INDEX:
    return constant_of(p, e->a, &out->plus) && out->plus >= 0 && out->plus < e->value;
  case EXPR_READ:
    return read_of(p, e, out);
  case EXPR_ADD:
  case EXPR_SUB:
    return sum_of(p, e, out);
  case EXPR_COND:
    return constant_of(p, e->a, &condition) && value_of(p, condition ? e->b : e->c, out);
  case EXPR_MUL:
  case EXPR_DIV:
  case EXPR_MOD:
  case EXPR_MIN:
  case EXPR_MAX:
  case EXPR_LT:
  case EXPR_LE:
  case EXPR_EQ:
  case EXPR_NE:
    return constant_operator(p, e, out);
  default:
    return false;
  }
}

/* ---- guards ----------------------------------------------------------------------------------- */

static void limit(struct pnml_writer *p, uint32_t place, int64_t least, int64_t most) {
  struct change *change = change_of(p, place);
  change->least = least > change->least ? least : change->least;
  change->most = most < change->most ? most : change->most;
  p->never = p->never || change->least > change->most;
}

/* value in least..most */
static void limit_value(struct pnml_writer *p, struct linear value, int64_t least, int64_t most) {
  if (value.place == NO_PLACE)
    p->never = p->never || value.plus < least || value.plus > most;
  else
    limit(p, value.place, least == INT64_MIN ? 0 : least - value.plus,
          most == INT64_MAX ? INT64_MAX : most - value.plus);
}

static bool add_comparison(struct pnml_writer *p, const struct expr *e, bool holds) {
  struct linear a, b;
  enum expr_op op = e->op;
  if (!value_of(p, e->a, &a) || !value_of(p, e->b, &b) || (a.place != NO_PLACE && b.place != NO_PLACE))
    return false;
  const bool left = b.place == NO_PLACE; /* the constant is on the right */
  const struct linear x = left ? a : b;
  const int64_t c = left ? b.plus : a.plus;
  if (op == EXPR_EQ || op == EXPR_NE) {
    if ((op == EXPR_EQ) == holds)
      limit_value(p, x, c, c);
    else if (x.place == NO_PLACE)
      p->never = p->never || x.plus == c;
    else if (c - x.plus <= 0 || c - x.plus == p->changes[x.place].least)
      limit_value(p, x, c - x.plus < 0 ? INT64_MIN : c + 1, INT64_MAX);
    else if (c - x.plus >= change_of(p, x.place)->most)
      limit_value(p, x, INT64_MIN, c - x.plus > change_of(p, x.place)->most ? INT64_MAX : c - 1);
    else
      return false;
    return true;
  }
  const bool below = left == holds; /* x < c, or x <= c */
  const bool strict = (op == EXPR_LT) == holds;
  limit_value(p, x, below ? INT64_MIN : c + strict, below ? c - strict : INT64_MAX);
  return true;
}

static bool add_location(struct pnml_writer *p, const struct expr *e, bool holds) {
  const struct model *model = p->w.model;
  int64_t element = 0;
  const struct variable *v = e->a->op == EXPR_READ ? &model->variables[e->a->id] : NULL;
  if (!v || v->kind != VARIABLE_LOCATION || e->b->op != EXPR_CONST || (e->a->a && !constant_of(p, e->a->a, &element)))
    return false;
  const uint32_t count = (uint32_t)model->processes[v->owner].location_count;
  const uint32_t place = p->first[e->a->id] + (uint32_t)element * count + (uint32_t)e->b->value;
  limit(p, place, holds, holds);
  return true;
}

/* Adds the condition that the expression is true, or false; false: a net cannot express it. */
static bool add_guard(struct pnml_writer *p, const struct expr *e, bool holds) {
  struct linear value;
  switch (e->op) {
  case EXPR_COMMITTED:
    return add_guard(p, p->w.model->committed, holds);
  case EXPR_NOT:
    return add_guard(p, e->a, !holds);
  case EXPR_AND:
  case EXPR_OR: {
    int64_t decided;
    const bool joins = (e->op == EXPR_AND) == holds;
    if (joins)
      return add_guard(p, e->a, holds) && add_guard(p, e->b, holds);
    if (constant_of(p, e->a, &decided)) /* the other operand alone matters, or none */
      return (decided != 0) == (e->op == EXPR_OR) ? add_guard(p, e->a, holds) : add_guard(p, e->b, holds);
    return constant_of(p, e->b, &decided) && (decided != 0) == (e->op == EXPR_AND) && add_guard(p, e->a, holds);
  }
  case EXPR_EQ:
  case EXPR_NE:
    if (add_location(p, e, (e->op == EXPR_EQ) == holds))
      return true;
    return add_comparison(p, e, holds);
  case EXPR_LT:
  case EXPR_LE:
    return add_comparison(p, e, holds);
  default:
    if (!value_of(p, e, &value))
      return false;
    if (value.place == NO_PLACE)
      p->never = p->never || (value.plus != 0) != holds;
    else if (value.plus != 0)
      return false;
    else
      limit(p, value.place, holds, holds ? INT64_MAX : 0);
    return true;
  }
}

/* ---- effects ---------------------------------------------------------------------------------- */

/* What is known of the tokens before makes a set number a difference. */
static void settle(struct change *change) {
  if (change->set && change->least == change->most)
    *change = (struct change){true, false, change->to - change->least, change->least, change->most};
}

static void add_move(struct pnml_writer *p, const struct statement *s) {
  const struct model *model = p->w.model;
  const struct variable *v = &model->variables[s->id];
  const uint32_t count = (uint32_t)model->processes[v->owner].location_count;
  int64_t element = 0, location = 0;
  bool known = (!s->index || constant_of(p, s->index, &element)) && constant_of(p, s->value, &location);
  uint32_t from = 0;
  for (const uint32_t first = p->first[s->id] + (uint32_t)element * count; known && from < count; from++)
    if (p->changes[first + from].touched && p->changes[first + from].least == 1)
      break;
  known = known && from < count;
  if (!known) {
    REFUSE(p, s->at, "the effect has branches");
    return;
  }
  const uint32_t first = p->first[s->id] + (uint32_t)element * count;
  if (from == location)
    return;
  change_of(p, first + from)->to = -1;
  change_of(p, first + (uint32_t)location)->to = 1;
}

static void add_assignment(struct pnml_writer *p, const struct statement *s) {
  const struct variable *v = &p->w.model->variables[s->id];
  struct linear value;
  uint32_t place;
  if (!place_of(p, s->id, s->index, &place)) {
    REFUSE(p, s->at, "which element of '%s' is assigned depends on the state", v->name);
    return;
  }
  if (!value_of(p, s->value, &value) || (value.place != NO_PLACE && value.place != place)) {
    REFUSE(p, s->at, "the value assigned to '%s' depends on more than '%s' before", p->places[place].name,
           p->places[place].name);
    return;
  }
  struct change *change = change_of(p, place);
  const bool set = value.place == NO_PLACE;
  const int64_t least = (set ? 0 : change->least) + value.plus, most = (set ? 0 : change->most) + value.plus;
  if (s->site != NO_SITE && !p->w.model->sites[s->site].guessed && (least < 0 || most > p->places[place].most))
    writer_refuse(&p->w, s->at, "add a guard",
                  "'%s' may leave its range 0..%" PRId64 " here, an error that nets do not have", p->places[place].name,
                  p->places[place].most);
  change->set = set;
  change->to = value.plus;
  settle(change);
}

static void add_statement(struct pnml_writer *p, const struct statement *s) {
  switch (s->op) {
  case ST_LET:
    if (!p->w.inlined[s->id])
      REFUSE(p, s->at, "the step computes a value before its assignments");
    break;
  case ST_ASSIGN:
    if (p->w.model->variables[s->id].kind == VARIABLE_LOCATION)
      add_move(p, s);
    else
      add_assignment(p, s);
    break;
  case ST_ASSERT:
    REFUSE(p, s->at, "nets have no assertions");
    break;
  case ST_IF:
    REFUSE(p, s->at, "the effect has branches");
    break;
  }
}

/* ---- transitions ------------------------------------------------------------------------------ */

static void put_text(struct writer *w, const char *text) {
  for (; *text; text++)
    if (strchr("&<>", *text))
      put(w, "%s", *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : "&gt;");
    else
      put(w, "%c", *text);
}

static void put_node(struct writer *w, const char *element, const char *id, const char *name) {
  put(w, "    <%s id=\"%s\">\n      <name><text>", element, id);
  put_text(w, name);
  put(w, "</text></name>\n");
}

static void put_arc(struct pnml_writer *p, const char *from, const char *to, int64_t weight, const char *kind) {
  struct writer *w = &p->w;
  if (weight == 0)
    return;
  put(w, "    <arc id=\"%s\" source=\"%s\" target=\"%s\">", writer_name(w, NULL, "arc"), from, to);
  if (weight > 1)
    put(w, "<inscription><text>%" PRId64 "</text></inscription>", weight);
  if (kind)
    put(w, "<type value=\"%s\"/>", kind);
  put(w, "</arc>\n");
}

/* Takes as many tokens as the guard needs, and puts back the rest. */
static void put_arcs(struct pnml_writer *p, uint32_t place, const char *transition) {
  const struct change *change = &p->changes[place];
  const char *id = p->places[place].id;
  const int64_t after = change->set ? change->to : change->least + change->to;
  put_arc(p, id, transition, change->least, NULL);
  put_arc(p, transition, id, after, NULL);
  if (change->set)
    put_arc(p, id, transition, 1, "reset");
  if (change->most < p->places[place].most)
    put_arc(p, id, transition, change->most + 1, "inhibitor");
}

static const char *name_of(const struct pnml_writer *p, const struct transition *t) {
  const struct writer *w = &p->w;
  const char *name = "";
  for (size_t i = 0; i < t->participant_count; i++) {
    const struct participant *who = &t->participants[i];
    const struct edge *edge = &w->model->edges[who->edge];
    const char *actor = actor_name(w->model, edge, who->instance, w->arena);
    if (who->process == NO_PROCESS)
      return actor;
    name = arena_printf(w->arena, "%s%s%s%s%s", name, i ? " " : "", actor, *edge->label ? "." : "", edge->label);
  }
  for (size_t i = 0; i < t->select_count; i++)
    name = arena_printf(w->arena, "%s %s=%" PRId64, name, t->selects[i].name, w->chosen[i]);
  return name;
}

static void put_choice(struct pnml_writer *p, const struct transition *t) {
  struct writer *w = &p->w;
  p->never = false;
  for (size_t i = 0; i < p->touched_count; i++)
    p->changes[p->touched[i]].touched = false;
  p->touched_count = 0;
  for (size_t i = 0; i < t->test_count; i++) {
    const struct location_test *test = &t->tests[i];
    const struct process *process = &w->model->processes[w->model->variables[test->variable].owner];
    limit(p, p->first[test->variable] + test->element * (uint32_t)process->location_count + test->location, 1, 1);
  }
  for (size_t i = 0; i < t->guard_count && !p->never; i++) {
    if (t->guards[i]->can_fail && !constant_of(p, t->guards[i], &(int64_t){0}))
      REFUSE(p, t->guards[i]->at, "the guard can fail");
    else if (!add_guard(p, t->guards[i], true))
      REFUSE(p, t->guards[i]->at, "the guard is not made of comparisons of variables with constants");
  }
  if (p->never || w->failed)
    return;
  for (size_t i = 0; i < t->statement_count; i++)
    add_statement(p, &t->statements[i]);
  const char *name = name_of(p, t), *id = writer_name(w, NULL, name);
  put_node(w, "transition", id, name);
  put(w, "    </transition>\n");
  for (size_t i = 0; i < p->touched_count; i++)
    put_arcs(p, p->touched[i], id);
}

/* All errors of all transitions are reported. */
static void put_transition(struct pnml_writer *p, const struct transition *t) {
  struct writer *w = &p->w;
  const bool failed = w->failed;
  writer_begin(w, t);
  if (writer_first_choice(w)) {
    do {
      w->failed = false;
      put_choice(p, t);
    } while (!w->failed && writer_next_choice(w));
  }
  w->failed = w->failed || failed;
  w->transition = NULL;
}

/* ---- the net ---------------------------------------------------------------------------------- */

static void put_places(struct pnml_writer *p) {
  struct writer *w = &p->w;
  for (size_t i = 0; i < p->place_count; i++) {
    put_node(w, "place", p->places[i].id, p->places[i].name);
    if (p->places[i].initial)
      put(w, "      <initialMarking><text>%" PRId64 "</text></initialMarking>\n", p->places[i].initial);
    put(w, "    </place>\n");
  }
}

static void report_properties(struct writer *w) {
  const struct model *model = w->model;
  const char **lost = arena_array(w->arena, model->property_count, sizeof *lost);
  size_t count = 0;
  for (size_t i = 0; i < model->property_count; i++)
    if (model->properties[i].kind != FLOE_DEADLOCK && model->properties[i].kind != FLOE_ERRORS)
      lost[count++] = model->properties[i].id;
  writer_lost(w, lost, count, "nets have properties in files of their own");
}

floe_status pnml_write(const struct model *model, struct arena *arena, floe_log *log, const char **text) {
  static const char *const reserved[] = {NULL};
  const struct dialect dialect = {
      .operators = default_operators, .reserved = reserved, .lo = INT64_MIN, .hi = INT64_MAX, .numbers = "64 bits"};
  struct pnml_writer p = {.never = false};
  struct writer *w = &p.w;
  writer_start(w, &dialect, model, arena, log);
  w->names = (struct name_table){0}; /* ids of places and transitions instead */
  put(w,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n");
  put(w, "  <net id=\"%s\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n   <page id=\"page_0\">\n",
      writer_name(w, NULL, model->name));
  add_places(&p);
  if (w->failed)
    return FLOE_ERROR_MODEL;
  put_places(&p);
  for (size_t i = 0; i < model->transition_count; i++)
    put_transition(&p, &model->transitions[i]);
  if (!w->failed)
    report_properties(w);
  put(w, "   </page>\n  </net>\n</pnml>\n");
  *text = w->out.text;
  return w->failed ? FLOE_ERROR_MODEL : FLOE_OK;
}
