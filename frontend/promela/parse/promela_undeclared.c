#include "frontend/promela/parse/promela_parser.h"

struct declared {
  const struct pr_model *model;
  bool *names; /* by number */
};

static void declare(struct declared *d, struct pr_name name) {
  if (name.id != PR_NO_NAME)
    d->names[name.id] = true;
}

static void declare_variables(struct declared *d, const struct pr_variables *variables) {
  for (size_t i = 0; i < variables->n; i++)
    declare(d, variables->items[i].name);
}

static void declare_statements(struct declared *d, const struct pr_statements *statements) {
  for (size_t i = 0; i < statements->n; i++) { /* the parser limits the depth */
    const struct pr_statement *s = &statements->items[i];
    for (size_t k = 0; k < s->labels.n; k++)
      declare(d, s->labels.items[k]);
    declare_variables(d, &s->variables);
    declare_statements(d, &s->body);
    declare_statements(d, &s->escape);
    for (size_t k = 0; k < s->option_count; k++)
      declare_statements(d, &s->options[k]);
  }
}

static void declare_process(struct declared *d, const struct pr_proctype *process) {
  declare(d, process->name);
  declare_variables(d, &process->parameters);
  declare_statements(d, &process->body);
}

static void declare_all(struct declared *d) {
  const struct pr_model *m = d->model;
  declare_variables(d, &m->globals);
  for (size_t i = 0; i < m->proctypes.n; i++)
    declare_process(d, &m->proctypes.items[i]);
  for (size_t i = 0; i < m->claims.n; i++)
    declare_process(d, &m->claims.items[i]);
  if (m->trace)
    declare_process(d, m->trace);
  for (size_t i = 0; i < m->typedefs.n; i++) {
    declare(d, m->typedefs.items[i].name);
    declare_variables(d, &m->typedefs.items[i].fields);
  }
  for (size_t i = 0; i < m->mtypes.n; i++) {
    declare(d, m->mtypes.items[i].subtype);
    for (size_t k = 0; k < m->mtypes.items[i].values.n; k++)
      declare(d, m->mtypes.items[i].values.items[k]);
  }
  for (size_t i = 0; i < m->formulas.n; i++)
    declare(d, m->formulas.items[i].name);
}

/* Names that begin with '_' are Promela's own. */
void pr_list_undeclared(struct pr_model *model, struct arena *arena) {
  struct declared d = {model, arena_array(arena, model->names.count + 1, sizeof *d.names)};
  declare_all(&d);
  for (size_t i = 0; i < model->tokens->n; i++) {
    const struct pr_token *t = &model->tokens->items[i];
    const size_t id = t->kind == PR_NAME && t->text[0] != '_' ? name_table_find(&model->names, t->text) : NAME_ABSENT;
    if (id != NAME_ABSENT && !d.names[id])
      name_table_add(&model->undeclared, arena, model->names.names[id]);
  }
}
