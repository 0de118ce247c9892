/* Traces as Spin shows them (spin -t -p), and trails for it (spin -t -k). */
#include "frontend/promela/spin/promela_spin.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

#define INDENT 4 /* of what a process prints, per process; and half of it once */

struct spin_view {
  struct tool_view view; /* first */
  const struct pr_model *tree;
  const struct pr_process *written; /* [count] */
  size_t count;
};

/* ---- actions ------------------------------------------------------------------------------------- */

/* An instance that takes part in a firing. */
struct actor {
  const struct pr_process *process;
  uint32_t instance, pid, priority;
};

static struct actor actor_of(const struct spin_view *view, const struct model *model, uint32_t process,
                             uint32_t instance, const int64_t *values) {
  const struct pr_process *p = view->written;
  while (p->number != process)
    p++;
  const int64_t pid = values[model->variables[p->pid_variable].first + instance];
  const int64_t priority =
      view->tree->has_priorities ? values[model->variables[p->priority_variable].first + instance] : 1;
  return (struct actor){p, instance, (uint32_t)pid, (uint32_t)priority};
}

static const char *place_text(const struct model *model, source_at at, struct arena *arena) {
  const char *included = source_included_file(model->source, at);
  unsigned line, column;
  source_position(model->source, at, &line, &column);
  return arena_printf(arena, "%s:%u", *included ? included : model->source->name, line);
}

uint32_t pr_state_number(const struct pr_process *p, uint32_t number) { return number - p->written->first_number + 1; }

static const char *spin_name(const struct pr_process *p) { return p->written->is_init ? ":init:" : p->name; }

/* The number in a trail: a d_step has one. */
static uint32_t trail_number(const struct pr_step *step) {
  const struct pr_statement *d_step = step->d_step;
  return d_step ? d_step->number : step->number;
}

/* The first step of a d_step has its number. */
static const char *action_line(const struct model *model, const struct edge *edge, const struct pr_step *step,
                               struct actor actor, bool continued, struct arena *arena) {
  if (step->kind == PR_STEP_END)
    return arena_printf(arena, " proc %" PRIu32 " terminates", actor.pid);
  return arena_printf(arena, "\tproc %2" PRIu32 " (%s:%" PRIu32 ") %s (state %" PRIu32 ")\t[%s]", actor.pid,
                      spin_name(actor.process), actor.priority, place_text(model, edge->at, arena),
                      pr_state_number(actor.process, continued ? step->number : trail_number(step)), edge->label);
}

static const char *error_text(const struct tool_firing *firing, const struct edge *edge, struct arena *arena) {
  const char *place = place_text(firing->model, edge->at, arena), *text;
  if (!firing->cause)
    return "";
  if (pr_assertion_length(firing->cause, &text))
    return arena_printf(arena, "floe: %s, Error: assertion violated\nfloe: text of failed assertion: %s\n", place,
                        edge->label);
  return arena_printf(arena, "floe: %s, Error: %s\n", place, firing->cause);
}

/* The step continues a d_step that the last action has begun or continued. */
static bool continues(const struct tool_step *last, const struct pr_step *step, uint32_t pid) {
  if (!step->d_step || !last || !last->count)
    return false;
  const struct tool_action *before = &last->actions[last->count - 1];
  return before->unfinished && before->process == pid && before->statement == trail_number(step);
}

static void describe_step(const struct tool_view *tool, const struct tool_firing *firing, const struct tool_step *last,
                          struct arena *arena, struct tool_step *out) {
  const struct spin_view *view = (const struct spin_view *)tool;
  const struct model *model = firing->model;
  size_t count = firing->transition->participant_count;
  if (count && model->edges[firing->transition->participants[0].edge].process == NO_PROCESS)
    count = 0; /* a run that has ended repeats its last state: a step of the claim alone */
  struct tool_action *actions = arena_array(arena, count, sizeof *actions);
  for (size_t i = 0; i < count; i++) {
    const struct participant *participant = &firing->transition->participants[i];
    const struct edge *edge = &model->edges[participant->edge];
    const struct actor actor = actor_of(view, model, participant->process, participant->instance, firing->before);
    const struct pr_step *step = &actor.process->graph.steps[participant->edge - actor.process->first_edge];
    const bool continued = !i && continues(last, step, actor.pid);
    actions[i] = (struct tool_action){.process = actor.pid,
                                      .statement = trail_number(step),
                                      .text = action_line(model, edge, step, actor, continued, arena),
                                      .printed = i ? "" : firing->printed,
                                      .error = i ? "" : error_text(firing, edge, arena),
                                      .continues = continued,
                                      .unfinished = step->keeps_d_step};
    if (count > 1 && step->d_step)
      out->unplayable = "a rendezvous within d_step";
  }
  out->actions = actions;
  out->count = count;
}

/* ---- the last state ------------------------------------------------------------------------------ */

static const char *with_globals(const char *text, const struct model *model, const int64_t *values,
                                struct arena *arena) {
  for (uint32_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    if (variable->kind != VARIABLE_GLOBAL || !variable->assigned || variable->at == NOWHERE)
      continue;
    for (uint32_t i = 0; i < variable->count; i++)
      text = arena_printf(arena, "%s\t\t%s = %s\n", text, element_name(model, v, i, arena),
                          value_text(model, v, values[variable->first + i], arena));
  }
  return text;
}

static const char *where_line(const struct spin_view *view, const struct model *model, struct actor actor,
                              uint32_t location, struct arena *arena) {
  const struct pr_graph *graph = &actor.process->graph;
  const struct pr_location *at = &graph->locations[location];
  return arena_printf(arena, "\tproc %2" PRIu32 " (%s:%" PRIu32 ") %s (state %" PRIu32 ")%s", actor.pid,
                      spin_name(actor.process), actor.priority, place_text(model, at->at, arena),
                      pr_state_number(actor.process, at->number),
                      pr_is_end(view->tree, graph, location) ? " <valid end state>" : "");
}

/* The line of the living process with the number `pid`; NULL: there is none. */
static const char *process_line(const struct spin_view *view, const struct model *model, uint32_t pid,
                                const int64_t *values, struct arena *arena) {
  for (size_t i = 0; i < view->count; i++) {
    const struct pr_process *p = &view->written[i];
    for (uint32_t k = 0; k < p->instances; k++) {
      const struct actor actor = actor_of(view, model, p->number, k, values);
      const uint32_t location = (uint32_t)values[model->variables[p->location_variable].first + k];
      if (location != p->absent && actor.pid == pid)
        return where_line(view, model, actor, location, arena);
    }
  }
  return NULL;
}

/* Living processes have the numbers from 0 on. */
static void describe_end(const struct tool_view *tool, const struct model *model, const int64_t *values,
                         struct arena *arena, struct tool_end *out) {
  const struct spin_view *view = (const struct spin_view *)tool;
  const char **lines = NULL, *line;
  size_t cap = 0;
  while ((line = process_line(view, model, (uint32_t)out->count, values, arena)))
    *ARENA_PUSH(arena, lines, out->count, cap) = line;
  out->lines = lines;
  out->values = with_globals("", model, values, arena);
}

/* ---- files --------------------------------------------------------------------------------------- */

/* Control characters but ends of lines and tabs become '?'. */
static void put(const char *text, FILE *out) {
  enum { PART = 1024 };
  char shown[4 * PART];
  for (size_t left = strlen(text), part; left; text += part, left -= part) {
    part = left < PART ? left : PART;
    while (part > PART - 4 && part < left && ((unsigned char)text[part] & 0xc0) == 0x80)
      part--; /* within a character */
    fwrite(shown, 1, utf8_printable(shown, text, part, PART), out);
  }
}

/* Indented by the process, and with the end of a line. */
static void write_printed(const struct tool_action *action, FILE *out) {
  const size_t length = strlen(action->printed);
  fprintf(out, "%*s", (int)(INDENT * (action->process + 1) + INDENT / 2), "");
  put(action->printed, out);
  if (action->printed[length - 1] != '\n')
    fputc('\n', out);
}

static void write_line(uint32_t number, const char *text, FILE *out) {
  fprintf(out, "%3" PRIu32 ":", number);
  put(text, out);
  fputc('\n', out);
}

static void write_trace(const struct tool_trace *trace, FILE *out) {
  uint32_t number = 0;
  for (size_t i = 0; i < trace->count; i++) {
    if (i == trace->loop)
      fputs("  <<<<<START OF CYCLE>>>>>\n", out);
    for (size_t k = 0; k < trace->steps[i].count; k++) {
      const struct tool_action *action = &trace->steps[i].actions[k];
      number += !action->continues;
      if (*action->printed)
        write_printed(action, out);
      put(action->error, out);
      write_line(number, action->text, out);
    }
  }
  if (trace->loop == trace->count)
    fputs("  <<<<<START OF CYCLE>>>>>\n", out);
  fprintf(out, "trail ends after %" PRIu32 " steps\n#processes: %zu\n", number, trace->end.count);
  put(trace->end.values, out);
  for (size_t i = trace->end.count; i-- > 0;)
    write_line(number, trace->end.lines[i], out);
}

static void write_trail(const struct tool_trace *trace, FILE *out) {
  uint32_t number = 0;
  for (size_t i = 0; i < trace->count; i++) {
    if (i == trace->loop)
      fputs("-1:-1:-1\n", out);
    for (size_t k = 0; k < trace->steps[i].count; k++) {
      const struct tool_action *action = &trace->steps[i].actions[k];
      if (!action->continues)
        fprintf(out, "%" PRIu32 ":%" PRIu32 ":%" PRIu32 "\n", ++number, action->process, action->statement);
    }
  }
  if (trace->loop == trace->count)
    fputs("-1:-1:-1\n", out);
}

static const struct tool spin = {
    .name = "spin",
    .describe_step = describe_step,
    .describe_end = describe_end,
    .write_trace = write_trace,
    .write_trail = write_trail,
    .write_result = pr_spin_write_result,
};

/* Definitions of the text come after those of Spin's command line. Those of -D that are not given to the preprocessor
   change the numbers of macros. */
static bool overrides(const struct pr_check *c) {
  bool found = c->tree->text->overridden;
  for (size_t i = 0; i < c->definition_count && !found; i++)
    found = !pr_is_given(c, c->definitions[i].name) &&
            name_table_find(&c->tree->text->constants, c->definitions[i].name) != NAME_ABSENT;
  return found;
}

const struct tool_view *pr_spin_view(struct pr_check *c) {
  struct spin_view *view = arena_alloc(c->build.arena, sizeof *view);
  const char *unplayable = c->tree->unnumbered ? c->tree->unnumbered
                           : overrides(c)      ? "-D that overrides a #define"
                                               : "";
  *view = (struct spin_view){.view = {.tool = &spin, .unplayable = unplayable},
                             .tree = c->tree,
                             .written = c->processes,
                             .count = c->tree->proctypes.n};
  return &view->view;
}
