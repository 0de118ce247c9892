#include "frontend/xml/reader_process.h"

#include "frontend/parse/parse.h"
#include "frontend/xml/reader_shape.h"

#include <string.h>

static void read_size(const struct reader *r, const struct xml_element *element, struct syntax_variable *out) {
  const struct located_text *text = reader_attribute(element, "size");
  struct syntax_exprs sizes = {0};
  if (!text)
    return;
  struct parser_input input = reader_input(r, text);
  parse_expressions(&input, &sizes);
  out->dimension_count = sizes.n;
  out->dimensions = arena_array(r->arena, sizes.n, sizeof *out->dimensions);
  for (size_t i = 0; i < sizes.n; i++)
    out->dimensions[i] = (struct syntax_dimension){.size = sizes.items[i], .place = strlen(out->name)};
}

void read_variable(const struct reader *r, const struct xml_element *element, struct syntax_variable *out) {
  struct syntax_name name = reader_name(element, "name");
  const struct located_text *range = reader_attribute(element, "range");
  const struct located_text *init = reader_attribute(element, "init");
  const struct located_text *values = reader_attribute(element, "values");
  const struct located_text *wrap = reader_attribute(element, "wrap");
  const struct located_text *type = reader_attribute(element, "type");
  *out = (struct syntax_variable){.name = name.name, .at = name.at};
  if (range) {
    struct parser_input input = reader_input(r, range);
    parse_element_ranges(&input, &out->ranges);
  }
  if (type && reader_index_of(type))
    out->index_of = (struct syntax_name){type->text + reader_index_of(type), type->at[reader_index_of(type)]};
  else if (type)
    out->type = reader_name(element, "type");
  out->has_wrap = wrap != NULL;
  out->wrap = shape_word(element, "wrap", false);
  out->wrap_at = wrap ? wrap->at[0] : element->at;
  if (values) {
    struct parser_input input = reader_input(r, values);
    parse_values(&input, &out->values);
  }
  read_size(r, element, out);
  if (init) {
    struct parser_input input = reader_input(r, init);
    parse_initial(&input, out);
  }
  out->own_dimensions = out->init_dimensions = out->dimension_count;
}

static void read_parameter(const struct reader *r, const struct xml_element *element, struct syntax_parameter *out) {
  struct syntax_name name = reader_name(element, "name");
  const struct located_text *value = reader_attribute(element, "value");
  *out = (struct syntax_parameter){.name = name.name, .at = name.at};
  if (value) {
    struct parser_input input = reader_input(r, value);
    parse_expressions(&input, &out->value);
  }
}

static void read_location(const struct xml_element *element, struct syntax_location *out) {
  struct syntax_name name = reader_name(element, "name");
  *out = (struct syntax_location){
      .name = name.name,
      .at = name.at,
      .initial = shape_word(element, "initial", false),
      .committed = shape_word(element, "committed", false),
  };
}

/* ---- transitions ----------------------------------------------------------------------------- */

static void read_from(const struct reader *r, const struct xml_element *element, struct syntax_transition *out) {
  const struct located_text *from = reader_attribute(element, "from");
  size_t i = from ? strspn(from->text, " ") : 0;
  while (from && i < from->length) {
    size_t length = strcspn(from->text + i, " ");
    const char *name = arena_copy(r->arena, from->text + i, length);
    *ARENA_PUSH(r->arena, out->from, out->from_count, out->from_cap) = (struct syntax_name){name, from->at[i]};
    i += length;
    i += strspn(from->text + i, " ");
  }
}

static void read_sync(const struct reader *r, const struct xml_element *element, const char *part, bool send,
                      struct syntax_transition *out) {
  const struct located_text *text = reader_part(element, part);
  if (!text)
    return;
  struct parser_input input = reader_input(r, text);
  parse_sync(&input, send, out);
}

static void read_transition(const struct reader *r, const struct xml_element *element, struct syntax_transition *out) {
  const struct located_text *label = reader_attribute(element, "label");
  const struct located_text *select = reader_part(element, "select");
  const struct located_text *guard = reader_part(element, "guard");
  const struct located_text *effect = reader_part(element, "effect");
  *out = (struct syntax_transition){
      .at = element->at, .label = label ? label->text : "", .fair = (enum fair)shape_word(element, "fair", FAIR_NONE)};
  read_from(r, element, out);
  if (reader_attribute(element, "to"))
    out->to = reader_name(element, "to");
  if (select) {
    struct parser_input input = reader_input(r, select);
    parse_selects(&input, out);
  }
  if (guard) {
    struct parser_input input = reader_input(r, guard);
    parse_guard(&input, out);
  }
  read_sync(r, element, "send", true, out);
  read_sync(r, element, "receive", false, out);
  if (effect) {
    struct parser_input input = reader_input(r, effect);
    parse_effects(&input, out);
  }
}

/* ---- processes ------------------------------------------------------------------------------- */

static void read_part(const struct reader *r, const struct xml_element *child, struct syntax_process *p) {
  if (!strcmp(child->name, "parameter"))
    read_parameter(r, child, ARENA_PUSH(r->arena, p->parameters, p->parameter_count, p->parameter_cap));
  else if (!strcmp(child->name, "variable"))
    read_variable(r, child, ARENA_PUSH(r->arena, p->variables, p->variable_count, p->variable_cap));
  else if (!strcmp(child->name, "define") || !strcmp(child->name, "function"))
    read_define(r, child, ARENA_PUSH(r->arena, p->defines, p->define_count, p->define_cap));
  else if (!strcmp(child->name, "location"))
    read_location(child, ARENA_PUSH(r->arena, p->locations, p->location_count, p->location_cap));
  else if (!strcmp(child->name, "transition"))
    read_transition(r, child, ARENA_PUSH(r->arena, p->transitions, p->transition_count, p->transition_cap));
}

void read_process(const struct reader *r, const struct xml_element *element, struct syntax_process *out) {
  struct syntax_name name = reader_name(element, "name");
  *out = (struct syntax_process){
      .name = name.name,
      .description = reader_description(r, element),
      .at = name.at,
      .instances = reader_expression(r, element, "instances"),
      .fair = (enum fair)shape_word(element, "fair", FAIR_NONE),
      .symmetric = shape_word(element, "symmetric", false),
  };
  for (const struct xml_element *child = element->children; child; child = child->next)
    read_part(r, child, out);
}
