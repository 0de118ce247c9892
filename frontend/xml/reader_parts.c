#include "frontend/xml/reader_parts.h"

#include "frontend/parse/parse.h"

#include <string.h>

const struct located_text *reader_attribute(const struct xml_element *element, const char *name) {
  for (const struct xml_attribute *a = element->attributes; a; a = a->next)
    if (!strcmp(a->name, name))
      return &a->value;
  return NULL;
}

static const struct xml_element *find_child(const struct xml_element *element, const char *name) {
  const struct xml_element *child = element->children;
  while (child && strcmp(child->name, name) != 0)
    child = child->next;
  return child;
}

const struct located_text *reader_part(const struct xml_element *element, const char *name) {
  const struct located_text *value = reader_attribute(element, name);
  const struct xml_element *child = value ? NULL : find_child(element, name);
  return child ? &child->text : value;
}

struct syntax_name reader_name(const struct xml_element *element, const char *attribute) {
  const struct located_text *value = reader_attribute(element, attribute);
  if (!value)
    return (struct syntax_name){"", element->at};
  return (struct syntax_name){value->text, value->at[0]};
}

size_t reader_index_of(const struct located_text *type) {
  static const char index_of[] = "index of ";
  return strncmp(type->text, index_of, strlen(index_of)) == 0 ? strlen(index_of) : 0;
}

const char *reader_description(const struct reader *r, const struct xml_element *element) {
  static const char blanks[] = " \t\r\n";
  const struct xml_element *child = find_child(element, "description");
  if (!child)
    return "";
  const char *in = child->text.text + strspn(child->text.text, blanks);
  char *text = arena_alloc(r->arena, child->text.length + 1), *out = text;
  while (*in) {
    size_t length = strcspn(in, blanks);
    memcpy(out, in, length);
    out += length;
    in += length + strspn(in + length, blanks);
    if (*in)
      *out++ = ' ';
  }
  return text;
}

struct parser_input reader_input(const struct reader *r, const struct located_text *text) {
  return (struct parser_input){r->source, *text, r->arena, r->log};
}

struct syntax_expr *reader_expression(const struct reader *r, const struct xml_element *element, const char *part) {
  const struct located_text *text = reader_part(element, part);
  if (!text)
    return NULL;
  struct parser_input input = reader_input(r, text);
  return parse_expression(&input);
}

void read_define(const struct reader *r, const struct xml_element *element, struct syntax_define *out) {
  struct syntax_name name = reader_name(element, "name");
  const struct located_text *parameters = reader_attribute(element, "parameters");
  struct parser_input input = reader_input(r, &element->text);
  *out = (struct syntax_define){.name = name.name, .at = name.at, .is_function = !strcmp(element->name, "function")};
  if (out->is_function)
    parse_function(&input, out);
  else
    out->expr = parse_expression(&input);
  if (parameters) {
    input = reader_input(r, parameters);
    parse_parameters(&input, out);
  }
}
