#include "frontend/check/check_warnings.h"

#include "frontend/expr/check_fields.h"

#include <string.h>

/* The fields of a record variable have the same place. */
static void warn_variables(struct check *c) {
  const struct variable *all = c->build.model->variables;
  size_t end;
  for (size_t i = 0; i < c->build.model->variable_count; i = end) {
    bool read = c->variable_read[i];
    for (end = i + 1; end < c->build.model->variable_count && all[end].at == all[i].at && strchr(all[i].name, '.');
         end++)
      read |= c->variable_read[end];
    if ((all[i].kind == VARIABLE_GLOBAL || all[i].kind == VARIABLE_LOCAL) && !read)
      CHECK_WARN(c, all[i].at, NULL, "variable '%.*s' is never read", (int)strcspn(all[i].name, "."), all[i].name);
  }
}

static void warn_defines(struct check *c, const struct define *defines, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!defines[i].used)
      CHECK_WARN(c, defines[i].syntax->at, NULL, "%s '%s' is never used",
                 defines[i].syntax->is_function ? "function" : "define", defines[i].syntax->name);
}

static void warn_channels(struct check *c) {
  for (size_t i = 0; i < c->build.model->channel_count; i++) {
    const struct channel_info *info = &c->channel_infos[i];
    source_at at = c->syntax->channels[i].at;
    const char *name = c->channels[i].name;
    if (!info->sent && !info->received)
      CHECK_WARN(c, at, NULL, "channel '%s' is never used", name);
    else if (!info->received)
      CHECK_WARN(c, at, NULL, "nothing receives from channel '%s'", name);
    else if (!info->sent)
      CHECK_WARN(c, at, NULL, "nothing sends to channel '%s'", name);
  }
}

static void warn_locations(struct check *c, const struct template *process) {
  const struct process *p = process->process;
  bool *reached = arena_array(c->build.arena, p->location_count, sizeof *reached);
  reached[process->initial] = true;
  for (size_t i = 0; i < process->syntax->transition_count; i++)
    if (process->edges[i].edge->to != NONE)
      reached[process->edges[i].edge->to] = true;
  for (size_t i = 0; i < p->location_count; i++)
    if (!reached[i])
      CHECK_WARN(c, p->locations[i].at, NULL, "no transition reaches location '%s'", p->locations[i].name);
}

static void warn_guards(struct check *c, const struct template *process) {
  for (size_t i = 0; i < process->syntax->transition_count; i++) {
    const struct edge_info *info = &process->edges[i];
    if (!info->syntax->guard || info->guard_varies || info->guard_true == info->guard_false)
      continue;
    CHECK_WARN(c, info->syntax->guard->at, NULL, "this guard is always %s", info->guard_true ? "true" : "false");
  }
}

static void warn_fields(struct check *c, const struct template *process) {
  for (size_t i = 0; i < process->syntax->transition_count; i++)
    fields_warn(c, process, &process->edges[i]);
}

void warnings_log(struct check *c) {
  warn_variables(c);
  warn_defines(c, c->defines, c->syntax->define_count);
  warn_channels(c);
  for (size_t i = 0; i < c->build.model->process_count; i++) {
    warn_defines(c, c->templates[i].defines, c->templates[i].syntax->define_count);
    warn_locations(c, &c->templates[i]);
    warn_guards(c, &c->templates[i]);
    warn_fields(c, &c->templates[i]);
  }
}
