#include "frontend/check/check_constants.h"

#include "frontend/expr/check_expr.h"
#include "frontend/expr/check_names.h"

/* ---- constants ----------------------------------------------------------------------- */

/* An error in -D has no place in the file. */
static void definition_check(struct check *c, const struct definition *d) {
  struct scope s = {.check = c};
  const struct symbol *symbol = names_find(&c->globals, d->name);
  bool known = symbol && symbol->kind == SYMBOL_CONSTANT;
  int64_t value;
  if (known && definition_number(d, &value))
    return;
  c->build.errors++;
  if (known)
    diag_error(c->build.log, NULL, NOWHERE, "a decimal integer, true or false", "-D %s=%s: '%s' is no value", d->name,
               d->value, d->value);
  else
    diag_error(c->build.log, NULL, NOWHERE, scope_suggestion(&s, d->name, SYMBOL_CONSTANT),
               "-D %s=%s: the model '%s' has no constant '%s'", d->name, d->value, c->syntax->name, d->name);
}

static bool evaluate_constant(struct check *c, const struct syntax_constant *syntax, struct constant *constant) {
  struct scope s = {.check = c, .constant = true};
  const struct definition *d = definition_find(c->definitions, c->definition_count, constant->name);
  constant->given = d != NULL;
  if (d) {
    if (syntax->value) /* names in it are checked nevertheless */
      lower_dead(&s, syntax->value, true);
    return definition_number(d, &constant->value);
  }
  if (syntax->value)
    return constant_eval(&s, syntax->value, &constant->value);
  CHECK_ERROR(c, syntax->at, arena_printf(c->build.arena, "give it with -D %s=VALUE", constant->name),
              "constant '%s' has no value", constant->name);
  return false;
}

static bool constant_in_range(struct check *c, const struct syntax_constant *syntax, const struct constant *constant) {
  int64_t lo, hi;
  if (!syntax->has_range)
    return true;
  if (!constant_range(&(struct scope){.check = c, .constant = true}, &syntax->range, &lo, &hi))
    return false;
  if (lo <= constant->value && constant->value <= hi)
    return true;
  CHECK_ERROR(c, syntax->at, NULL, "constant '%s' is %lld; it must be within %lld..%lld", constant->name,
              (long long)constant->value, (long long)lo, (long long)hi);
  return false;
}

void constants_evaluate(struct check *c) {
  const struct syntax_model *m = c->syntax;
  for (size_t i = 0; i < c->definition_count; i++)
    definition_check(c, &c->definitions[i]);
  c->constants.items = arena_array(c->build.arena, m->constant_count, sizeof *c->constants.items);
  c->build.model->constants = c->constants.items;
  c->constants.known = arena_array(c->build.arena, m->constant_count, sizeof *c->constants.known);
  for (size_t i = 0; i < m->constant_count; i++) {
    struct constant *constant = &c->constants.items[i];
    constant->name = m->constants[i].name;
    c->constants.known[i] =
        evaluate_constant(c, &m->constants[i], constant) && constant_in_range(c, &m->constants[i], constant);
    c->constants.evaluated = i + 1;
  }
}

/* ---- processes ----------------------------------------------------------------------- */

void processes_size(struct check *c) {
  struct scope s = {.check = c, .constant = true};
  for (size_t i = 0; i < c->syntax->process_count; i++) {
    const struct syntax_expr *instances = c->syntax->processes[i].instances;
    struct process *process = &c->processes[i];
    int64_t value = 1;
    process->name = c->syntax->processes[i].name;
    process->single = !instances;
    process->fair = c->syntax->processes[i].fair;
    process->symmetric = c->syntax->processes[i].symmetric;
    process->at = c->syntax->processes[i].at;
    size_t constants = c->constants.read;
    if (!instances || constant_within(&s, instances, "the number of instances", 1, CHECK_MAX_INSTANCES, &value))
      process->instances = (uint32_t)value;
    c->templates[i].varies = c->constants.read != constants;
  }
}

static bool parameter_evaluate(struct check *c, struct template *process, size_t number) {
  const struct syntax_parameter *syntax = &process->syntax->parameters[number];
  uint32_t instances = process->process->instances;
  if (syntax->value.n > 1 && syntax->value.n != instances) {
    CHECK_ERROR(c, syntax->at, NULL, "parameter '%s' has %zu values for %u instances", syntax->name, syntax->value.n,
                instances);
    return false;
  }
  for (uint32_t i = 0; i < instances; i++) {
    struct scope s = {.check = c, .process = process, .instance = i, .constant = true};
    const struct syntax_expr *e = syntax->value.items[syntax->value.n > 1 ? i : 0];
    if (!constant_eval(&s, e, &process->parameters[i * process->syntax->parameter_count + number]))
      return false;
  }
  return true;
}

void parameters_evaluate(struct check *c, struct template *process) {
  size_t count = process->syntax->parameter_count;
  if (!process->process->instances)
    return;
  if (!build_spend(&c->build, process->syntax->at, count * process->process->instances, 0))
    return;
  process->parameters = arena_array(c->build.arena, count * process->process->instances, sizeof *process->parameters);
  process->parameter_known = arena_array(c->build.arena, count, sizeof *process->parameter_known);
  process->parameter_varies = arena_array(c->build.arena, count, sizeof *process->parameter_varies);
  for (size_t i = 0; i < count; i++) {
    size_t constants = c->constants.read;
    process->parameter_known[i] = parameter_evaluate(c, process, i);
    process->parameter_varies[i] = c->constants.read != constants;
    process->parameters_evaluated = i + 1;
  }
}
