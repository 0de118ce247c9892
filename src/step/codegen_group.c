/* The transitions of one initiator in kernel C. An instance is at one location, so that a switch over it keeps their order.
   What is done from several locations alike stands once: behind the switch where nothing else follows in any of them, in
   front of it where nothing goes before, or in a case with several labels. In every state the order is that of the numbers. */
#include "step/codegen.h"

#include "step/bound.h"

#include <inttypes.h>

enum place { INSIDE, BEFORE, BEHIND }; /* the switch */

struct placed {
  struct codegen_body body;
  bool spans; /* its members differ in the location of the initiator */
  enum place place;
};

struct group {
  struct codegen *gen;
  const struct process *process;
  uint32_t instance;
  struct placed *bodies;
  size_t count, capacity;
  struct cases {
    uint32_t *bodies; /* their numbers, ascending */
    size_t count, capacity;
    bool blocked; /* nothing more is to leave the switch on the side in question */
    bool done;    /* its label is written */
  } *at;          /* each location of the initiator */
};

static const struct transition *member(const struct group *group, const struct codegen_body *body,
                                       size_t i) {
  return &group->gen->model->transitions[body->members[i]];
}

static uint32_t location_of(const struct group *group, const struct codegen_body *body, size_t i) {
  return initiator_test(group->gen->model, member(group, body, i))->location;
}

/* ---- bodies ------------------------------------------------------------------------------------
 */

/* Insertion: locations mostly ascend as they are. */
static void sort_members(const struct model *model, uint32_t *members, size_t count,
                         size_t varying) {
  for (size_t i = 1; i < count; i++) {
    const uint32_t moved = members[i];
    size_t k = i;
    for (; k > 0 && model->transitions[members[k - 1]].tests[varying].location >
                        model->transitions[moved].tests[varying].location;
         k--)
      members[k] = members[k - 1];
    members[k] = moved;
  }
}

/* The body of the transitions from `first` on. */
static struct codegen_body next_body(struct codegen *gen, size_t first, size_t end) {
  struct codegen_body body;
  body.count = codegen_alike(&gen->model->transitions[first], end - first, &body.varying);
  uint32_t *members = arena_array(gen->text.arena, body.count, sizeof *members);
  for (size_t i = 0; i < body.count; i++)
    members[i] = (uint32_t)(first + i);
  if (body.count > 1)
    sort_members(gen->model, members, body.count, body.varying);
  body.members = members;
  return body;
}

static void add_body(struct group *group, const struct codegen_body *body) {
  struct arena *arena = group->gen->text.arena;
  const struct transition *first = member(group, body, 0);
  const bool spans =
      body->count > 1 && &first->tests[body->varying] == initiator_test(group->gen->model, first);
  for (size_t i = 0; i < (spans ? body->count : 1); i++) {
    struct cases *at = &group->at[location_of(group, body, i)];
    *ARENA_PUSH(arena, at->bodies, at->count, at->capacity) = (uint32_t)group->count;
  }
  *ARENA_PUSH(arena, group->bodies, group->count, group->capacity) =
      (struct placed){*body, spans, INSIDE};
}

/* ---- places ------------------------------------------------------------------------------------
 */

static size_t next_inside(const struct group *group, const struct cases *at, size_t i) {
  while (i < at->count && group->bodies[at->bodies[i]].place != INSIDE)
    i++;
  return i;
}

/* Do the cases of two locations hold the same? */
static bool same_case(const struct group *group, uint32_t a, uint32_t b) {
  const struct cases *x = &group->at[a], *y = &group->at[b];
  for (size_t i = 0, k = 0;; i++, k++) {
    i = next_inside(group, x, i);
    k = next_inside(group, y, k);
    if (i == x->count || k == y->count)
      return i == x->count && k == y->count;
    if (x->bodies[i] != y->bodies[k])
      return false;
  }
}

static bool any_blocked(const struct group *group, const struct placed *placed) {
  for (size_t i = 0; i < placed->body.count; i++)
    if (group->at[location_of(group, &placed->body, i)].blocked)
      return true;
  return false;
}

/* It stands once in the switch too, in one case of several labels, without another test. */
static bool has_one_case(const struct group *group, const struct codegen_body *body) {
  if (body->count == group->process->location_count)
    return false;
  for (size_t i = 1; i < body->count; i++)
    if (!same_case(group, location_of(group, body, 0), location_of(group, body, i)))
      return false;
  return true;
}

/* Goes to `place`, or stays and keeps those there that are on the other side of it. */
static void put(struct group *group, struct placed *placed, enum place place) {
  const struct codegen_body *body = &placed->body;
  if (placed->place != INSIDE)
    return;
  if (placed->spans && !any_blocked(group, placed) && !has_one_case(group, body))
    placed->place = place;
  else
    for (size_t i = 0; i < (placed->spans ? body->count : 1); i++)
      group->at[location_of(group, body, i)].blocked = true;
}

static void put_all(struct group *group) {
  for (size_t i = group->count; i-- > 0;)
    put(group, &group->bodies[i], BEHIND);
  for (size_t l = 0; l < group->process->location_count; l++)
    group->at[l].blocked = false;
  for (size_t i = 0; i < group->count; i++)
    put(group, &group->bodies[i], BEFORE);
}

/* ---- text --------------------------------------------------------------------------------------
 */

static void outside(const struct group *group, enum place place) {
  for (size_t i = 0; i < group->count; i++)
    if (group->bodies[i].place == place)
      codegen_firings(group->gen, &group->bodies[i].body, false);
}

/* Those of its members that are in the case of `location`. */
static struct codegen_body part_in_case(const struct group *group, const struct placed *placed,
                                        uint32_t location) {
  struct codegen_body part = placed->body;
  if (!placed->spans)
    return part;
  uint32_t *members = arena_array(group->gen->text.arena, part.count, sizeof *members);
  part.count = 0;
  for (size_t i = 0; i < placed->body.count; i++)
    if (same_case(group, location, location_of(group, &placed->body, i)))
      members[part.count++] = placed->body.members[i];
  part.members = members;
  return part;
}

static void labels(const struct group *group, uint32_t location) {
  for (uint32_t l = location; l < group->process->location_count; l++)
    if (!group->at[l].done && same_case(group, location, l)) {
      codegen_line(group->gen, "case %" PRIu32 ": /* %s */", l, group->process->locations[l].name);
      group->at[l].done = true;
    }
}

static void one_case(const struct group *group, uint32_t location) {
  struct codegen *gen = group->gen;
  const struct cases *at = &group->at[location];
  labels(group, location);
  gen->indent++;
  for (size_t i = next_inside(group, at, 0); i < at->count; i = next_inside(group, at, i + 1)) {
    const struct codegen_body part = part_in_case(group, &group->bodies[at->bodies[i]], location);
    codegen_firings(gen, &part, true);
  }
  codegen_line(gen, "break;");
  gen->indent--;
}

static bool any_inside(const struct group *group) {
  for (size_t i = 0; i < group->count; i++)
    if (group->bodies[i].place == INSIDE)
      return true;
  return false;
}

static void cases(const struct group *group) {
  struct codegen *gen = group->gen;
  if (!any_inside(group))
    return;
  codegen_line(gen, "switch (");
  codegen_read_element(gen, group->process->location_variable, group->instance);
  codegen_add(gen, ")");
  codegen_open(gen);
  for (uint32_t l = 0; l < group->process->location_count; l++)
    if (!group->at[l].done && next_inside(group, &group->at[l], 0) < group->at[l].count)
      one_case(group, l);
  codegen_line(gen, "default: break;");
  codegen_close(gen, "");
}

static void by_location(struct codegen *gen, size_t first, size_t end) {
  const struct participant *initiator = &gen->model->transitions[first].participants[0];
  struct group group = {.gen = gen,
                        .process = &gen->model->processes[initiator->process],
                        .instance = initiator->instance};
  group.at = arena_array(gen->text.arena, group.process->location_count, sizeof *group.at);
  for (size_t t = first; t < end;) {
    const struct codegen_body body = next_body(gen, t, end);
    add_body(&group, &body);
    t += body.count;
  }
  put_all(&group);
  outside(&group, BEFORE);
  cases(&group);
  outside(&group, BEHIND);
}

void codegen_group(struct codegen *gen, size_t first, size_t end, bool located) {
  if (located) {
    by_location(gen, first, end);
    return;
  }
  for (size_t t = first; t < end;) {
    const struct codegen_body body = next_body(gen, t, end);
    codegen_firings(gen, &body, true);
    t += body.count;
  }
}
