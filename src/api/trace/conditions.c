#include "api/trace/conditions.h"

#include "model/interpreter/interpreter.h"
#include "model/process.h"

#include <string.h>

enum truth { IS_FALSE, IS_TRUE, FAILS };

/* Fields of a message. A field that is not known fails to be evaluated. */
struct message_fields {
  int64_t *values, *known;
};

/* ---- transitions as written -------------------------------------------------------------------- */

static const struct edge *edge_of(const struct attempt *a) { return &a->model->edges[a->edge]; }

static const struct edge_instance *instance_of(const struct attempt *a) { return &edge_of(a)->instances[a->instance]; }

static const struct channel *channel_of(const struct attempt *a) {
  return &a->model->channels[edge_of(a)->channel_number];
}

bool edge_is_buffered(const struct model *model, const struct edge *edge) {
  return edge->channel && model->channels[edge->channel_number].capacity > 0;
}

bool edge_leaves(const struct edge *edge, uint32_t location) {
  for (size_t i = 0; i < edge->location_count; i++)
    if (edge->locations[i] == location)
      return true;
  return false;
}

bool edge_tests_message(const struct edge *edge) {
  return edge->guard_count && memchr(edge->reads_message, true, edge->guard_count);
}

uint64_t edge_choices(const struct model *model, uint32_t number, uint32_t instance) {
  const struct edge *edge = &model->edges[number];
  uint64_t choices = 1;
  for (size_t i = 0; i < edge->select_count; i++) {
    const struct select *select = &edge->instances[instance].selects[i];
    const uint64_t last = (uint64_t)select->hi - (uint64_t)select->lo;
    if (select->lo > select->hi || last >= CHOICES_MOST)
      return 0;
    choices *= last + 1;
    if (choices > CHOICES_MOST)
      return 0;
  }
  return choices;
}

void edge_choice_values(const struct edge *edge, uint32_t instance, uint64_t choice, int64_t *selects) {
  for (size_t i = edge->select_count; i-- > 0;) {
    const struct select *select = &edge->instances[instance].selects[i];
    const uint64_t size = (uint64_t)(select->hi - select->lo) + 1;
    selects[i] = select->lo + (int64_t)(choice % size);
    choice /= size;
  }
}

static size_t most_selects(const struct model *model) {
  size_t most = 0;
  for (size_t i = 0; i < model->edge_count; i++)
    most = model->edges[i].select_count > most ? model->edges[i].select_count : most;
  return most;
}

static size_t most_fields(const struct model *model) {
  size_t most = 0;
  for (size_t i = 0; i < model->channel_count; i++)
    most = model->channels[i].field_count > most ? model->channels[i].field_count : most;
  return most;
}

/* Selects of a partner, selects of another one; fields and whether they are known. */
size_t conditions_scratch(const struct model *model) { return 2 * most_selects(model) + 2 * most_fields(model); }

static struct message_fields fields_of(const struct attempt *a) {
  const size_t fields = most_fields(a->model);
  int64_t *start = a->scratch + 2 * most_selects(a->model);
  return (struct message_fields){start, start + fields};
}

/* ---- parts of a transition --------------------------------------------------------------------- */

static uint32_t location_of(const struct attempt *a) {
  return instance_location(a->model, edge_of(a)->process, a->instance, a->values);
}

static bool is_there(const struct attempt *a) { return location_of(a) == a->location; }

static bool leaves_committed(const struct attempt *a) {
  return is_there(a) && process_of(a->model, edge_of(a)->process)->locations[a->location].committed;
}

static bool some_committed(const struct attempt *a) {
  int64_t value = 0;
  if (a->model->committed)
    interpreter_eval(a->model, a->model->committed, a->values, NULL, NULL, &value);
  return value != 0;
}

static bool is_unknown(const struct expr *field, const struct message_fields *message) {
  const int64_t value = message->values[field->id];
  return !message->known[field->id] || value < field->lo || value > field->hi;
}

/* The evaluation reads a field that is not known, or has a value for which the expression was not made. */
static bool reads_unknown(const struct attempt *a, const struct expr *e, const struct message_fields *message) {
  int64_t value;
  if (!e || e->op == EXPR_TEMP)
    return e && is_unknown(e, message);
  if (reads_unknown(a, e->a, message))
    return true;
  if (e->op != EXPR_AND && e->op != EXPR_OR && e->op != EXPR_COND)
    return reads_unknown(a, e->b, message) || reads_unknown(a, e->c, message);
  if (interpreter_eval(a->model, e->a, a->values, a->selects, message->values, &value) != NO_SITE)
    return false;
  if (e->op == EXPR_COND)
    return reads_unknown(a, value ? e->b : e->c, message);
  return (e->op == EXPR_AND) == (value != 0) && reads_unknown(a, e->b, message);
}

static bool evaluates(const struct attempt *a, const struct expr *e, const struct message_fields *message,
                      int64_t *value) {
  if (!e || (message && reads_unknown(a, e, message)))
    return false;
  return interpreter_eval(a->model, e, a->values, a->selects, message ? message->values : NULL, value) == NO_SITE;
}

static enum truth conjunct(const struct attempt *a, size_t i, const struct message_fields *message) {
  int64_t value;
  if (edge_of(a)->reads_message[i] && !message)
    return FAILS;
  if (!evaluates(a, instance_of(a)->guards[i], message, &value))
    return FAILS;
  return value ? IS_TRUE : IS_FALSE;
}

static enum truth guard(const struct attempt *a, const struct message_fields *message) {
  enum truth result = IS_TRUE;
  for (size_t i = 0; i < edge_of(a)->guard_count && result == IS_TRUE; i++)
    result = conjunct(a, i, message);
  return result;
}

/* The guard, unless it reads the message and is tested later. */
static enum truth early_guard(const struct attempt *a) {
  return edge_tests_message(edge_of(a)) ? IS_TRUE : guard(a, NULL);
}

static bool element(const struct attempt *a, int64_t *value) {
  return evaluates(a, instance_of(a)->element, NULL, value);
}

static enum truth matches_fields(const struct attempt *receiver, const struct message_fields *message) {
  for (size_t f = 0; f < channel_of(receiver)->field_count; f++) {
    const struct expr *wanted = instance_of(receiver)->fields[f];
    int64_t value;
    if (!wanted)
      continue;
    if (!message->known[f] || !evaluates(receiver, wanted, message, &value))
      return FAILS;
    if (value != message->values[f])
      return IS_FALSE;
  }
  return IS_TRUE;
}

/* ---- buffers ------------------------------------------------------------------------------------- */

static bool buffer_length(const struct attempt *a, int64_t *at, int64_t *length) {
  if (!element(a, at))
    return false;
  *length = a->values[a->model->variables[channel_of(a)->length_variable].first + *at];
  return true;
}

static enum truth is_ready(const struct attempt *a) {
  int64_t at, length;
  if (!buffer_length(a, &at, &length))
    return FAILS;
  return edge_of(a)->sends ? length < channel_of(a)->capacity : length > 0;
}

/* The first message of the buffer; false: there is none. */
static bool first_message(const struct attempt *a, struct message_fields *message) {
  const struct channel *channel = channel_of(a);
  int64_t at, length;
  *message = fields_of(a);
  if (edge_of(a)->sends || !buffer_length(a, &at, &length) || length == 0)
    return false;
  for (size_t f = 0; f < channel->field_count; f++) {
    message->values[f] = a->values[a->model->variables[channel->field_variables[f]].first + at * channel->capacity];
    message->known[f] = 1;
  }
  return true;
}

const int64_t *attempt_message(const struct attempt *a) {
  struct message_fields message;
  return edge_is_buffered(a->model, edge_of(a)) && first_message(a, &message) ? message.values : NULL;
}

/* ---- else ---------------------------------------------------------------------------------------- */

/* Without location and priority; of a transition that needs no other instance. The order of the tests decides which
   failure counts. */
static enum truth is_possible(const struct attempt *a) {
  struct message_fields message;
  int64_t at;
  enum truth result = early_guard(a);
  if (result != IS_TRUE || !edge_of(a)->channel)
    return result;
  if (!edge_is_buffered(a->model, edge_of(a)))
    return element(a, &at) ? IS_TRUE : FAILS;
  result = is_ready(a);
  if (result != IS_TRUE || edge_of(a)->sends)
    return result;
  first_message(a, &message);
  result = matches_fields(a, &message);
  return result == IS_TRUE && edge_tests_message(edge_of(a)) ? guard(a, &message) : result;
}

static enum truth is_possible_somehow(const struct attempt *a) {
  struct attempt other = *a;
  other.selects = a->scratch;
  const uint64_t choices = edge_choices(a->model, a->edge, a->instance);
  for (uint64_t choice = 0; choice < choices; choice++) {
    edge_choice_values(edge_of(a), a->instance, choice, a->scratch);
    const enum truth result = is_possible(&other);
    if (result != IS_FALSE)
      return result;
  }
  return IS_FALSE;
}

static enum truth otherwise(const struct attempt *a) {
  struct attempt other = *a;
  for (other.edge = 0; other.edge < a->model->edge_count; other.edge++) {
    const struct edge *edge = edge_of(&other);
    if (edge->process != edge_of(a)->process || edge->otherwise || !edge_leaves(edge, a->location))
      continue;
    const enum truth result = is_possible_somehow(&other);
    if (result != IS_FALSE)
      return result == IS_TRUE ? IS_FALSE : FAILS;
  }
  return IS_TRUE;
}

/* ---- the other end of a channel ------------------------------------------------------------------ */

/* Calls `visit` for each attempt of other instances, from where they are, at the other end, until it returns false. */
static void each_opposite(const struct attempt *a, int64_t *selects, bool (*visit)(void *, const struct attempt *),
                          void *data) {
  const struct model *model = a->model;
  struct attempt other = *a;
  other.selects = selects;
  for (other.edge = 0; other.edge < model->edge_count; other.edge++) {
    const struct edge *edge = edge_of(&other);
    if (!edge->channel || edge->channel_number != edge_of(a)->channel_number || edge->sends == edge_of(a)->sends)
      continue;
    for (other.instance = 0; other.instance < process_of(model, edge->process)->instances; other.instance++) {
      other.location = location_of(&other);
      if ((edge->process == edge_of(a)->process && other.instance == a->instance) || !edge_leaves(edge, other.location))
        continue;
      const uint64_t choices = edge_choices(model, other.edge, other.instance);
      for (uint64_t choice = 0; choice < choices; choice++) {
        edge_choice_values(edge, other.instance, choice, selects);
        if (!visit(data, &other))
          return;
      }
    }
  }
}

static void send_fields(const struct attempt *sender, struct message_fields *message) {
  *message = fields_of(sender);
  for (size_t f = 0; f < channel_of(sender)->field_count; f++) {
    message->values[f] = 0;
    message->known[f] = evaluates(sender, instance_of(sender)->fields[f], NULL, &message->values[f]);
  }
}

/* A receive of another instance can take part in this broadcast, from a committed location. */
struct committed_receiver {
  const struct attempt *sender;
  const struct message_fields *message;
  bool found;
};

static bool look_for_committed(void *data, const struct attempt *other) {
  struct committed_receiver *search = data;
  int64_t sent, received;
  search->found = leaves_committed(other) && early_guard(other) == IS_TRUE && element(search->sender, &sent) &&
                  element(other, &received) && sent == received && matches_fields(other, search->message) == IS_TRUE &&
                  (!edge_tests_message(edge_of(other)) || guard(other, search->message) == IS_TRUE);
  return !search->found;
}

static bool has_committed_receiver(const struct attempt *sender, const struct message_fields *message) {
  struct committed_receiver search = {sender, message, false};
  each_opposite(sender, sender->scratch + most_selects(sender->model), look_for_committed, &search);
  return search.found;
}

/* How near an attempt and one at the other end come to firing. */
enum nearness { NO_PARTNER, CAN_TAKE_PART, MATCHES, HAS_PRIORITY };

struct pairing {
  const struct attempt *own;
  bool committed; /* some instance is at a committed location */
  enum nearness best;
  bool partner_fails, match_fails; /* it is not known whether there is a nearer one */
  struct partner partner;
};

/* Own conjuncts that read no field are conditions of their own. */
static enum truth message_guard(const struct pairing *p, const struct attempt *receiver,
                                const struct message_fields *message) {
  enum truth result = IS_TRUE;
  if (receiver != p->own)
    return edge_tests_message(edge_of(receiver)) ? guard(receiver, message) : IS_TRUE;
  for (size_t i = 0; i < edge_of(receiver)->guard_count && result == IS_TRUE; i++)
    if (edge_of(receiver)->reads_message[i])
      result = conjunct(receiver, i, message);
  return result;
}

static bool has_priority(const struct pairing *p, const struct attempt *other, const struct attempt *sender,
                         const struct message_fields *message) {
  return !p->committed || leaves_committed(p->own) || leaves_committed(other) ||
         (channel_of(sender)->broadcast && has_committed_receiver(sender, message));
}

static enum nearness nearness_of(struct pairing *p, const struct attempt *other) {
  const struct attempt *sender = edge_of(p->own)->sends ? p->own : other;
  const struct attempt *receiver = sender == other ? p->own : other;
  struct message_fields message;
  int64_t here, there;
  enum truth result = early_guard(other);
  if (result == IS_FALSE)
    return NO_PARTNER;
  if (result == FAILS || !element(p->own, &here) || !element(other, &there)) {
    p->partner_fails = true;
    return NO_PARTNER;
  }
  if (here != there)
    return NO_PARTNER;
  send_fields(sender, &message);
  result = matches_fields(receiver, &message);
  if (result == IS_TRUE)
    result = message_guard(p, receiver, &message);
  p->match_fails |= result == FAILS;
  if (result != IS_TRUE)
    return CAN_TAKE_PART;
  return has_priority(p, other, sender, &message) ? HAS_PRIORITY : MATCHES;
}

static bool try_partner(void *data, const struct attempt *other) {
  struct pairing *p = data;
  const enum nearness nearness = nearness_of(p, other);
  if (nearness > p->best) {
    p->best = nearness;
    p->partner = (struct partner){true, other->edge, other->instance};
  }
  return p->best != HAS_PRIORITY;
}

static struct pairing best_partner(const struct attempt *a) {
  struct pairing p = {.own = a, .committed = some_committed(a)};
  const struct edge *edge = edge_of(a);
  if (edge->channel && !edge_is_buffered(a->model, edge) && !(edge->sends && channel_of(a)->broadcast))
    each_opposite(a, a->scratch, try_partner, &p);
  return p;
}

bool attempt_has_opposite(const struct attempt *a) {
  int64_t here;
  if (!element(a, &here))
    return true;
  for (uint32_t e = 0; e < a->model->edge_count; e++) {
    const struct edge *edge = &a->model->edges[e];
    if (!edge->channel || edge->channel_number != edge_of(a)->channel_number || edge->sends == edge_of(a)->sends)
      continue;
    for (uint32_t i = 0; i < process_of(a->model, edge->process)->instances; i++) {
      const struct expr *there = edge->instances[i].element;
      const bool other = edge->process != edge_of(a)->process || i != a->instance;
      if (other && edge_choices(a->model, e, i) > 0 && (!there || (there->lo <= here && here <= there->hi)))
        return true;
    }
  }
  return false;
}

/* ---- evaluation ---------------------------------------------------------------------------------- */

static enum truth guard_part(const struct conditions *conditions, const struct attempt *a, uint8_t condition) {
  const bool buffered = edge_is_buffered(a->model, edge_of(a));
  struct message_fields message;
  enum truth result = IS_TRUE;
  if (edge_of(a)->otherwise)
    return otherwise(a);
  const bool any = buffered && first_message(a, &message);
  for (size_t i = conditions->first[condition]; i < conditions->end[condition] && result == IS_TRUE; i++)
    if (conditions->listed[i])
      result = conjunct(a, i, any ? &message : NULL);
  return result;
}

static enum truth priority(const struct attempt *a, const struct pairing *p) {
  struct message_fields message;
  if (!p->committed || leaves_committed(a) || p->best == HAS_PRIORITY)
    return IS_TRUE;
  if (!edge_of(a)->channel || !edge_of(a)->sends || !channel_of(a)->broadcast)
    return IS_FALSE;
  send_fields(a, &message);
  return has_committed_receiver(a, &message);
}

static enum truth match(const struct attempt *a, const struct pairing *p) {
  struct message_fields message;
  if (!edge_is_buffered(a->model, edge_of(a)))
    return p->best >= MATCHES ? IS_TRUE : p->partner_fails || p->match_fails ? FAILS : IS_FALSE;
  return first_message(a, &message) ? matches_fields(a, &message) : is_ready(a);
}

static enum truth evaluate(const struct conditions *conditions, const struct attempt *a, const struct pairing *p,
                           uint8_t condition) {
  switch (conditions->kinds[condition]) {
  case CONDITION_PLACE:
    return is_there(a);
  case CONDITION_PRIORITY:
    return priority(a, p);
  case CONDITION_GUARD:
    return guard_part(conditions, a, condition);
  case CONDITION_PARTNER:
    return p->best >= CAN_TAKE_PART ? IS_TRUE : p->partner_fails ? FAILS : IS_FALSE;
  case CONDITION_READY:
    return is_ready(a);
  case CONDITION_MATCH:
    break;
  }
  return match(a, p);
}

struct condition_truth conditions_evaluate(const struct conditions *conditions, const struct attempt *a) {
  const struct pairing p = best_partner(a);
  struct condition_truth truth = {.partner = p.partner};
  for (uint8_t i = 0; i < conditions->count; i++) {
    const enum truth result = evaluate(conditions, a, &p, i);
    truth.met |= (uint64_t)(result == IS_TRUE) << i;
    truth.unmet |= (uint64_t)(result == IS_FALSE) << i;
  }
  return truth;
}

bool conditions_nearer(uint64_t a, uint64_t b) {
  const int more = __builtin_popcountll(a) - __builtin_popcountll(b);
  const uint64_t differing = a ^ b;
  return more > 0 || (more == 0 && (a & differing & -differing));
}
