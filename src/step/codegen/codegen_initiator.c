/* The transitions of one initiator in kernel C. An instance is at one location, so that a switch over it keeps their
   order. What all locations begin or end with stands once, in front of the switch or behind it, and locations that do
   the same share a case. */
#include "step/codegen/codegen_initiator.h"

#include "model/successor_bound.h"
#include "step/codegen/codegen_expr.h"
#include "step/codegen/codegen_transition.h"

#include <assert.h>
#include <inttypes.h>

struct placed {
  struct codegen_body body;
  bool spans; /* its members differ in the location of the initiator */
};

struct group {
  struct codegen *gen;
  const struct process *process;
  uint32_t instance;
  struct placed *bodies;
  size_t count, capacity;
  size_t first_inside, end_inside; /* of the switch */
  struct cases {
    uint32_t *bodies; /* their numbers, ascending */
    size_t count, capacity;
    bool done; /* its label is written */
  } * at;      /* each location of the initiator */
};

static const struct transition *member(const struct group *group, const struct codegen_body *body, size_t i) {
  return &group->gen->model->transitions[body->members[i]];
}

static uint32_t location_of(const struct group *group, const struct codegen_body *body, size_t i) {
  return initiator_test(group->gen->model, member(group, body, i))->location;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Insertion: locations mostly ascend as they are. */
static void sort_members(const struct model *model, uint32_t *members, size_t count, size_t varying) {
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
  assert(first < end);
  body.count = codegen_alike(&gen->model->transitions[first], end - first, &body.varying);
  assert(body.count >= 1 && body.count <= end - first);
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
  const bool spans = body->count > 1 && &first->tests[body->varying] == initiator_test(group->gen->model, first);
  for (size_t i = 0; i < (spans ? body->count : 1); i++) {
    struct cases *at = &group->at[location_of(group, body, i)];
    *ARENA_PUSH(arena, at->bodies, at->count, at->capacity) = (uint32_t)group->count;
  }
  *ARENA_PUSH(arena, group->bodies, group->count, group->capacity) = (struct placed){*body, spans};
}

/* ---- places ---------------------------------------------------------------------------------- */

static bool is_for_all(const struct group *group, size_t body) {
  return group->bodies[body].spans && group->bodies[body].body.count == group->process->location_count;
}

/* Those for all locations at both ends. One that were for some of them would need a test outside that it does not need
   in its cases: havi with 2 devices ran 9 % more instructions to expand a state. */
static void find_inside(struct group *group) {
  group->end_inside = group->count;
  while (group->end_inside > 0 && is_for_all(group, group->end_inside - 1))
    group->end_inside--;
  while (group->first_inside < group->end_inside && is_for_all(group, group->first_inside))
    group->first_inside++;
  assert(group->first_inside <= group->end_inside && group->end_inside <= group->count);
}

/* The next one of a case that is inside, from number `i` of the case on. */
static size_t next_inside(const struct group *group, const struct cases *at, size_t i) {
  while (i < at->count && (at->bodies[i] < group->first_inside || at->bodies[i] >= group->end_inside))
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

/* ---- text ------------------------------------------------------------------------------------ */

static void outside(const struct group *group, size_t first, size_t end) {
  for (size_t i = first; i < end; i++)
    codegen_firings(group->gen, &group->bodies[i].body, false);
}

/* Those of its members that are in the case of `location`. */
static struct codegen_body part_in_case(const struct group *group, const struct placed *placed, uint32_t location) {
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
      codegen_line(group->gen, "case ");
      codegen_location(group->gen, group->process->location_variable, l);
      codegen_add(group->gen, ":");
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

static void cases(const struct group *group) {
  struct codegen *gen = group->gen;
  if (group->first_inside == group->end_inside)
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

static void by_location(struct codegen *gen, const struct transition_group *all) {
  struct group group = {.gen = gen, .process = &gen->model->processes[all->process], .instance = all->instance};
  group.at = arena_array(gen->text.arena, group.process->location_count, sizeof *group.at);
  for (size_t t = all->first; t < all->end;) {
    const struct codegen_body body = next_body(gen, t, all->end);
    add_body(&group, &body);
    t += body.count;
  }
  find_inside(&group);
  outside(&group, 0, group.first_inside);
  cases(&group);
  outside(&group, group.end_inside, group.count);
}

void codegen_group(struct codegen *gen, const struct transition_group *group, bool located) {
  if (located) {
    by_location(gen, group);
    return;
  }
  for (size_t t = group->first; t < group->end;) {
    const struct codegen_body body = next_body(gen, t, group->end);
    codegen_firings(gen, &body, true);
    t += body.count;
  }
}
