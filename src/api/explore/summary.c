/* Converts an engine's outcome into summary and verdicts. */
#include "api/explore/explore.h"
#include "api/explore/symmetry_check.h"

#include "core/mem.h"
#include "model/property_kind.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- firings of transitions as written ------------------------------------------------------- */

static bool counted_before(const struct transition *transition, size_t i) {
  for (size_t j = 0; j < i; j++)
    if (transition->participants[j].edge == transition->participants[i].edge)
      return true;
  return false;
}

/* A synchronisation fires the transitions of all participants. */
static void sum_fired(struct exploration *e) {
  floe_result *result = e->result;
  result->edge_count = e->model->edge_count;
  result->fired = arena_array(&result->arena, result->edge_count, sizeof *result->fired);
  for (size_t t = 0; t < e->model->transition_count; t++) {
    const struct transition *transition = &e->model->transitions[t];
    for (size_t i = 0; i < transition->participant_count; i++)
      if (!counted_before(transition, i))
        result->fired[transition->participants[i].edge] += e->outcome.fired[t];
  }
}

/* ---- summary --------------------------------------------------------------------------------- */

/* Definition in doc/semantics.md. */
static uint64_t levels_hash(const struct engine_outcome *outcome) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < outcome->levels; i++) {
    uint64_t word = hash ^ outcome->level_states[i];
    hash = engine_state_mix(&word, 1);
  }
  return hash;
}

static const char *certificate_of(const struct exploration *e) {
  const struct engine_outcome *o = &e->outcome;
  const floe_summary *s = &e->result->summary;
  return arena_printf(&e->result->arena,
                      "floe1 states=%" PRIu64 " transitions=%" PRIu64 " levels=%" PRIu32 " deadlocks=%" PRIu64
                      " levels_hash=%016" PRIx64 " set=%016" PRIx64 "%s%s",
                      s->states, s->transitions, s->levels, s->deadlocks, levels_hash(o), o->checksum,
                      e->layout->canonical ? " symmetry=on" : "", is_reduced(e) ? " reduced=on" : "");
}

/* Which of several GPUs explored, and why. */
static const char *gpus_detail(const struct exploration *e) {
  const struct engine_outcome *o = &e->outcome;
  struct arena *arena = &e->result->arena;
  const bool several = e->device.gpus.count > 1 || o->group.count > 1 || o->attempts.full_states;
  const char *which = !several ? "" : o->attempts.first_sufficed ? ", the first one alone" : ", all together";
  if (o->attempts.full_states)
    return arena_printf(arena, "%s, with host memory, after all GPUs were full with %" PRIu64 " states", which,
                        o->attempts.full_states);
  if (e->device.gpus.max_count > 1 && o->attempts.first_states)
    return arena_printf(arena, "%s, after the first one had found %" PRIu64 " states", which, o->attempts.first_states);
  return which;
}

static const char *gpu_detail(const struct exploration *e) {
  const struct engine_outcome *o = &e->outcome;
  const char *tried = arena_printf(&e->result->arena, "; the CPU had not finished after %.1f s", e->device.cpu_seconds);
  const char *several =
      arena_printf(&e->result->arena, "; %s the %" PRIu64 " states expected",
                   e->device.gpus.one_suffices ? "several GPUs are faster for" : "one GPU would not hold",
                   e->device.gpus.expected_states);
  const unsigned members = o->group.count && !o->attempts.first_sufficed ? o->group.count : 1;
  return arena_printf(&e->result->arena, "%s%s, %u blocks of %u threads, kernels %s%s%s", e->device.title,
                      gpus_detail(e), o->gpu.blocks, o->gpu.blocks ? o->threads / members / o->gpu.blocks : 0,
                      o->gpu.built_from_cache ? "cached" : "compiled", e->device.gpus.expected_states ? several : "",
                      e->device.cpu_seconds > 0 ? tried : "");
}

static const char *engine_detail(const struct exploration *e) {
  if (e->device.gpus.count)
    return gpu_detail(e);
  const char *ranks = arena_printf(&e->result->arena, "%u processes with ", e->outcome.group.count);
  return arena_printf(&e->result->arena, "%s%u thread%s, %s, table scan %s", e->outcome.group.count ? ranks : "",
                      e->outcome.threads, e->outcome.threads == 1 ? "" : "s", e->code.stepper->detail,
                      e->outcome.table.simd);
}

static bool is_simplified(const struct exploration *e) { return is_reduced(e) && e->api_model->simplified; }

static const char *table_detail(const struct exploration *e) {
  const struct engine_outcome *o = &e->outcome;
  const struct table_shape *s = &o->table.shape;
  if (o->gpu.host_backed)
    return arena_printf(&e->result->arena,
                        "%" PRIu64 " states kept on the GPU, %" PRIu64 " in %" PRIu64 " bytes of host memory; %" PRIu64
                        " slots in both",
                        o->states > o->gpu.host_states ? o->states - o->gpu.host_states : 0, o->gpu.host_states,
                        o->gpu.host_bytes, s->slots);
  if (o->table.scheme && table_traits(o->table.scheme)->every_key)
    return arena_printf(&e->result->arena, "a bit for each of %" PRIu64 " keys", s->slots);
  if (s->second_buckets == 0)
    return arena_printf(&e->result->arena, "%" PRIu64 " slots of %u bits", s->slots, s->slot_bits);
  return arena_printf(&e->result->arena,
                      "%" PRIu64 " slots of %u bits in buckets of %u, %" PRIu64 " of %u bits in buckets of %u, %" PRIu64
                      " overflow slots",
                      s->buckets * s->bucket_slots, s->slot_bits, s->bucket_slots,
                      s->second_buckets * s->second_bucket_slots, s->second_slot_bits, s->second_bucket_slots,
                      s->third_slots);
}

/* A depth of the search as one of the model. */
static uint32_t model_depth(const struct exploration *e, uint32_t depth) {
  const uint32_t first = model_first_level(e->model);
  return depth > first ? depth - first : 0;
}

static void copy_levels(struct exploration *e) {
  floe_result *result = e->result;
  const struct engine_outcome *o = &e->outcome;
  const uint32_t first = model_first_level(e->model), levels = model_depth(e, o->levels);
  result->level_states = arena_array(&result->arena, levels, sizeof *result->level_states);
  if (levels)
    memcpy(result->level_states, o->level_states + first, levels * sizeof *o->level_states);
}

/* Leaves out the state before the start states. */
static void subtract_start(const struct exploration *e, floe_summary *summary) {
  const uint64_t firings = e->model->start_firings;
  if (!model_first_level(e->model))
    return;
  summary->states -= summary->states > 0;
  summary->transitions -= summary->transitions >= firings ? firings : summary->transitions;
  summary->levels = model_depth(e, summary->levels);
}

static floe_phases phases_of(const struct engine_outcome *o) {
  return (floe_phases){.together = o->cpu.phases[PHASE_TOGETHER],
                       .clearing = o->cpu.phases[PHASE_CLEARING],
                       .moving = o->cpu.phases[PHASE_MOVING],
                       .alone = o->cpu.phases[PHASE_ALONE],
                       .growing = o->cpu.phases[PHASE_GROWING],
                       .between = o->cpu.phases[PHASE_BETWEEN],
                       .waiting = o->cpu.idle_seconds};
}

/* Compile-time check: floe_summary has the statistics of engine/statistics.def, with their types. */
#define IS_OF_TYPE(member, type) _Generic(((floe_summary *)0)->member, type : 1, default : 0)
#define COUNT(type, name, json, unit, description) _Static_assert(IS_OF_TYPE(name, type), "floe_summary." #name);
#define COST COUNT
#define CALL_COST COUNT
#define UNLISTED(type, name) COUNT(type, name, , , )
#define PHASE(name, json, description) _Static_assert(IS_OF_TYPE(phases.name, double), "floe_phases." #name);
#include "engine/statistics.def"

static void set_statistics(const struct engine_outcome *o, floe_summary *summary) {
#define COUNT(type, name, json, unit, description) summary->name = o->name;
#define COST(type, name, json, unit, description) summary->name = o->statistics.name;
#define UNLISTED(type, name) summary->name = o->statistics.name;
#include "engine/statistics.def"
}

static void copy_members(struct exploration *e) {
  floe_result *result = e->result;
  result->member_count = e->outcome.group.count;
  result->members = arena_array(&result->arena, result->member_count, sizeof *result->members);
  for (size_t i = 0; i < result->member_count; i++) {
    const struct engine_member *member = &e->outcome.group.members[i];
    result->members[i] = (floe_member){.states = member->states,
                                       .transitions = member->transitions,
                                       .table_bytes = member->table_bytes,
                                       .threads = member->threads,
                                       .messages = member->packets,
                                       .sent = member->sent,
                                       .waiting_seconds = member->waited};
  }
}

static const struct variable *variable_of(const struct model *model, uint32_t element) {
  size_t low = 0, high = model->variable_count;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (model->variables[middle].first <= element)
      low = middle;
    else
      high = middle;
  }
  return &model->variables[low];
}

/* No reachable state has a greater value; INT64_MAX: that is not proved. */
static int64_t most_of(const struct model *model, const struct measure *measure) {
  int64_t sum = 0;
  for (size_t i = 0; i < measure->count; i++) {
    const struct variable *v = variable_of(model, measure->elements[i]);
    const int64_t most = v->assigned ? v->hi : v->init[measure->elements[i] - v->first];
    if ((v->assigned && v->guessed) || __builtin_add_overflow(sum, most, &sum))
      return INT64_MAX;
  }
  return sum;
}

static bool is_known(const struct exploration *e, size_t measure) {
  const struct measured *measured = e->outcome.measured;
  if (!measured)
    return false;
  return (e->outcome.end == FLOE_END_COMPLETE && !e->outcome.firing_failed) ||
         measured[measure].greatest == most_of(e->model, &e->model->measures[measure]);
}

/* The result may outlive the model. */
static void copy_measures(struct exploration *e) {
  floe_result *result = e->result;
  struct arena *arena = &result->arena;
  const struct measured *measured = e->outcome.measured;
  if (!e->options.measures)
    return;
  result->measure_count = e->model->measure_count;
  result->measures = arena_array(arena, result->measure_count, sizeof *result->measures);
  for (size_t i = 0; i < result->measure_count; i++) {
    const struct measure *measure = &e->model->measures[i];
    result->measures[i] = (floe_measure){.id = arena_copy(arena, measure->id, strlen(measure->id)),
                                         .text = arena_copy(arena, measure->text, strlen(measure->text)),
                                         .terms = measure->count,
                                         .known = is_known(e, i),
                                         .least = is_known(e, i) ? measured[i].least : 0,
                                         .greatest = is_known(e, i) ? measured[i].greatest : 0};
  }
}

void summary_make(struct exploration *e) {
  const struct engine_outcome *o = &e->outcome;
  struct arena *arena = &e->result->arena;
  /* copied: the engine's string may not live as long */
  const char *table = o->gpu.host_backed ? SETTINGS_HOST_BACKED : o->table.scheme ? o->table.scheme : e->options.table;
  copy_levels(e);
  sum_fired(e);
  copy_members(e);
  copy_measures(e);
  e->result->summary =
      (floe_summary){.end = o->end,
                     .complete = o->end == FLOE_END_COMPLETE,
                     .engine = e->engine,
                     .engine_detail = engine_detail(e),
                     .simd = e->device.gpus.count || !o->table.simd ? "" : o->table.simd,
                     .table = arena_copy(arena, table, strlen(table)),
                     .table_detail = table_detail(e),
                     .threads = o->threads,
                     .key_bits = e->layout->key_bits,
                     .root_bits = o->statistics.tree_bytes ? o->table.shape.key_bits : 0,
                     .slot_bits = o->table.shape.slot_bits,
                     .bucket_slots = o->table.shape.bucket_slots,
                     .complete_depth = model_depth(e, o->complete_depth),
                     .any_complete = o->any_complete,
                     .parse_seconds = e->api_model->parse_seconds,
                     .start_seconds = e->start_seconds + o->gpu.memory_seconds,
                     .encoding = e->layout->encoding ? FLOE_ENCODING_INDEX : FLOE_ENCODING_FIELDS,
                     .symmetry = e->layout->canonical ? symmetry_text(e->model, arena) : "",
                     .reduced = is_reduced(e),
                     .merged_transitions = is_simplified(e) ? e->api_model->simplified->merged : 0,
                     .reset_transitions = is_simplified(e) ? e->api_model->simplified->reset_transitions : 0,
                     .reset_variables = is_simplified(e) ? e->api_model->simplified->resets : 0,
                     .firing_failed = o->firing_failed,
                     .firing_failed_depth = o->firing_failed ? model_depth(e, o->firing_failed_depth) : 0,
                     .phases = phases_of(o)};
  set_statistics(o, &e->result->summary);
  subtract_start(e, &e->result->summary);
  e->result->summary.certificate = certificate_of(e);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* Rules of doc/semantics.md, "Verdicts", in their order. */
static floe_undecided why_undecided(const struct exploration *e, size_t property) {
  const struct engine_outcome *o = &e->outcome;
  if (o->violations[property].violation)
    return FLOE_UNDECIDED_NONE;
  if (o->failed >> property & 1)
    return FLOE_UNDECIDED_EVALUATION;
  if (o->end != FLOE_END_COMPLETE)
    return FLOE_UNDECIDED_END;
  if (o->passes_ended >> property & 1)
    return FLOE_UNDECIDED_PRODUCT;
  return o->firing_failed ? FLOE_UNDECIDED_STEP : FLOE_UNDECIDED_NONE;
}

static floe_verdict_value judge(const struct exploration *e, size_t property) {
  const struct property_kind *kind = &property_kinds[e->model->properties[property].kind];
  if (e->outcome.violations[property].violation)
    return kind->found;
  return why_undecided(e, property) != FLOE_UNDECIDED_NONE ? FLOE_UNDECIDED : kind->absent;
}

/* The result may outlive the model. */
static floe_property own_property(const struct exploration *e, size_t i) {
  struct arena *arena = &e->result->arena;
  floe_property property = floe_model_property(e->api_model, i);
  property.id = arena_copy(arena, property.id, strlen(property.id));
  property.description = arena_copy(arena, property.description, strlen(property.description));
  property.text = arena_copy(arena, property.text, strlen(property.text));
  property.file = arena_copy(arena, property.file, strlen(property.file));
  return property;
}

static floe_verdict verdict_of(const struct exploration *e, size_t property) {
  const struct engine_violation *violation = &e->outcome.violations[property];
  floe_verdict_value value = judge(e, property);
  return (floe_verdict){.property = own_property(e, property),
                        .value = value,
                        .satisfied = value == FLOE_HOLDS || value == FLOE_IS_REACHABLE,
                        .depth = violation->violation ? (int64_t)model_depth(e, violation->depth) : -1,
                        .cause = "",
                        .fairness = "",
                        .holds_fairness = "",
                        .undecided = why_undecided(e, property)};
}

/* Firings of a reduced model fail where those of the model as read do, but that has more of them. */
static bool is_unknown(const struct exploration *e, size_t property) {
  return e->api_model->whole && is_reduced(e) && e->model->properties[property].kind == FLOE_ERRORS &&
         !e->outcome.violations[property].violation;
}

static bool has_verdict(const struct exploration *e, size_t property) {
  uint64_t bit = UINT64_C(1) << property;
  if (is_unknown(e, property))
    return false;
  return (e->selected_mask & bit) || ((e->property_mask & bit) && e->outcome.violations[property].violation);
}

void verdicts_make(struct exploration *e) {
  floe_result *result = e->result;
  result->verdicts = arena_array(&result->arena, e->model->property_count, sizeof *result->verdicts);
  for (size_t i = 0; i < e->model->property_count; i++)
    if (has_verdict(e, i))
      result->verdicts[result->verdict_count++] = verdict_of(e, i);
}
