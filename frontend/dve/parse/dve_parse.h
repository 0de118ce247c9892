/* Reads a DVE file. */
#ifndef FLOE_FRONTEND_DVE_PARSE_H
#define FLOE_FRONTEND_DVE_PARSE_H

#include "core/status.h"
#include "frontend/dve/parse/dve_tree.h"

/* FLOE_ERROR_MODEL: errors were logged. The guard of `arena` is active. */
floe_status dve_parse(const struct source *source, struct arena *arena, floe_log *log, const struct dve_system **out);

/* Reads an expression, which ends with the source; NULL: errors were logged. */
const struct dve_expr *dve_parse_condition(const struct source *source, struct arena *arena, floe_log *log);

/* True if the text begins as a DVE file does: a declaration or a process, behind comments. */
bool dve_recognise(const char *text, size_t length);

#endif
