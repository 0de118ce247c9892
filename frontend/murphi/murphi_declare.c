/* Declarations, and the first walk through the file. */
#include "frontend/murphi/murphi_check.h"

static const struct definition *defined(const struct mu_check *c, struct mu_name name) {
  return definition_find(c->definitions, c->definition_count, mu_name_text(c, name));
}

static void add_constant(struct mu_check *c, struct mu_name name, const struct mu_type *type, int64_t value,
                         bool global) {
  const struct definition *given = global ? defined(c, name) : NULL;
  if (given)
    definition_number(given, &value); /* it is a number: src/api has checked it */
  if (given && !mu_is_number(type) && (value < type->lo || value > type->hi)) {
    MU_ERROR(c, name.at, NULL, "the value %lld given for '%s' is outside its type", (long long)value, given->name);
    return;
  }
  if (global)
    *ARENA_PUSH(c->build.arena, c->constants, c->build.model->constant_count, c->constant_cap) =
        (struct constant){.name = mu_name_text(c, name), .value = value, .given = given != NULL};
  mu_declare(c, (struct mu_symbol){
                    .kind = MU_SYMBOL_CONSTANT, .name = name, .type = type, .value = build_const(&c->build, value)});
}

static void declare_constants(struct mu_check *c, const struct mu_declaration *d, bool global) {
  const struct mu_type *type;
  int64_t value;
  if (!mu_constant(c, d->value, "the value of the constant", &type, &value))
    return;
  for (size_t i = 0; i < d->names.n; i++)
    add_constant(c, d->names.items[i], type, value, global);
}

static void declare_variables(struct mu_check *c, const struct mu_declaration *d, bool global) {
  const struct mu_type *type = mu_type_of(c, d->type, NULL);
  for (size_t i = 0; type && i < d->names.n && !c->build.stop; i++) {
    const struct mu_name name = d->names.items[i];
    const char *text = mu_name_text(c, name);
    c->build.here = name.at;
    const struct mu_object *object = global ? mu_state_object(c, text, type, name.at) : mu_local_object(c, text, type);
    mu_declare(c, (struct mu_symbol){.kind = MU_SYMBOL_PLACE, .name = name, .place = mu_whole(object)});
  }
}

void mu_declare_item(struct mu_check *c, const struct mu_declaration *d, bool global) {
  if (d->kind == MU_DECLARE_CONST)
    declare_constants(c, d, global);
  else if (d->kind == MU_DECLARE_VAR)
    declare_variables(c, d, global);
  else {
    const struct mu_type *type = mu_type_of(c, d->type, mu_name_text(c, d->names.items[0]));
    for (size_t i = 0; type && i < d->names.n; i++)
      mu_declare(c, (struct mu_symbol){.kind = MU_SYMBOL_TYPE, .name = d->names.items[i], .type = type});
  }
}

void mu_declare_local(struct mu_check *c, const struct mu_declarations *declarations) {
  for (size_t i = 0; i < declarations->n; i++)
    mu_declare_item(c, &declarations->items[i], false);
}

/* ---- the first walk ------------------------------------------------------------------------------ */

static void walk(struct mu_check *c, const struct mu_items *items, bool global);

static void check_property(struct mu_check *c, const struct mu_item *item) {
  c->block = NULL;
  mu_condition(c, item->expr);
}

static void walk_item(struct mu_check *c, const struct mu_item *item, bool global) {
  struct mu_surroundings around;
  switch (item->kind) {
  case MU_I_DECLARATION:
    if (!global && item->declaration.kind == MU_DECLARE_VAR)
      MU_ERROR(c, item->at, "declare them outside of rulesets", "variables of the state cannot be declared here");
    else
      mu_declare_item(c, &item->declaration, global);
    return;
  case MU_I_FUNCTION:
    mu_declare_function(c, item->function);
    return;
  case MU_I_RULESET:
  case MU_I_ALIAS:
  case MU_I_CHOOSE:
    around = mu_enter_item(c, item);
    walk(c, &item->children, false);
    mu_leave_item(c, around);
    return;
  case MU_I_RULE:
    mu_lower_firing(c, item);
    return;
  case MU_I_STARTSTATE:
    if (c->choice_count)
      MU_ERROR(c, item->at, "write it outside of 'choose'", "a start state cannot depend on the element of a multiset");
    else
      mu_lower_firing(c, item);
    return;
  default:
    if (c->choice_count)
      MU_ERROR(c, item->at, "use multisetcount", "a property cannot depend on the element that a rule chooses");
    else
      check_property(c, item);
  }
}

static void walk(struct mu_check *c, const struct mu_items *items, bool global) {
  for (size_t i = 0; i < items->n && !c->build.stop; i++)
    walk_item(c, &items->items[i], global);
}

void mu_declare_file(struct mu_check *c) {
  c->checking = true;
  walk(c, &c->file->items, true);
  c->checking = false;
}
