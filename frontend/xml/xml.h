/* XML trees: elements, attributes and text with the place of every byte. Only xml.c uses libxml2. */
#ifndef FLOE_FRONTEND_XML_XML_H
#define FLOE_FRONTEND_XML_XML_H

#include "core/arena.h"
#include "core/diag.h"
#include "frontend/xml/xml_guard.h"

struct xml_attribute {
  const char *name;
  struct located_text value;
  source_at at; /* of the name */
  struct xml_attribute *next;
};

struct xml_element {
  const char *name;
  source_at at; /* of the name, after '<' */
  struct xml_attribute *attributes;
  struct xml_element *children; /* elements only */
  struct xml_element *next;
  struct xml_element *included; /* set by the reader: root element of the file that an `include` names */
  struct located_text text;     /* all character data directly inside, without comments */
};

/* Parses `source` (well-formedness, UTF-8, no DTD, bounded depth), but none after it in its list, into *out, all memory
   from `arena`. With XML_NAMESPACES names have no prefixes. */
floe_status xml_parse(const struct source *source, enum xml_names names, struct arena *arena, floe_log *log,
                      struct xml_element **out);

/* Validates against the built-in RELAX NG schema (frontend/xml/floe.rng), the normative definition. Called after the
   reader has accepted the model, because the reader's messages are better: an error that only the schema finds is
   reported as an internal error of the reader. Does not validate those after `source` in its list. Files above
   XML_MAX_VALIDATED bytes are not validated, because libxml2 needs time quadratic in the number of elements (60000
   transitions: half a minute); for these the reader decides. */
#define XML_MAX_VALIDATED ((size_t)256 << 10)
floe_status xml_validate(const struct source *source, floe_log *log);

#endif
