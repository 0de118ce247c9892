/* Names of the values of public enums, and the default options. */
#include "floe.h"
#include "model/property_kind.h"

#include "tables/table.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

#define NAME_OF(names, value) ((size_t)(value) < sizeof(names) / sizeof *(names) ? (names)[value] : "unknown")

const char *floe_version(void) { return PACKAGE_VERSION; }

unsigned floe_version_number(void) { return FLOE_VERSION; }

const char *floe_status_name(floe_status status) {
  static const char *const names[] = {[FLOE_OK] = "ok",
                                      [FLOE_ERROR_MODEL] = "error in the model",
                                      [FLOE_ERROR_USAGE] = "wrong use",
                                      [FLOE_ERROR_IO] = "input or output failed",
                                      [FLOE_ERROR_MEMORY] = "out of memory",
                                      [FLOE_ERROR_UNSUPPORTED] = "unsupported",
                                      [FLOE_ERROR_INTERNAL] = "internal error",
                                      [FLOE_ERROR_INTERRUPTED] = "interrupted"};
  return NAME_OF(names, status);
}

const char *floe_property_kind_name(floe_property_kind kind) {
  return (unsigned)kind < property_kind_count ? property_kinds[kind].word : "unknown";
}

floe_verdict_value floe_verdict_when_found(floe_property_kind kind) {
  return (unsigned)kind < property_kind_count ? property_kinds[kind].found : FLOE_UNDECIDED;
}

const char *floe_obstacle_kind_name(floe_obstacle_kind kind) {
  static const char *const names[] = {[FLOE_OBSTACLE_GUARD] = "guard",         [FLOE_OBSTACLE_PARTNER] = "partner",
                                      [FLOE_OBSTACLE_FULL] = "full",           [FLOE_OBSTACLE_EMPTY] = "empty",
                                      [FLOE_OBSTACLE_MESSAGE] = "message",     [FLOE_OBSTACLE_COMMITTED] = "committed",
                                      [FLOE_OBSTACLE_CONSTANTS] = "constants", [FLOE_OBSTACLE_NO_CHANGE] = "no-change",
                                      [FLOE_OBSTACLE_STATEMENT] = "statement"};
  return NAME_OF(names, kind);
}

const char *floe_verdict_name(floe_verdict_value value) {
  static const char *const names[] = {[FLOE_HOLDS] = "holds",
                                      [FLOE_VIOLATED] = "violated",
                                      [FLOE_IS_REACHABLE] = "reachable",
                                      [FLOE_UNREACHABLE] = "unreachable",
                                      [FLOE_UNDECIDED] = "undecided"};
  return NAME_OF(names, value);
}

const char *floe_vacuous_part_name(floe_vacuous_part part) {
  static const char *const names[] = {[FLOE_VACUOUS_ANTECEDENT] = "antecedent", [FLOE_VACUOUS_FAIRNESS] = "fairness"};
  return NAME_OF(names, part);
}

const char *floe_undecided_name(floe_undecided why) {
  static const char *const names[] = {[FLOE_UNDECIDED_NONE] = "",
                                      [FLOE_UNDECIDED_EVALUATION] = "evaluation",
                                      [FLOE_UNDECIDED_END] = "end",
                                      [FLOE_UNDECIDED_STEP] = "step",
                                      [FLOE_UNDECIDED_PRODUCT] = "product"};
  return NAME_OF(names, why);
}

const char *floe_end_name(floe_end end) {
  static const char *const names[] = {
#define END(end, word, sentence, cut) [FLOE_END_##end] = word,
#include "base/ends.def"
  };
  return NAME_OF(names, end);
}

const char *floe_order_kind_name(floe_order_kind kind) {
  static const char *const names[] = {[FLOE_ORDER_STATES] = "states", [FLOE_ORDER_LOOKUPS] = "lookups"};
  return NAME_OF(names, kind);
}

const char *floe_encoding_name(floe_encoding encoding) {
  static const char *const names[] = {
      [FLOE_ENCODING_AUTO] = "auto", [FLOE_ENCODING_FIELDS] = "fields", [FLOE_ENCODING_INDEX] = "rank"};
  return NAME_OF(names, encoding);
}

void floe_options_init(floe_options *options) {
  if (!options)
    return;
  *options = (floe_options){.struct_size = sizeof *options,
                            .engine = FLOE_ENGINE_AUTO,
                            .max_depth = UINT32_MAX,
                            .max_states = UINT64_MAX,
                            .traces = true,
                            .progress_seconds = 1,
                            .checkpoint_every = 600};
}
