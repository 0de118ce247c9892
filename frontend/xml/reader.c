#include "frontend/xml/reader.h"

#include "frontend/parse/lexer.h"
#include "frontend/parse/parse.h"
#include "frontend/parse/records.h"
#include "frontend/xml/reader_automaton.h"
#include "frontend/xml/reader_process.h"
#include "frontend/xml/reader_shape.h"

#include <string.h>

/* ---- elements of the model ------------------------------------------------------------------- */

static void read_constant(const struct reader *r, const struct xml_element *element, struct syntax_constant *out) {
  struct syntax_name name = reader_name(element, "name");
  const struct located_text *range = reader_attribute(element, "range");
  *out = (struct syntax_constant){.name = name.name, .at = name.at};
  out->value = reader_expression(r, element, "value");
  if (range) {
    struct parser_input input = reader_input(r, range);
    out->has_range = parse_range(&input, &out->range) == FLOE_OK;
  }
}

static void read_enumeration(const struct reader *r, const struct xml_element *element,
                             struct syntax_enumeration *out) {
  struct syntax_name name = reader_name(element, "name");
  const struct located_text *values = reader_attribute(element, "values");
  *out = (struct syntax_enumeration){.name = name.name, .at = name.at};
  if (values) {
    struct parser_input input = reader_input(r, values);
    parse_names(&input, out);
  }
}

static void read_record(const struct reader *r, const struct xml_element *element, struct syntax_record *out) {
  struct syntax_name name = reader_name(element, "name");
  *out = (struct syntax_record){.name = name.name, .at = name.at};
  for (const struct xml_element *child = element->children; child; child = child->next)
    if (!strcmp(child->name, "field"))
      read_variable(r, child, ARENA_PUSH(r->arena, out->fields, out->field_count, out->field_cap));
}

static void read_channel(const struct reader *r, const struct xml_element *element, struct syntax_channel *out) {
  struct syntax_name name = reader_name(element, "name");
  const struct located_text *message = reader_attribute(element, "message");
  *out = (struct syntax_channel){
      .name = name.name,
      .at = name.at,
      .size = reader_expression(r, element, "size"),
      .capacity = reader_expression(r, element, "capacity"),
      .broadcast = shape_word(element, "broadcast", false),
  };
  if (message) {
    struct parser_input input = reader_input(r, message);
    parse_fields(&input, &out->fields);
  }
}

static const char *text_of(const struct xml_element *element, const char *attribute) {
  return reader_name(element, attribute).name;
}

static bool is_empty(const struct located_text *text) { return text->text[strspn(text->text, " \t\r\n")] == '\0'; }

/* An unknown attribute may be a misspelt expression attribute. */
static void read_property(const struct reader *r, const struct xml_element *element, struct syntax_property *out) {
  struct syntax_name id = reader_name(element, "id");
  struct parser_input input = reader_input(r, &element->text);
  const int kind = shape_word(element, "kind", FLOE_INVARIANT);
  const struct located_text *const automaton = reader_attribute(element, "automaton");
  const bool is_absent = (automaton || shape_is_unlike(element)) && is_empty(&element->text);
  const bool is_temporal = kind == FLOE_LTL || kind >= SYNTAX_KIND_EVENTUALLY;
  *out = (struct syntax_property){
      .id = id.name,
      .description = text_of(element, "description"),
      .at = id.at,
      .kind = is_temporal ? FLOE_LTL : (floe_property_kind)kind,
      .fairness = reader_attribute(element, "fairness"),
      .expr = is_absent     ? NULL
              : is_temporal ? parse_temporal(&input, kind)
                            : parse_expression(&input),
      .automaton = automaton ? read_automaton(r, element, automaton) : NULL,
  };
}

static void read_deadlock(const struct reader *r, const struct xml_element *element) {
  struct syntax_model *model = r->model;
  model->deadlock.present = true;
  model->deadlock.check = shape_word(element, "check", true);
  model->deadlock.at = element->at;
  model->deadlock.unless = reader_expression(r, element, "unless");
}

/* ---- expected results ------------------------------------------------------------------------ */

/* -1 if the attribute is missing. */
static int64_t number_of_attribute(const struct xml_element *element, const char *attribute) {
  const struct located_text *value = reader_attribute(element, attribute);
  struct token token = value ? lex(value, 0) : (struct token){.kind = TOKEN_END};
  return token.kind == TOKEN_NUMBER ? token.value : -1;
}

static struct expected_verdict read_verdict(const struct xml_element *element) {
  struct syntax_name property = reader_name(element, "property");
  return (struct expected_verdict){
      .property = property.name,
      .at = property.at,
      .value = (floe_verdict_value)shape_word(element, "value", FLOE_HOLDS),
      .depth = number_of_attribute(element, "depth"),
  };
}

static struct syntax_definitions read_definitions(const struct reader *r, const struct located_text *text) {
  struct syntax_definitions definitions = {0};
  struct parser_input input = reader_input(r, text);
  parse_definitions(&input, &definitions);
  return definitions;
}

static void read_expect(const struct reader *r, const struct xml_element *element, struct expectation *out) {
  const struct located_text *constants = reader_attribute(element, "constants");
  struct syntax_definitions definitions = constants ? read_definitions(r, constants) : (struct syntax_definitions){0};
  struct expected_verdict *verdicts = NULL;
  size_t count = 0, cap = 0;
  for (const struct xml_element *child = element->children; child; child = child->next)
    if (!strcmp(child->name, "verdict"))
      *ARENA_PUSH(r->arena, verdicts, count, cap) = read_verdict(child);
  *out = (struct expectation){
      .at = element->at,
      .constants = definitions.items,
      .constant_count = definitions.n,
      .states = number_of_attribute(element, "states"),
      .transitions = number_of_attribute(element, "transitions"),
      .levels = number_of_attribute(element, "levels"),
      .deadlocks = number_of_attribute(element, "deadlocks"),
      .verdicts = verdicts,
      .verdict_count = count,
  };
}

/* ---- the model ------------------------------------------------------------------------------- */

static void read_model_part(const struct reader *r, const struct xml_element *child);

static void read_model_parts(const struct reader *r, const struct xml_element *root) {
  for (const struct xml_element *child = root->children; child; child = child->next)
    read_model_part(r, child);
}

static void read_model_part(const struct reader *r, const struct xml_element *child) {
  struct syntax_model *m = r->model;
  if (child->included)
    read_model_parts(r, child->included);
  else if (!strcmp(child->name, "constant"))
    read_constant(r, child, ARENA_PUSH(r->arena, m->constants, m->constant_count, m->cap.constants));
  else if (!strcmp(child->name, "enumeration"))
    read_enumeration(r, child, ARENA_PUSH(r->arena, m->enumerations, m->enumeration_count, m->cap.enumerations));
  else if (!strcmp(child->name, "record"))
    read_record(r, child, ARENA_PUSH(r->arena, m->records, m->record_count, m->cap.records));
  else if (!strcmp(child->name, "variable"))
    read_variable(r, child, ARENA_PUSH(r->arena, m->variables, m->variable_count, m->cap.variables));
  else if (!strcmp(child->name, "define") || !strcmp(child->name, "function"))
    read_define(r, child, ARENA_PUSH(r->arena, m->defines, m->define_count, m->cap.defines));
  else if (!strcmp(child->name, "channel"))
    read_channel(r, child, ARENA_PUSH(r->arena, m->channels, m->channel_count, m->cap.channels));
  else if (!strcmp(child->name, "process"))
    read_process(r, child, ARENA_PUSH(r->arena, m->processes, m->process_count, m->cap.processes));
  else if (!strcmp(child->name, "property"))
    read_property(r, child, ARENA_PUSH(r->arena, m->properties, m->property_count, m->cap.properties));
  else if (!strcmp(child->name, "deadlock"))
    read_deadlock(r, child);
  else if (!strcmp(child->name, "expect"))
    read_expect(r, child, ARENA_PUSH(r->arena, m->expects, m->expect_count, m->cap.expects));
}

static void read_model(const struct reader *r, const struct xml_element *root) {
  struct syntax_name name = reader_name(root, "name");
  *r->model = (struct syntax_model){
      .source = r->source,
      .name = name.name,
      .description = reader_description(r, root),
      .at = name.at,
      .deadlock.check = true,
  };
  read_model_parts(r, root);
}

/* ---- files ----------------------------------------------------------------------------------- */

static floe_status read_file(const struct reader *r, const struct source *source, struct xml_element **out);

/* An included file with errors leaves its element without a tree; reading continues, to report other errors. */
static floe_status read_include(const struct reader *r, struct xml_element *element) {
  const struct located_text *href = reader_attribute(element, "href");
  const struct source *source;
  if (!href)
    return FLOE_OK;
  floe_status status = r->includer->include(r->includer, href->text, href->at[0], &source);
  if (status == FLOE_OK)
    status = read_file(r, source, &element->included);
  return status == FLOE_ERROR_MODEL ? FLOE_OK : status;
}

/* The tree of a file, with the trees of the files that it includes. */
static floe_status read_file(const struct reader *r, const struct source *source, struct xml_element **out) {
  FLOE_TRY(xml_parse(source, XML_PLAIN, r->arena, r->log, out));
  for (struct xml_element *child = (*out)->children; child; child = child->next)
    if (!strcmp(child->name, "include"))
      FLOE_TRY(read_include(r, child));
  return FLOE_OK;
}

/* Those before `end`: automata follow. */
static floe_status validate_files(const struct reader *r, source_at end) {
  for (const struct source *source = r->source; source && source->base < end; source = source->next)
    FLOE_TRY(xml_validate(source, r->log));
  return FLOE_OK;
}

struct reading {
  struct reader reader;
  floe_status status;
};

static floe_status read_children(struct reader *r) {
  struct xml_element *root;
  size_t before = diag_errors(r->log);
  FLOE_TRY(read_file(r, r->source, &root));
  const source_at end = source_end(r->source);
  shape_check(r, root);
  if (!strcmp(root->name, "model")) {
    read_model(r, root);
    if (diag_errors(r->log) == before)
      records_expand(r->model, r->arena, r->log);
  }
  if (diag_errors(r->log) > before)
    return FLOE_ERROR_MODEL;
  return validate_files(r, end);
}

static void read_guarded(void *data) {
  struct reading *reading = data;
  struct reader *r = &reading->reader;
  r->model = arena_alloc(r->arena, sizeof *r->model);
  reading->status = read_children(r);
}

floe_status syntax_read(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                        struct syntax_model **out) {
  struct reading reading = {.reader = {source, arena, log, NULL, includer}};
  if (arena_guard(arena, read_guarded, &reading) != 0)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(reading.status);
  *out = reading.reader.model;
  return FLOE_OK;
}
