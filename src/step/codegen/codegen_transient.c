#include "step/codegen/codegen_transient.h"

#include "model/transitions/successor_bound.h"
#include "step/codegen/codegen_expr.h"

#include <inttypes.h>

static void begin_function(struct codegen *gen, const char *function) {
  codegen_line(gen, "%s", function);
  codegen_open(gen);
}

static void write_firings(struct codegen *gen, uint32_t holders) {
  const struct model *model = gen->model;
  begin_function(gen, "FLOE_DEVICE void floe_fire_holder(const floe_state s, FLOE_EMITTER)");
  codegen_line(gen, "const %s committed = floe_committed(s);", codegen_shared_type(model));
  codegen_line(gen, "switch (floe_holder(s))");
  codegen_open(gen);
  for (uint32_t h = 0; h < holders; h++)
    if (model->transient->holders[h].initiator != NO_INITIATOR)
      codegen_line(gen, "case %" PRIu32 ": floe_fire_%zu(s, committed, FLOE_EMITTER_ARGUMENT); break;", h + 1,
                   model->initiators[model->transient->holders[h].initiator].first);
  codegen_line(gen, "default: break;");
  codegen_close(gen, "");
  codegen_line(gen, "(void)committed;");
  codegen_close(gen, "");
}

static void write_first_only(struct codegen *gen, uint32_t holders) {
  begin_function(gen, "FLOE_DEVICE bool floe_first_only(uint32_t holder)");
  codegen_line(gen, "(void)holder;");
  codegen_line(gen, "return false");
  for (uint32_t h = 0; h < holders; h++)
    if (gen->model->transient->holders[h].first_only)
      codegen_add(gen, " || holder == %" PRIu32, h + 1);
  codegen_add(gen, ";");
  codegen_close(gen, "");
}

static void write_blocked_site(struct codegen *gen, uint32_t holders) {
  begin_function(gen, "FLOE_DEVICE uint32_t floe_blocked_site(uint32_t holder)");
  codegen_line(gen, "(void)holder;");
  codegen_line(gen, "return ");
  for (uint32_t h = 0; h < holders; h++)
    if (gen->model->transient->holders[h].blocked != NO_SITE)
      codegen_add(gen, "holder == %" PRIu32 " ? %" PRIu32 "u : ", h + 1, gen->model->transient->holders[h].blocked);
  codegen_add(gen, "FLOE_NO_SITE;");
  codegen_close(gen, "");
}

void codegen_transient(struct codegen *gen) {
  const struct transient *transient = gen->model->transient;
  codegen_line(gen, "\n/* Transient states (step/kernel/sequence.h): 0 for others */");
  codegen_line(gen, "enum {");
  codegen_line(gen, "  FLOE_SEQUENCE_SITE = %" PRIu32 ",", transient->exceeded);
  codegen_line(gen, "  FLOE_SEQUENCE_FIRINGS = %d,", SEQUENCE_FIRINGS);
  codegen_line(gen, "  FLOE_SEQUENCE_SUCCESSORS = %d,", SEQUENCE_SUCCESSORS);
  codegen_line(gen, "  FLOE_SEQUENCE_WORK = %" PRIu32, SEQUENCE_WORK);
  codegen_line(gen, "};");
  codegen_line(gen, "FLOE_DEVICE uint32_t floe_holder(const floe_state s)");
  codegen_open(gen);
  codegen_line(gen, "return (uint32_t)");
  codegen_read_element(gen, transient->variable, 0);
  codegen_add(gen, ";");
  codegen_close(gen, "");
  codegen_line(gen, "FLOE_DEVICE floe_state floe_released(const floe_state s)");
  codegen_open(gen);
  codegen_line(gen, "floe_state t = s;");
  codegen_write(gen, transient->variable, NULL);
  codegen_add(gen, "0);");
  codegen_line(gen, "return t;");
  codegen_close(gen, "");
  const uint32_t holders = (uint32_t)gen->model->variables[transient->variable].hi;
  write_firings(gen, holders);
  write_first_only(gen, holders);
  write_blocked_site(gen, holders);
}
