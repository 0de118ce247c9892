/* The list of conditions of a transition, as written in the model. */
#include "api/trace/conditions.h"
#include "model/notation.h"
#include "model/process.h"

#include <string.h>

#define MOST_GUARDS 51 /* the last conjuncts of a longer guard become one condition */

struct list {
  const struct model *model;
  const struct edge *edge;
  struct arena *arena;
  struct conditions *out;
};

static void add(struct list *list, enum condition_kind kind, const char *text) {
  struct conditions *out = list->out;
  out->kinds[out->count] = kind;
  out->texts[out->count++] = text;
}

static const char *place_text(const struct list *list) {
  if (strcmp(list->edge->from, "*") == 0)
    return "at any location";
  return arena_printf(list->arena, list->edge->lists_locations ? "at one of %s" : "at %s", list->edge->from);
}

static bool has_committed(const struct model *model) {
  for (size_t p = 0; p < model->process_count; p++)
    for (size_t l = 0; l < model->processes[p].location_count; l++)
      if (model->processes[p].locations[l].committed)
        return true;
  return false;
}

static bool may_wait_for_committed(const struct list *list) {
  const struct process *process = process_of(list->model, list->edge->process);
  for (size_t i = 0; i < list->edge->location_count; i++)
    if (!process->locations[list->edge->locations[i]].committed)
      return has_committed(list->model);
  return false;
}

/* ---- guard --------------------------------------------------------------------------------------- */

/* The chosen conjuncts of first..end - 1. */
static const char *joined(const struct list *list, size_t first, size_t end, const bool *chosen) {
  const char *separator = arena_printf(list->arena, " %s ", list->model->notation->operators[EXPR_AND].text),
             *text = "";
  size_t length = 1;
  for (size_t i = first; i < end; i++)
    length += strlen(list->edge->guards[i].text) + strlen(separator);
  char *all = arena_alloc(list->arena, length), *at = all;
  for (size_t i = first; i < end; i++) {
    if (!chosen[i])
      continue;
    at = stpcpy(stpcpy(at, text), list->edge->guards[i].text);
    text = separator;
  }
  return all;
}

static bool has_meaning(const struct list *list, size_t conjunct) {
  const uint32_t instances = process_of(list->model, list->edge->process)->instances;
  for (uint32_t i = 0; i < instances; i++)
    if (list->edge->otherwise || list->edge->instances[i].guards[conjunct])
      return true;
  return false;
}

static void add_guard(struct list *list, size_t first, size_t end) {
  list->out->first[list->out->count] = first;
  list->out->end[list->out->count] = end;
  add(list, CONDITION_GUARD, joined(list, first, end, list->out->listed));
}

static void add_guards(struct list *list) {
  const struct edge *edge = list->edge;
  const bool buffered = edge_is_buffered(list->model, edge);
  size_t count = 0;
  list->out->listed = arena_array(list->arena, edge->guard_count, sizeof *list->out->listed);
  for (size_t i = 0; i < edge->guard_count; i++)
    list->out->listed[i] = (buffered || !edge->reads_message[i]) && has_meaning(list, i);
  for (size_t i = 0; i < edge->guard_count; i++) {
    if (!list->out->listed[i])
      continue;
    if (++count == MOST_GUARDS) {
      add_guard(list, i, edge->guard_count);
      return;
    }
    add_guard(list, i, i + 1);
  }
}

/* ---- channel ------------------------------------------------------------------------------------- */

static bool is_selective(const struct edge *edge) { return edge->matches || edge_tests_message(edge); }

static bool needs_match(const struct list *list) {
  if (!list->edge->sends)
    return edge_is_buffered(list->model, list->edge) ? list->edge->matches : is_selective(list->edge);
  for (size_t i = 0; i < list->model->edge_count; i++) {
    const struct edge *other = &list->model->edges[i];
    if (other->channel && other->channel_number == list->edge->channel_number && !other->sends && is_selective(other))
      return true;
  }
  return false;
}

/* With the parts of the guard that read the message of a handshake or broadcast. */
static const char *match_text(const struct list *list) {
  const struct edge *edge = list->edge;
  const char *text = arena_printf(list->arena, "the message on %s matches", edge->channel);
  if (edge_is_buffered(list->model, edge) || !edge_tests_message(edge))
    return text;
  return arena_printf(list->arena, "%s and %s", text, joined(list, 0, edge->guard_count, edge->reads_message));
}

static void add_channel(struct list *list) {
  const struct edge *edge = list->edge;
  struct arena *arena = list->arena;
  if (edge_is_buffered(list->model, edge))
    add(list, CONDITION_READY, arena_printf(arena, "%s is not %s", edge->channel, edge->sends ? "full" : "empty"));
  else if (edge->sends && list->model->channels[edge->channel_number].broadcast)
    return; /* always possible */
  else
    add(list, CONDITION_PARTNER,
        arena_printf(arena, "another instance can %s %s", edge->sends ? "receive" : "send", edge->channel));
  if ((!edge->sends || !edge_is_buffered(list->model, edge)) && needs_match(list))
    add(list, CONDITION_MATCH, match_text(list));
}

void conditions_list(const struct model *model, uint32_t number, struct arena *arena, struct conditions *out) {
  struct list list = {model, &model->edges[number], arena, out};
  *out = (struct conditions){.edge = number};
  if (list.edge->process != NO_PROCESS)
    add(&list, CONDITION_PLACE, place_text(&list));
  if (may_wait_for_committed(&list))
    add(&list, CONDITION_PRIORITY, "no committed location has priority");
  add_guards(&list);
  if (list.edge->channel)
    add_channel(&list);
}
