/* An instance is at one location, so a switch over the location preserves the order of its transitions. Bodies that all
   locations begin or end with stand before or after the switch. Locations with the same bodies share a case. */
#include "step/codegen/codegen_initiator.h"

#include "model/transitions/successor_bound.h"
#include "step/codegen/codegen_expr.h"
#include "step/codegen/codegen_transition.h"

#include <assert.h>
#include <inttypes.h>

struct placed_body {
  struct codegen_body body;
  bool spans; /* its transitions differ in the location of the initiator */
};

struct initiator_code {
  struct codegen *gen;
  const struct process *process;
  uint32_t instance;
  struct placed_body *bodies;
  size_t count, capacity;
  size_t switch_first, switch_end; /* bodies inside the switch */
  struct location_cases {
    uint32_t *bodies; /* indices into bodies, ascending */
    size_t count, capacity;
    bool label_written; /* its case label has been written */
  } * at;               /* [location of the initiator] */
};

static const struct transition *transition_of(const struct initiator_code *initiator, const struct codegen_body *body,
                                              size_t i) {
  return &initiator->gen->model->transitions[body->transitions[i]];
}

static uint32_t initiator_location(const struct initiator_code *initiator, const struct codegen_body *body, size_t i) {
  return initiator_test(initiator->gen->model, transition_of(initiator, body, i))->location;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Insertion sort: locations are mostly in ascending order. */
static void sort_by_location(const struct model *model, uint32_t *transitions, size_t count, size_t varying) {
  for (size_t i = 1; i < count; i++) {
    const uint32_t moved = transitions[i];
    size_t k = i;
    for (; k > 0 && model->transitions[transitions[k - 1]].tests[varying].location >
                        model->transitions[moved].tests[varying].location;
         k--)
      transitions[k] = transitions[k - 1];
    transitions[k] = moved;
  }
}

/* Forms a body from the transitions from `first` on. */
static struct codegen_body next_body(struct codegen *gen, size_t first, size_t end) {
  struct codegen_body body;
  assert(first < end);
  body.count = codegen_shared_body(&gen->model->transitions[first], end - first, &body.varying);
  assert(body.count >= 1 && body.count <= end - first);
  uint32_t *transitions = arena_array(gen->text.arena, body.count, sizeof *transitions);
  for (size_t i = 0; i < body.count; i++)
    transitions[i] = (uint32_t)(first + i);
  if (body.count > 1)
    sort_by_location(gen->model, transitions, body.count, body.varying);
  body.transitions = transitions;
  return body;
}

static void add_body(struct initiator_code *initiator, const struct codegen_body *body) {
  struct arena *arena = initiator->gen->text.arena;
  const struct transition *first = transition_of(initiator, body, 0);
  const bool spans = body->count > 1 && &first->tests[body->varying] == initiator_test(initiator->gen->model, first);
  for (size_t i = 0; i < (spans ? body->count : 1); i++) {
    struct location_cases *at = &initiator->at[initiator_location(initiator, body, i)];
    *ARENA_PUSH(arena, at->bodies, at->count, at->capacity) = (uint32_t)initiator->count;
  }
  *ARENA_PUSH(arena, initiator->bodies, initiator->count, initiator->capacity) = (struct placed_body){*body, spans};
}

/* ---- places ---------------------------------------------------------------------------------- */

static bool is_for_all(const struct initiator_code *initiator, size_t body) {
  return initiator->bodies[body].spans && initiator->bodies[body].body.count == initiator->process->location_count;
}

/* Finds the bodies for all locations at both ends, which go outside the switch. A body for only some locations would
   need a location test there: havi with 2 devices ran 9 % more instructions to expand a state. */
static void find_switch_range(struct initiator_code *initiator) {
  initiator->switch_end = initiator->count;
  while (initiator->switch_end > 0 && is_for_all(initiator, initiator->switch_end - 1))
    initiator->switch_end--;
  while (initiator->switch_first < initiator->switch_end && is_for_all(initiator, initiator->switch_first))
    initiator->switch_first++;
  assert(initiator->switch_first <= initiator->switch_end && initiator->switch_end <= initiator->count);
}

/* The next body of a case inside the switch, from index `i` of the case on. */
static size_t next_in_switch(const struct initiator_code *initiator, const struct location_cases *at, size_t i) {
  while (i < at->count && (at->bodies[i] < initiator->switch_first || at->bodies[i] >= initiator->switch_end))
    i++;
  return i;
}

/* True if the cases of two locations have the same bodies. */
static bool same_case(const struct initiator_code *initiator, uint32_t a, uint32_t b) {
  const struct location_cases *x = &initiator->at[a], *y = &initiator->at[b];
  for (size_t i = 0, k = 0;; i++, k++) {
    i = next_in_switch(initiator, x, i);
    k = next_in_switch(initiator, y, k);
    if (i == x->count || k == y->count)
      return i == x->count && k == y->count;
    if (x->bodies[i] != y->bodies[k])
      return false;
  }
}

/* ---- text ------------------------------------------------------------------------------------ */

static void outside_switch(const struct initiator_code *initiator, size_t first, size_t end) {
  for (size_t i = first; i < end; i++)
    codegen_firings(initiator->gen, &initiator->bodies[i].body, false);
}

/* The part of a body whose locations share the case of `location`. */
static struct codegen_body part_in_case(const struct initiator_code *initiator, const struct placed_body *placed_body,
                                        uint32_t location) {
  struct codegen_body part = placed_body->body;
  if (!placed_body->spans)
    return part;
  uint32_t *transitions = arena_array(initiator->gen->text.arena, part.count, sizeof *transitions);
  part.count = 0;
  for (size_t i = 0; i < placed_body->body.count; i++)
    if (same_case(initiator, location, initiator_location(initiator, &placed_body->body, i)))
      transitions[part.count++] = placed_body->body.transitions[i];
  part.transitions = transitions;
  return part;
}

static void case_labels(const struct initiator_code *initiator, uint32_t location) {
  for (uint32_t l = location; l < initiator->process->location_count; l++)
    if (!initiator->at[l].label_written && same_case(initiator, location, l)) {
      codegen_line(initiator->gen, "case ");
      codegen_location(initiator->gen, initiator->process->location_variable, l);
      codegen_add(initiator->gen, ":");
      initiator->at[l].label_written = true;
    }
}

static void one_case(const struct initiator_code *initiator, uint32_t location) {
  struct codegen *gen = initiator->gen;
  const struct location_cases *at = &initiator->at[location];
  case_labels(initiator, location);
  gen->indent++;
  for (size_t i = next_in_switch(initiator, at, 0); i < at->count; i = next_in_switch(initiator, at, i + 1)) {
    const struct codegen_body part = part_in_case(initiator, &initiator->bodies[at->bodies[i]], location);
    codegen_firings(gen, &part, true);
  }
  codegen_line(gen, "break;");
  gen->indent--;
}

static void location_cases(const struct initiator_code *initiator) {
  struct codegen *gen = initiator->gen;
  if (initiator->switch_first == initiator->switch_end)
    return;
  codegen_line(gen, "switch (");
  codegen_read_element(gen, initiator->process->location_variable, initiator->instance);
  codegen_add(gen, ")");
  codegen_open(gen);
  for (uint32_t l = 0; l < initiator->process->location_count; l++)
    if (!initiator->at[l].label_written && next_in_switch(initiator, &initiator->at[l], 0) < initiator->at[l].count)
      one_case(initiator, l);
  codegen_line(gen, "default: break;");
  codegen_close(gen, "");
}

static void with_switch(struct codegen *gen, const struct initiator_transitions *all) {
  struct initiator_code initiator = {
      .gen = gen, .process = &gen->model->processes[all->process], .instance = all->instance};
  initiator.at = arena_array(gen->text.arena, initiator.process->location_count, sizeof *initiator.at);
  for (size_t t = all->first; t < all->end;) {
    const struct codegen_body body = next_body(gen, t, all->end);
    add_body(&initiator, &body);
    t += body.count;
  }
  find_switch_range(&initiator);
  outside_switch(&initiator, 0, initiator.switch_first);
  location_cases(&initiator);
  outside_switch(&initiator, initiator.switch_end, initiator.count);
}

void codegen_initiator(struct codegen *gen, const struct initiator_transitions *initiator, bool located) {
  if (located) {
    with_switch(gen, initiator);
    return;
  }
  for (size_t t = initiator->first; t < initiator->end;) {
    const struct codegen_body body = next_body(gen, t, initiator->end);
    codegen_firings(gen, &body, true);
    t += body.count;
  }
}
