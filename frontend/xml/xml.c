#include "frontend/xml/xml.h"

#include "frontend/xml/floe_rng.h"
#include "frontend/xml/xml_guard.h"
#include "frontend/xml/xml_position.h"

#include <assert.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>

/* Entities, DTDs and the network stay out: xml_guard refuses a DTD and other encodings, and these
   options say it again. IGNORE_ENC: the guard has seen that the bytes are UTF-8. */
#define OPTIONS (XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_BIG_LINES)

#if LIBXML_VERSION >= 21200
typedef const xmlError *error_argument;
#else
typedef xmlErrorPtr error_argument;
#endif

/* ---- libxml2's messages ---------------------------------------------------------------------- */

struct listener {
  const struct source *source;
  floe_log *log;
  void (*report)(const struct listener *listener, const xmlError *error, int length);
  bool heard; /* only the first message tells something, the others follow from it */
  bool no_memory;
  /* what was set before */
  xmlStructuredErrorFunc handler;
  xmlGenericErrorFunc generic;
  void *context, *generic_context;
};

static void hear(void *user, error_argument error) {
  struct listener *listener = user;
  if (error->code == XML_ERR_NO_MEMORY)
    listener->no_memory = true; /* the caller's to tell: no error of the text */
  if (listener->no_memory || listener->heard || error->level <= XML_ERR_WARNING || !error->message)
    return;
  listener->heard = true;
  size_t length = strcspn(error->message, "\n");
  listener->report(listener, error, length < 500 ? (int)length : 500);
}

static void hear_nothing(void *context, const char *format, ...) {
  (void)context;
  (void)format;
}

/* The handlers are variables of libxml2, a set for each thread. Without them messages go to
 * standard error. */
static void listen(struct listener *listener) {
  listener->handler = xmlStructuredError;
  listener->context = xmlStructuredErrorContext;
  listener->generic = xmlGenericError;
  listener->generic_context = xmlGenericErrorContext;
  xmlSetStructuredErrorFunc(listener, hear);
  xmlSetGenericErrorFunc(NULL, hear_nothing);
}

static void listen_no_more(const struct listener *listener) {
  xmlSetStructuredErrorFunc(listener->context, listener->handler);
  xmlSetGenericErrorFunc(listener->generic_context, listener->generic);
  xmlResetLastError();
}

/* What is to be returned when libxml2 gave no result. */
static floe_status status_of(const struct listener *listener) {
  return listener->heard && !listener->no_memory ? FLOE_ERROR_MODEL : FLOE_ERROR_MEMORY;
}

static const char *hint_for(int code, char before) {
  if (code == XML_ERR_LT_IN_ATTRIBUTE || (code == XML_ERR_NAME_REQUIRED && before == '<'))
    return "for '<' write 'lt' or '&lt;'";
  switch (code) {
  case XML_ERR_NAME_REQUIRED: /* after '&' */
  case XML_ERR_ENTITYREF_SEMICOL_MISSING:
    return "for '&&' write 'and' or '&amp;&amp;'";
  case XML_ERR_UNDECLARED_ENTITY:
    return "there are &lt; &gt; &amp; &quot; &apos; and &#...;";
  case XML_ERR_ATTRIBUTE_NOT_STARTED:
    return "attributes are written name=\"value\"";
  default:
    return NULL;
  }
}

static void report_malformed(const struct listener *listener, const xmlError *error, int length) {
  const struct source *source = listener->source;
  long offset = error->ctxt ? xmlByteConsumed(error->ctxt) : -1;
  bool placed = offset > 0 && (size_t)offset <= source->length;
  const char *hint = hint_for(error->code, placed ? source->text[offset - 1] : '\0');
  diag_error(listener->log, source, placed ? (source_at)offset : 0, hint, "not well-formed XML: %.*s", length,
             error->message);
}

/* Sets *out to NULL where the file is not well-formed (the listener has heard why). */
static floe_status read_document(struct listener *listener, xmlDoc **out) {
  const struct source *source = listener->source;
  xmlInitParser();
  listen(listener);
  xmlDoc *document = xmlReadMemory(source->text, (int)source->length, NULL, NULL, OPTIONS);
  listen_no_more(listener);
  if (document && !listener->heard) {
    *out = document;
    return FLOE_OK;
  }
  xmlFreeDoc(document);
  return status_of(listener);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* An element that is open: its halves from libxml2 and from the scanner go in step. */
struct level {
  struct xml_element *element;
  const xmlNode *node;
  const xmlNode *next_child; /* of libxml2, expected next */
  const xmlAttr *next_attribute;
  struct xml_element **child_end; /* where the next child is hung in */
  struct xml_attribute **attribute_end;
  char *text;
  source_at *at;
  size_t room; /* for text: what libxml2 has found */
};

struct builder {
  const struct source *source;
  struct arena *arena;
  struct xml_scanner scanner;
  struct level levels[XML_MAX_DEPTH + 1]; /* [0] is the document */
  unsigned depth;
  struct xml_element *root;
  bool agrees; /* scanner and libxml2, so far */
};

static bool is_text(const xmlNode *node) { return node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE; }

static const xmlNode *element_from(const xmlNode *node) {
  while (node && node->type != XML_ELEMENT_NODE)
    node = node->next;
  return node;
}

static size_t text_length(const xmlNode *node) {
  size_t length = 0;
  for (const xmlNode *child = node->children; child; child = child->next)
    if (is_text(child) && child->content)
      length += strlen((const char *)child->content);
  return length;
}

static bool same_text(const struct level *level) {
  const char *text = level->text;
  for (const xmlNode *child = level->node->children; child; child = child->next) {
    size_t length = is_text(child) && child->content ? strlen((const char *)child->content) : 0;
    if (length && memcmp(text, child->content, length) != 0)
      return false;
    text += length;
  }
  return level->element->text.length == level->room;
}

static bool same_value(const xmlAttr *attribute, const struct located_text *value) {
  xmlChar *content = xmlNodeGetContent((const xmlNode *)attribute);
  bool same = !strcmp(content ? (const char *)content : "", value->text);
  xmlFree(content);
  return same;
}

static const char *copy_name(struct builder *b, source_at begin, source_at end) {
  return arena_copy(b->arena, b->source->text + begin, end - begin);
}

static void start_element(struct builder *b, const struct xml_token *token) {
  struct level *outer = &b->levels[b->depth];
  const xmlNode *node = outer->next_child;
  struct xml_element *element = arena_alloc(b->arena, sizeof *element);
  element->name = copy_name(b, token->begin, token->end);
  element->at = token->begin;
  b->agrees = node && b->depth < XML_MAX_DEPTH && !strcmp((const char *)node->name, element->name);
  if (!b->agrees)
    return;
  outer->next_child = element_from(node->next);
  *outer->child_end = element;
  outer->child_end = &element->next;
  size_t room = text_length(node);
  b->levels[++b->depth] = (struct level){
      .element = element,
      .node = node,
      .next_child = element_from(node->children),
      .next_attribute = node->properties,
      .child_end = &element->children,
      .attribute_end = &element->attributes,
      .text = arena_alloc(b->arena, room + 1),
      .at = arena_array(b->arena, room + 1, sizeof(source_at)),
      .room = room,
  };
}

static void add_attribute(struct builder *b, const struct xml_token *token) {
  struct level *level = &b->levels[b->depth];
  const xmlAttr *expected = level->next_attribute;
  size_t length = xml_decoded_length(b->source, token);
  struct xml_attribute *attribute = arena_alloc(b->arena, sizeof *attribute);
  char *text = arena_alloc(b->arena, length + 1);
  source_at *at = arena_array(b->arena, length + 1, sizeof *at);
  xml_decode(b->source, token, text, at);
  at[length] = token->end;
  attribute->name = copy_name(b, token->name, token->name_end);
  attribute->at = token->name;
  attribute->value = (struct located_text){text, length, at};
  b->agrees =
      expected && !strcmp((const char *)expected->name, attribute->name) && same_value(expected, &attribute->value);
  if (!b->agrees)
    return;
  level->next_attribute = expected->next;
  *level->attribute_end = attribute;
  level->attribute_end = &attribute->next;
}

static void add_text(struct builder *b, const struct xml_token *token) {
  struct level *level = &b->levels[b->depth];
  if (b->depth == 0) /* blanks around the root element */
    return;
  size_t length = level->element->text.length;
  size_t decoded = xml_decoded_length(b->source, token);
  b->agrees = decoded <= level->room - length;
  if (!b->agrees)
    return;
  xml_decode(b->source, token, level->text + length, level->at + length);
  level->element->text.length += decoded;
}

static void close_element(struct builder *b, const struct xml_token *token) {
  struct level *level = &b->levels[b->depth];
  b->agrees = b->depth > 0 && !level->next_child && !level->next_attribute && same_text(level);
  if (!b->agrees)
    return;
  level->at[level->room] = token->begin;
  level->element->text.text = level->text;
  level->element->text.at = level->at;
  b->depth--;
}

static void build(void *data) {
  struct builder *b = data;
  for (struct xml_token token; b->agrees;) {
    token = xml_scan(&b->scanner);
    switch (token.kind) {
    case XML_TOKEN_START:
      start_element(b, &token);
      break;
    case XML_TOKEN_ATTRIBUTE:
      add_attribute(b, &token);
      break;
    case XML_TOKEN_TEXT:
    case XML_TOKEN_CDATA:
      add_text(b, &token);
      break;
    case XML_TOKEN_CLOSE:
      close_element(b, &token);
      break;
    case XML_TOKEN_FINISH:
      b->agrees = b->depth == 0 && b->root;
      return;
    default:
      b->agrees = false;
    }
  }
}

static floe_status build_tree(const struct source *source, const xmlDoc *document, struct arena *arena, floe_log *log,
                              struct xml_element **out) {
  struct builder builder = {.source = source, .arena = arena, .agrees = true};
  builder.levels[0].child_end = &builder.root;
  builder.levels[0].next_child = element_from(document->children);
  xml_scanner_init(&builder.scanner, source);
  if (arena_guard(arena, build, &builder) != 0)
    return FLOE_ERROR_MEMORY;
  if (!builder.agrees) {
    diag_error(log, source, builder.scanner.at, "please report this, with the file",
               "internal error: the XML scanner and libxml2 read this differently");
    return FLOE_ERROR_INTERNAL;
  }
  *out = builder.root;
  return FLOE_OK;
}

floe_status xml_parse(const struct source *source, struct arena *arena, floe_log *log, struct xml_element **out) {
  struct listener listener = {.source = source, .log = log, .report = report_malformed};
  xmlDoc *document;
  FLOE_TRY(xml_guard(source, log));
  FLOE_TRY(read_document(&listener, &document));
  floe_status status = build_tree(source, document, arena, log, out);
  xmlFreeDoc(document);
  return status;
}

/* ---- the schema ------------------------------------------------------------------------------ */

static const xmlNode *next_in_document(const xmlNode *node) {
  const xmlNode *next = element_from(node->children);
  for (; !next && node->type == XML_ELEMENT_NODE; node = node->parent)
    next = element_from(node->next);
  return next;
}

/* The place of an element's name, found by counting start tags: libxml2 keeps no columns. */
static source_at element_place(const struct source *source, const xmlNode *element) {
  struct xml_scanner scanner;
  xml_scanner_init(&scanner, source);
  for (const xmlNode *node = element_from(element->doc->children); node; node = next_in_document(node)) {
    struct xml_token token;
    do {
      token = xml_scan(&scanner);
    } while (token.kind != XML_TOKEN_START && token.kind != XML_TOKEN_FINISH);
    if (node == element)
      return token.begin;
  }
  return NOWHERE;
}

static void report_invalid(const struct listener *listener, const xmlError *error, int length) {
  const xmlNode *node = error->node;
  if (node && node->type == XML_ATTRIBUTE_NODE)
    node = node->parent;
  bool placed = node && node->type == XML_ELEMENT_NODE;
  source_at at = placed ? element_place(listener->source, node) : NOWHERE;
  diag_error(listener->log, listener->source, at, NULL, "internal error: only the schema refuses this: %.*s", length,
             error->message);
}

static floe_status validate(xmlDoc *document, struct listener *listener) {
  xmlRelaxNGParserCtxt *parser = xmlRelaxNGNewMemParserCtxt((const char *)floe_rng, (int)floe_rng_size);
  if (parser)
    xmlRelaxNGSetParserStructuredErrors(parser, hear, listener);
  xmlRelaxNG *schema = parser ? xmlRelaxNGParse(parser) : NULL;
  xmlRelaxNGValidCtxt *context = schema ? xmlRelaxNGNewValidCtxt(schema) : NULL;
  if (context)
    xmlRelaxNGSetValidStructuredErrors(context, hear, listener);
  int invalid = context ? xmlRelaxNGValidateDoc(context, document) : -1;
  xmlRelaxNGFreeValidCtxt(context);
  xmlRelaxNGFree(schema);
  xmlRelaxNGFreeParserCtxt(parser);
  return invalid == 0 ? FLOE_OK : status_of(listener);
}

floe_status xml_validate(const struct source *source, floe_log *log) {
  struct listener listener = {.source = source, .log = log, .report = report_malformed};
  xmlDoc *document;
  if (source->length > XML_MAX_VALIDATED)
    return FLOE_OK;
  FLOE_TRY(xml_guard(source, log));
  FLOE_TRY(read_document(&listener, &document));
  listener.report = report_invalid;
  listen(&listener);
  floe_status status = validate(document, &listener);
  listen_no_more(&listener);
  xmlFreeDoc(document);
  return status;
}
