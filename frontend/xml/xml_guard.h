/* Checks before libxml2 reads a file. They reject everything that could make it read other files, convert encodings, or
   use excessive time or memory. */
#ifndef FLOE_FRONTEND_XML_XML_GUARD_H
#define FLOE_FRONTEND_XML_XML_GUARD_H

#include "core/diag.h"

#define XML_MAX_BYTES ((size_t)64 << 20)   /* of the file */
#define XML_MAX_DEPTH 64                   /* of elements */
#define XML_MAX_ATTRIBUTES 64              /* of one element: libxml2 compares all pairs */
#define XML_MAX_VALUE ((source_at)1 << 20) /* bytes of an attribute or text as written */

/* FLOE_ERROR_MODEL after an error has been logged. FLOE_OK does not mean that the file is
 * well-formed. */
floe_status xml_guard(const struct source *source, floe_log *log);

#endif
