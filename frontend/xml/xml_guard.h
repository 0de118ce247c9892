/* Checks before libxml2 reads a file. They reject everything that could make it read other files, convert encodings, or
   use excessive time or memory. */
#ifndef FLOE_FRONTEND_XML_XML_GUARD_H
#define FLOE_FRONTEND_XML_XML_GUARD_H

#include "core/diag.h"

#define XML_MAX_BYTES ((size_t)64 << 20)   /* of the file */
#define XML_MAX_DEPTH 64                   /* of elements of a floe model */
#define XML_MOST_DEPTH 250                 /* of elements of any file: libxml2 allows 256 */
#define XML_MAX_ATTRIBUTES 64              /* of one element: libxml2 compares all pairs */
#define XML_MAX_VALUE ((source_at)1 << 20) /* bytes of an attribute or text as written */

/* Rules for the names of elements and attributes. */
enum xml_names {
  XML_PLAIN,     /* no namespaces; elements are nested at most XML_MAX_DEPTH deep */
  XML_NAMESPACES /* prefixes are left out, declarations of namespaces skipped; XML_MOST_DEPTH */
};

/* FLOE_ERROR_MODEL after an error has been logged. FLOE_OK does not mean that the file is
 * well-formed. */
floe_status xml_guard(const struct source *source, enum xml_names names, floe_log *log);

#endif
