/* Breadth first over pairs of a state and the conditions that the steps to it have satisfied. */
#include "engine/cycles/shortest_cycle.h"

#include "base/splitmix64.h"

#define NONE UINT32_MAX

struct pair {
  uint64_t number, satisfied;
  uint32_t parent, transition, choice;
};

struct pairs {
  const struct cycle_search *search;
  struct pair *items; /* [most + 1], in the order of the search; the last one is the end */
  uint32_t *slots;    /* [slot_mask + 1] place in items plus 1, 0: empty */
  size_t n, slot_mask;
  uint32_t expanding, end; /* places; end NONE: not reached */
};

/* False: it was known. */
static bool add(struct pairs *p, struct pair pair) {
  size_t slot = splitmix64_mix(pair.number ^ splitmix64_mix(pair.satisfied)) & p->slot_mask;
  for (; p->slots[slot]; slot = (slot + 1) & p->slot_mask) {
    const struct pair *known = &p->items[p->slots[slot] - 1];
    if (known->number == pair.number && known->satisfied == pair.satisfied)
      return false;
  }
  p->items[p->n] = pair;
  p->slots[slot] = (uint32_t)++p->n;
  return true;
}

static void visit(void *user, const struct cycle_step *steps, size_t n) {
  struct pairs *p = user;
  const struct cycle_search *s = p->search;
  for (size_t i = 0; i < n && p->end == NONE && p->n < s->most; i++) {
    const struct cycle_step *step = &steps[i];
    if (!s->inside(s->user, step->to))
      continue;
    const struct pair pair = {.number = step->to,
                              .satisfied = p->items[p->expanding].satisfied | (step->marks & s->needed),
                              .parent = p->expanding,
                              .transition = step->transition,
                              .choice = step->choice};
    if (pair.number == s->start && pair.satisfied == s->needed) {
      p->end = (uint32_t)p->n;
      p->items[p->n] = pair; /* also if it is the first one, needing nothing */
    } else {
      add(p, pair);
    }
  }
}

static bool make_cycle(const struct pairs *p, struct cycle *out) {
  size_t steps = 1;
  for (uint32_t at = p->items[p->end].parent; at != 0; at = p->items[at].parent)
    steps++;
  *out = (struct cycle){.states = mem_array(steps + 1, sizeof *out->states),
                        .transitions = mem_array(steps, sizeof *out->transitions),
                        .choices = mem_array(steps, sizeof *out->choices),
                        .steps = steps};
  if (!out->states || !out->transitions || !out->choices) {
    cycle_free(out);
    return false;
  }
  for (uint32_t at = p->end; steps > 0; at = p->items[at].parent) {
    out->states[steps--] = p->items[at].number;
    out->transitions[steps] = p->items[at].transition;
    out->choices[steps] = p->items[at].choice;
  }
  out->states[0] = p->search->start;
  return true;
}

static floe_status search_cycle(struct pairs *p, bool *found, struct cycle *out) {
  const struct cycle_search *s = p->search;
  add(p, (struct pair){.number = s->start});
  for (; p->end == NONE && p->expanding < p->n && p->n < s->most; p->expanding++) {
    if (stop_requested(&s->graph->stop))
      return FLOE_ERROR_INTERRUPTED;
    const uint64_t number = p->items[p->expanding].number;
    s->graph->expand(s->graph->self, 0, &number, 1, visit, p);
  }
  *found = p->end != NONE;
  return *found && !make_cycle(p, out) ? FLOE_ERROR_MEMORY : FLOE_OK;
}

floe_status shortest_cycle(const struct cycle_search *search, bool *found, struct cycle *out) {
  struct pairs p = {.search = search, .end = NONE, .slot_mask = 1};
  *found = false;
  while (p.slot_mask + 1 < 2 * (search->most + 1))
    p.slot_mask = p.slot_mask * 2 + 1;
  p.items = mem_array(search->most + 1, sizeof *p.items);
  p.slots = mem_array(p.slot_mask + 1, sizeof *p.slots);
  const floe_status status = p.items && p.slots ? search_cycle(&p, found, out) : FLOE_ERROR_MEMORY;
  mem_free(p.items);
  mem_free(p.slots);
  return status;
}
