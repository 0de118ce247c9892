/* Model reader: parts of elements. */
#ifndef FLOE_FRONTEND_XML_READER_PARTS_H
#define FLOE_FRONTEND_XML_READER_PARTS_H

#include "frontend/parse/syntax.h"
#include "frontend/xml/xml.h"
#include "model/language.h"

struct reader {
  const struct source *source;
  struct arena *arena;
  floe_log *log;
  struct syntax_model *model;
  struct includer *includer;
};

/* An attribute's value, or NULL. */
const struct located_text *reader_attribute(const struct xml_element *element, const char *name);
/* An attribute's value or the text of the child of this name, or NULL. */
const struct located_text *reader_part(const struct xml_element *element, const char *name);
/* An attribute that is a name; "" if it is missing. */
/* Length of "index of " at the beginning of a type, or 0. */
size_t reader_index_of(const struct located_text *type);
struct syntax_name reader_name(const struct xml_element *element, const char *attribute);
/* The text of the child `description` with single blanks; "" if it is missing. */
const char *reader_description(const struct reader *r, const struct xml_element *element);

/* The expression in the attribute or child `part`; NULL if it is missing or invalid. */
struct syntax_expr *reader_expression(const struct reader *r, const struct xml_element *element, const char *part);
/* Also of a function. */
void read_define(const struct reader *r, const struct xml_element *element, struct syntax_define *out);
struct parser_input reader_input(const struct reader *r, const struct located_text *text);

#endif
