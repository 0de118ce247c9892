/* Symbols of variables with their leaves, processes, and channels. */
#include "frontend/promela/promela_check.h"

#include <string.h>

#define MAX_CAPACITY 255 /* of channels, as in Spin */
#define MAX_MTYPE 255    /* values, as in Spin */
#define MAX_FIELDS 256   /* of a message */
#define MAX_DEPTH 31     /* of records in records */

/* ---- types --------------------------------------------------------------------------------------- */

static const struct pr_typedef *find_typedef(const struct pr_check *c, const struct pr_name *name) {
  for (size_t i = 0; i < c->tree->typedefs.n; i++)
    if (c->tree->typedefs.items[i].name.id == name->id)
      return &c->tree->typedefs.items[i];
  return NULL; /* the parser knows that it exists */
}

static struct pr_scalar scalar(enum pr_type type, struct pr_name type_name, int64_t bits) {
  struct pr_scalar s = {.type = type, .subtype = type_name.id};
  switch (type) {
  case PR_T_BIT:
    s.hi = 1;
    break;
  case PR_T_SHORT:
    s.lo = INT16_MIN;
    s.hi = INT16_MAX;
    break;
  case PR_T_INT:
    s.lo = INT32_MIN;
    s.hi = INT32_MAX;
    break;
  case PR_T_UNSIGNED:
    s.hi = ((int64_t)1 << bits) - 1;
    break;
  default:
    s.hi = UINT8_MAX;
  }
  return s;
}

static struct pr_scalar scalar_of(struct pr_check *c, const struct pr_variable *v) {
  const struct pr_context x = {.check = c};
  int64_t bits = 1;
  if (v->type == PR_T_UNSIGNED && !v->bits)
    PR_ERROR(c, v->name.at, "write unsigned name : 3", "the width of '%s' is missing", PR_NAME_OF(c, v->name.id));
  else if (v->type == PR_T_UNSIGNED)
    pr_constant(&x, v->bits, "the number of bits", 1, 31, &bits);
  return scalar(v->type, v->type_name, bits);
}

static void check_mtypes(struct pr_check *c) {
  const struct pr_mtype *all = c->tree->mtypes.items;
  for (size_t i = 0; i < c->tree->mtypes.n; i++) {
    size_t before = 0;
    for (size_t j = 0; j < i; j++)
      before += all[j].subtype.id == all[i].subtype.id ? all[j].values.n : 0;
    if (before <= MAX_MTYPE && before + all[i].values.n > MAX_MTYPE)
      PR_ERROR(c, all[i].values.items[MAX_MTYPE - before].at, NULL, "mtype has more than %d values", MAX_MTYPE);
  }
}

/* ---- leaves -------------------------------------------------------------------------------------- */

struct path {
  const char *name;
  uint32_t *fields, *sizes;
  size_t depth;
  uint64_t count;
};

static struct path extended(struct pr_check *c, const struct path *outer, const struct pr_variable *v) {
  struct arena *arena = c->build.arena;
  const struct pr_context x = {.check = c};
  struct path path = *outer;
  path.depth = outer->name ? outer->depth + 1 : 0;
  path.fields = arena_array(arena, path.depth + 1, sizeof *path.fields);
  path.sizes = arena_array(arena, path.depth + 1, sizeof *path.sizes);
  const char *name = PR_NAME_OF(c, v->name.id);
  path.name = outer->name ? arena_printf(arena, "%s.%s", outer->name, name) : name;
  if (path.depth) {
    memcpy(path.sizes, outer->sizes, path.depth * sizeof *path.sizes);
    if (path.depth > 1)
      memcpy(path.fields, outer->fields, (path.depth - 1) * sizeof *path.fields);
    path.fields[path.depth - 1] = v->name.id;
  }
  int64_t size = 0;
  if (v->size && !pr_constant(&x, v->size, "the size of an array", 1, BUILD_MAX_VALUES, &size))
    size = 1;
  path.sizes[path.depth] = (uint32_t)size;
  path.count = outer->count * (size ? (uint64_t)size : 1);
  if (path.count > BUILD_MAX_VALUES) {
    build_too_large(&c->build, v->name.at, "its arrays have more than 1048576 elements");
    path.count = 1;
  }
  return path;
}

static void add_leaves(struct pr_check *c, struct pr_symbol *out, const struct path *outer,
                       const struct pr_variable *v) {
  const struct path path = extended(c, outer, v);
  if (v->type == PR_T_RECORD && path.depth == MAX_DEPTH)
    build_too_large(&c->build, v->name.at, "its records are nested more than 31 deep");
  if (v->type == PR_T_RECORD) {
    const struct pr_typedef *t = find_typedef(c, &v->type_name);
    for (size_t i = 0; i < t->fields.n && build_spend(&c->build, v->name.at, 1, 1); i++)
      add_leaves(c, out, &path, &t->fields.items[i]);
    return;
  }
  *ARENA_PUSH(c->build.arena, out->leaves, out->leaf_count, out->leaf_cap) =
      (struct pr_leaf){.name = path.name,
                       .path = path.fields,
                       .sizes = path.sizes,
                       .depth = path.depth,
                       .scalar = scalar_of(c, v),
                       .count = (uint32_t)path.count,
                       .written = v};
}

static void declare(struct pr_check *c, struct pr_symbols *out, const struct pr_variable *v) {
  struct pr_symbol symbol = {.written = v};
  const struct path none = {.count = 1};
  add_leaves(c, &symbol, &none, v);
  *ARENA_PUSH(c->build.arena, out->items, out->n, out->cap) = symbol;
}

static void declare_all(struct pr_check *c, struct pr_symbols *out, const struct pr_variables *all) {
  for (size_t i = 0; i < all->n; i++)
    declare(c, out, &all->items[i]);
}

static void declare_globals(struct pr_check *c) {
  const struct pr_variables *all = &c->tree->globals;
  for (size_t i = 0; i < all->n; i++) {
    for (size_t k = 0; k < c->globals.n; k++)
      if (c->globals.items[k].written->name.id == all->items[i].name.id) {
        PR_ERROR(c, all->items[i].name.at, NULL, "there are two variables '%s'", PR_NAME_OF(c, all->items[i].name.id));
        break;
      }
    declare(c, &c->globals, &all->items[i]);
  }
}

/* ---- processes ----------------------------------------------------------------------------------- */

static void declare_locals(struct pr_check *c, struct pr_process *p, const struct pr_statements *list, size_t from) {
  for (size_t i = from; i < list->n; i++) {
    const struct pr_statement *s = &list->items[i];
    declare_all(c, &p->symbols, &s->variables);
    declare_locals(c, p, &s->body, 0);
    declare_locals(c, p, &s->escape, 0);
    for (size_t k = 0; k < s->option_count; k++)
      declare_locals(c, p, &s->options[k], 0);
  }
}

static void declare_process(struct pr_check *c, struct pr_process *p, const struct pr_proctype *written) {
  const struct pr_context x = {.check = c};
  p->written = written;
  p->number = PR_NONE;
  p->name = written->is_init ? "init" : PR_NAME_OF(c, written->name.id);
  declare_all(c, &p->symbols, &written->parameters);
  const size_t leading = pr_leading_declarations(written);
  for (size_t i = 0; i < leading; i++)
    declare_all(c, &p->symbols, &written->body.items[i].variables);
  p->leading = p->symbols.n;
  declare_locals(c, p, &written->body, leading);
  int64_t active = 1;
  if (written->instances)
    pr_constant(&x, written->instances, "the number of active instances", 0, PR_MOST_PROCESSES, &active);
  p->active = written->is_init || written->is_active ? (uint32_t)active : 0;
  int64_t priority = 1;
  if (written->priority)
    pr_constant(&x, written->priority, "a priority", 0, PR_MOST_PRIORITY, &priority);
  p->priority = priority ? (uint32_t)priority : 1;
  if (!pr_build_graph(c->tree, written, c->build.arena, c->build.log, &p->graph))
    c->build.errors++;
}

/* Active instances have their numbers in the order of the text, init the last one. */
static void number_active(struct pr_check *c) {
  for (size_t init = 0; init < 2; init++)
    for (size_t i = 0; i < c->tree->proctypes.n; i++)
      if (c->processes[i].written->is_init == (init == 1)) {
        c->processes[i].first_pid = c->actives;
        c->actives += c->processes[i].active;
        if (c->actives > PR_MOST_PROCESSES && c->actives - c->processes[i].active <= PR_MOST_PROCESSES)
          PR_ERROR(c, c->processes[i].written->at, NULL, "there are more than %d active processes", PR_MOST_PROCESSES);
      }
}

/* ---- assigned variables -------------------------------------------------------------------------- */

bool pr_is_target(const struct pr_context *x, const struct pr_expr *e) {
  const struct pr_process *owner;
  if (e->op != PR_E_NAME)
    return e->op == PR_E_INDEX || e->op == PR_E_FIELD;
  const char *name = PR_NAME_OF(x->check, e->name.id);
  return strcmp(name, "_") != 0 && strcmp(name, "_priority") != 0 &&
         (pr_find(x, e->name.id, &owner) || !pr_mtype_value(x->check, e->name.id));
}

/* What the statement may assign: those of them that are targets (pr_is_target). */
struct targets {
  const struct pr_expr *const *items;
  size_t n;
};

static struct targets targets_of(const struct pr_statement *s) {
  switch (s ? s->kind : PR_S_ELSE) {
  case PR_S_ASSIGN:
  case PR_S_INCREMENT:
  case PR_S_DECREMENT:
    return (struct targets){&s->target, 1};
  case PR_S_RECEIVE:
    return (struct targets){s->arguments.items, s->arguments.n};
  default:
    return (struct targets){NULL, 0};
  }
}

bool pr_assigns(const struct pr_context *x, const struct pr_statement *s, const struct pr_symbol *symbol) {
  const struct targets targets = targets_of(s);
  for (size_t i = 0; i < targets.n; i++) {
    const struct pr_expr *target = targets.items[i];
    const struct pr_process *owner;
    if (!pr_is_target(x, target))
      continue;
    while (target->op != PR_E_NAME)
      target = target->a;
    if (pr_find(x, target->name.id, &owner) == symbol)
      return true;
  }
  return false;
}

static void mark_step(struct pr_check *c, const struct pr_process *p, const struct pr_step *step) {
  const struct pr_context x = {.check = c, .process = p, .scope = step->scope};
  const struct targets targets = targets_of(step->statement);
  for (size_t i = 0; i < targets.n; i++)
    if (pr_is_target(&x, targets.items[i]))
      pr_mark_assigned(&x, targets.items[i]);
}

/* Of a process that runs: parameters, and variables whose initial values depend on the state. */
static void mark_created(struct pr_check *c, struct pr_process *p) {
  const struct pr_context x = {.check = c, .process = p};
  for (size_t i = 0; p->runs && i < p->leading; i++)
    for (size_t k = 0; k < p->symbols.items[i].leaf_count; k++) {
      struct pr_leaf *leaf = &p->symbols.items[i].leaves[k];
      leaf->assigned |=
          i < p->written->parameters.n || (leaf->written->value && !pr_is_literal(&x, leaf->written->value));
    }
}

static void mark_assigned(struct pr_check *c) {
  for (size_t i = 0; i < c->tree->proctypes.n; i++) {
    struct pr_process *p = &c->processes[i];
    for (size_t s = 0; s < p->graph.step_count; s++)
      mark_step(c, p, &p->graph.steps[s]);
    mark_created(c, p);
  }
}

/* ---- channels ------------------------------------------------------------------------------------ */

struct fields {
  struct pr_scalar *items;
  size_t n, cap;
};

static void add_fields(struct pr_check *c, const struct pr_message_field *f, source_at at, struct fields *out) {
  if (f->type == PR_T_RECORD) {
    struct pr_symbol symbol = {0};
    const struct pr_variable record = {.name = {f->type_name.id, at}, .type = PR_T_RECORD, .type_name = f->type_name};
    const struct path none = {.count = 1};
    add_leaves(c, &symbol, &none, &record);
    for (size_t i = 0; i < symbol.leaf_count; i++)
      for (uint32_t k = 0; k < symbol.leaves[i].count && out->n <= MAX_FIELDS; k++)
        *ARENA_PUSH(c->build.arena, out->items, out->n, out->cap) = symbol.leaves[i].scalar;
  } else if (f->type == PR_T_UNSIGNED)
    PR_ERROR(c, f->type_name.at, "use byte, short or int", "a field of a message has no width in bits");
  else
    *ARENA_PUSH(c->build.arena, out->items, out->n, out->cap) = scalar(f->type, f->type_name, 1);
}

static void declare_queues(struct pr_check *c, const struct pr_process *p, struct pr_leaf *leaf) {
  const struct pr_context x = {.check = c, .process = p};
  const struct pr_channel *written = leaf->written->channel;
  struct fields fields = {0};
  int64_t capacity = 0;
  pr_constant(&x, written->capacity, "the capacity of a channel", 0, MAX_CAPACITY, &capacity);
  for (size_t i = 0; i < written->n; i++)
    add_fields(c, &written->items[i], leaf->written->name.at, &fields);
  const uint64_t size = (uint64_t)leaf->count * (p ? p->instances : 1);
  if (!capacity && c->tree->has_priorities)
    PR_ERROR(c, leaf->written->name.at, "omit the priorities, as for Spin",
             "a channel without a buffer in a model with priorities");
  else if (!capacity && c->tree->has_enabled)
    PR_ERROR(c, leaf->written->name.at, "omit 'enabled', as for Spin", "a channel without a buffer beside 'enabled'");
  if (fields.n > MAX_FIELDS || c->queue_count + size > UINT8_MAX ||
      size * (uint64_t)capacity * fields.n > BUILD_MAX_VALUES) {
    build_too_large(&c->build, leaf->written->name.at, "its channels are more than 255, or have too many fields");
    return;
  }
  leaf->first_queue = (uint32_t)c->queue_count;
  const uint32_t channel = (uint32_t)c->build.model->channel_count;
  const char *name = p ? arena_printf(c->build.arena, "%s.%s", p->name, leaf->name) : leaf->name;
  *ARENA_PUSH(c->build.arena, c->channels, c->build.model->channel_count, c->channel_cap) =
      (struct channel){.name = name,
                       .size = (uint32_t)size,
                       .is_array = size > 1,
                       .capacity = (uint32_t)capacity,
                       .field_count = fields.n};
  for (uint32_t i = 0; i < size; i++)
    *ARENA_PUSH(c->build.arena, c->queues, c->queue_count, c->queue_cap) =
        (struct pr_queue){.process = p ? (uint32_t)(p - c->processes) : PR_NONE,
                          .instance = p ? i / leaf->count : 0,
                          .channel = channel,
                          .element = i,
                          .capacity = (uint32_t)capacity,
                          .fields = fields.items,
                          .field_count = fields.n};
}

static void declare_channels(struct pr_check *c, const struct pr_process *p, struct pr_symbols *symbols) {
  for (size_t i = 0; i < symbols->n; i++)
    for (size_t k = 0; k < symbols->items[i].leaf_count; k++)
      if (symbols->items[i].leaves[k].written->channel && (!p || p->instances))
        declare_queues(c, p, &symbols->items[i].leaves[k]);
}

void pr_declare(struct pr_check *c) {
  check_mtypes(c);
  declare_globals(c);
  c->processes = arena_array(c->build.arena, c->tree->proctypes.n + 1, sizeof *c->processes);
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    declare_process(c, &c->processes[i], &c->tree->proctypes.items[i]);
  if (c->build.errors)
    return;
  number_active(c);
  pr_declare_trace(c);
  if (c->build.errors)
    return;
  pr_count_instances(c);
  mark_assigned(c);
  declare_channels(c, NULL, &c->globals);
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    declare_channels(c, &c->processes[i], &c->processes[i].symbols);
}
