/* Spin as the other tool of Promela models (model/tool.h): its numbers of statements, its forms of traces, trails and
   results. */
#ifndef FLOE_FRONTEND_PROMELA_SPIN_H
#define FLOE_FRONTEND_PROMELA_SPIN_H

#include "frontend/promela/promela_check.h"
#include "model/tool.h"

/* The output of its verifiers (pan). */
void pr_spin_write_result(const floe_result *result, tool_trace_of *trace_of, FILE *out);

/* Length of "y == 4" in "assertion fails: y == 4 (a.pml:11)"; 0: the cause is another error. */
size_t pr_assertion_length(const char *cause, const char **text);

#endif
