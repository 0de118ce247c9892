#include "api/deadlock_mode.h"

#include "base/utf8.h"

#include <string.h>

floe_status deadlock_mode_read(const char *value, floe_log *log, floe_deadlocks *out) {
  struct utf8_shown shown;
  if (value[0] < '0' + FLOE_DEADLOCKS_OFF || value[0] > '0' + FLOE_DEADLOCKS_STUTTERING || value[1]) {
    diag_error(log, NULL, NOWHERE, "1: off, 2: stuck, 3: stuttering", "'%s' is no value for constant %s",
               utf8_show(value, &shown), DEADLOCK_MODE);
    return FLOE_ERROR_MODEL;
  }
  *out = (floe_deadlocks)(value[0] - '0');
  return FLOE_OK;
}

/* Without the property, or with one: before `errors`, the last. */
static void set_property(struct model *model, bool checked, struct arena *arena) {
  struct property *list = arena_array(arena, model->property_count + 1, sizeof *list);
  size_t n = 0;
  for (size_t i = 0; i < model->property_count; i++)
    if (model->properties[i].kind != FLOE_DEADLOCK)
      list[n++] = model->properties[i];
    else if (checked)
      return;
  if (checked) {
    list[n] = list[n - 1];
    list[n - 1] =
        (struct property){.id = "deadlock", .description = "", .kind = FLOE_DEADLOCK, .text = "", .at = NOWHERE};
    n++;
  }
  model->properties = list;
  model->property_count = n;
}

static void add_constant(struct model *model, floe_deadlocks deadlocks, struct arena *arena) {
  struct constant *list = arena_array(arena, model->constant_count + 1, sizeof *list);
  if (model->constant_count)
    memcpy(list, model->constants, model->constant_count * sizeof *list);
  list[model->constant_count++] = (struct constant){.name = DEADLOCK_MODE, .value = (int64_t)deadlocks, .given = true};
  model->constants = list;
}

const struct model *deadlock_mode_set(const struct model *model, floe_deadlocks deadlocks, struct arena *arena) {
  if (deadlocks == FLOE_DEADLOCKS_OF_LANGUAGE)
    return model;
  struct model *copy = arena_alloc(arena, sizeof *copy);
  *copy = *model;
  copy->stuttering = deadlocks == FLOE_DEADLOCKS_STUTTERING;
  set_property(copy, deadlocks != FLOE_DEADLOCKS_OFF, arena);
  add_constant(copy, deadlocks, arena);
  return copy;
}
