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

/* No entities, DTDs or network: xml_guard already rejects a DTD and other encodings. IGNORE_ENC: the guard has checked
   that the bytes are UTF-8. */
#define OPTIONS (XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_BIG_LINES)

#if LIBXML_VERSION >= 21200
typedef const xmlError *error_argument;
#else
typedef xmlErrorPtr error_argument;
#endif

/* ---- libxml2's messages ---------------------------------------------------------------------- */

struct error_capture {
  const struct source *source;
  floe_log *log;
  void (*report)(const struct error_capture *capture, const xmlError *error, int length);
  bool has_error; /* set by the first message; later ones only follow from it */
  bool no_memory;
  /* handlers set before */
  xmlStructuredErrorFunc previous_handler;
  xmlGenericErrorFunc previous_generic;
  void *previous_context, *generic_context;
};

static void capture_error(void *user, error_argument error) {
  struct error_capture *capture = user;
  if (error->code == XML_ERR_NO_MEMORY)
    capture->no_memory = true; /* reported by the caller: not an error in the text */
  if (capture->no_memory || capture->has_error || error->level <= XML_ERR_WARNING || !error->message)
    return;
  capture->has_error = true;
  size_t length = strcspn(error->message, "\n");
  capture->report(capture, error, length < 500 ? (int)length : 500);
}

static void ignore_message(void *previous_context, const char *format, ...) {
  (void)previous_context;
  (void)format;
}

/* The handlers are variables of libxml2, one set for each thread. The default handlers print to standard error. */
static void install_handlers(struct error_capture *capture) {
  capture->previous_handler = xmlStructuredError;
  capture->previous_context = xmlStructuredErrorContext;
  capture->previous_generic = xmlGenericError;
  capture->generic_context = xmlGenericErrorContext;
  xmlSetStructuredErrorFunc(capture, capture_error);
  xmlSetGenericErrorFunc(NULL, ignore_message);
}

static void restore_handlers(const struct error_capture *capture) {
  xmlSetStructuredErrorFunc(capture->previous_context, capture->previous_handler);
  xmlSetGenericErrorFunc(capture->generic_context, capture->previous_generic);
  xmlResetLastError();
}

/* Status if libxml2 gave no result. */
static floe_status failure_status(const struct error_capture *capture) {
  return capture->has_error && !capture->no_memory ? FLOE_ERROR_MODEL : FLOE_ERROR_MEMORY;
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

static void report_malformed(const struct error_capture *capture, const xmlError *error, int length) {
  const struct source *source = capture->source;
  long offset = error->ctxt ? xmlByteConsumed(error->ctxt) : -1;
  bool placed = offset > 0 && (size_t)offset <= source->length;
  const char *hint = hint_for(error->code, placed ? source->text[offset - 1] : '\0');
  diag_error(capture->log, source, placed ? (source_at)offset : 0, hint, "not well-formed XML: %.*s", length,
             error->message);
}

/* Sets *out only if the file is well-formed; capture has the reason otherwise. */
static floe_status read_document(struct error_capture *capture, xmlDoc **out) {
  const struct source *source = capture->source;
  xmlInitParser();
  install_handlers(capture);
  xmlDoc *document = xmlReadMemory(source->text, (int)source->length, NULL, NULL, OPTIONS);
  restore_handlers(capture);
  if (document && !capture->has_error) {
    *out = document;
    return FLOE_OK;
  }
  xmlFreeDoc(document);
  return failure_status(capture);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* An open element, as seen by libxml2 and by the scanner in parallel. */
struct open_element {
  struct xml_element *element;
  const xmlNode *node;
  const xmlNode *next_child; /* expected next from libxml2 */
  const xmlAttr *next_attribute;
  struct xml_element **child_end; /* link for the next child */
  struct xml_attribute **attribute_end;
  char *text;
  source_at *at;
  size_t room; /* length of its text, from libxml2 */
};

struct tree_builder {
  const struct source *source; /* alone: tokens have offsets in its text */
  source_at base;              /* what positions add to them */
  enum xml_names names;
  struct arena *arena;
  struct xml_scanner scanner;
  struct open_element open_elements[XML_MOST_DEPTH + 1]; /* [0] is the document */
  unsigned depth;
  struct xml_element *root;
  bool agrees; /* scanner and libxml2 have agreed so far */
};

static bool is_text(const xmlNode *node) { return node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE; }

static const xmlNode *element_from(const xmlNode *node) {
  while (node && node->type != XML_ELEMENT_NODE)
    node = node->next;
  return node;
}

static size_t decoded_text_length(const xmlNode *node) {
  size_t length = 0;
  for (const xmlNode *child = node->children; child; child = child->next)
    if (is_text(child) && child->content)
      length += strlen((const char *)child->content);
  return length;
}

static bool same_decoded_text(const struct open_element *open_element) {
  const char *text = open_element->text;
  for (const xmlNode *child = open_element->node->children; child; child = child->next) {
    size_t length = is_text(child) && child->content ? strlen((const char *)child->content) : 0;
    if (length && memcmp(text, child->content, length) != 0)
      return false;
    text += length;
  }
  return open_element->element->text.length == open_element->room;
}

static bool same_value(const xmlAttr *attribute, const struct located_text *value) {
  xmlChar *content = xmlNodeGetContent((const xmlNode *)attribute);
  bool same = !strcmp(content ? (const char *)content : "", value->text);
  xmlFree(content);
  return same;
}

static const char *copy_name(struct tree_builder *b, source_at begin, source_at end) {
  const char *name = b->source->text + begin, *colon = memchr(name, ':', end - begin);
  if (b->names == XML_NAMESPACES && colon)
    begin += (source_at)(colon + 1 - name);
  return arena_copy(b->arena, b->source->text + begin, end - begin);
}

/* `xmlns` or `xmlns:prefix`. */
static bool declares_namespace(const struct tree_builder *b, const struct xml_token *token) {
  static const char name[] = "xmlns";
  const size_t length = token->name_end - token->name, declared = strlen(name);
  return b->names == XML_NAMESPACES && length >= declared &&
         memcmp(b->source->text + token->name, name, declared) == 0 &&
         (length == declared || b->source->text[token->name + declared] == ':');
}

static void start_element(struct tree_builder *b, const struct xml_token *token) {
  struct open_element *outer = &b->open_elements[b->depth];
  const xmlNode *node = outer->next_child;
  struct xml_element *element = arena_alloc(b->arena, sizeof *element);
  element->name = copy_name(b, token->begin, token->end);
  element->at = b->base + token->begin;
  b->agrees = node && b->depth < XML_MOST_DEPTH && !strcmp((const char *)node->name, element->name);
  if (!b->agrees)
    return;
  outer->next_child = element_from(node->next);
  *outer->child_end = element;
  outer->child_end = &element->next;
  size_t room = decoded_text_length(node);
  b->open_elements[++b->depth] = (struct open_element){
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

static void add_attribute(struct tree_builder *b, const struct xml_token *token) {
  struct open_element *open_element = &b->open_elements[b->depth];
  const xmlAttr *expected = open_element->next_attribute;
  if (declares_namespace(b, token))
    return;
  size_t length = xml_decoded_length(b->source, token);
  struct xml_attribute *attribute = arena_alloc(b->arena, sizeof *attribute);
  char *text = arena_alloc(b->arena, length + 1);
  source_at *at = arena_array(b->arena, length + 1, sizeof *at);
  xml_decode(b->source, token, b->base, text, at);
  at[length] = b->base + token->end;
  attribute->name = copy_name(b, token->name, token->name_end);
  attribute->at = b->base + token->name;
  attribute->value = (struct located_text){text, length, at};
  b->agrees =
      expected && !strcmp((const char *)expected->name, attribute->name) && same_value(expected, &attribute->value);
  if (!b->agrees)
    return;
  open_element->next_attribute = expected->next;
  *open_element->attribute_end = attribute;
  open_element->attribute_end = &attribute->next;
}

static void add_text(struct tree_builder *b, const struct xml_token *token) {
  struct open_element *open_element = &b->open_elements[b->depth];
  if (b->depth == 0) /* blanks around the root element */
    return;
  size_t length = open_element->element->text.length;
  size_t decoded = xml_decoded_length(b->source, token);
  b->agrees = decoded <= open_element->room - length;
  if (!b->agrees)
    return;
  xml_decode(b->source, token, b->base, open_element->text + length, open_element->at + length);
  open_element->element->text.length += decoded;
}

static void close_element(struct tree_builder *b, const struct xml_token *token) {
  struct open_element *open_element = &b->open_elements[b->depth];
  b->agrees =
      b->depth > 0 && !open_element->next_child && !open_element->next_attribute && same_decoded_text(open_element);
  if (!b->agrees)
    return;
  open_element->at[open_element->room] = b->base + token->begin;
  open_element->element->text.text = open_element->text;
  open_element->element->text.at = open_element->at;
  b->depth--;
}

static void build_guarded(void *data) {
  struct tree_builder *b = data;
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

/* `tree_builder` has source, base and arena. */
static floe_status build_tree(struct tree_builder *tree_builder, const xmlDoc *document, floe_log *log,
                              struct xml_element **out) {
  tree_builder->agrees = true;
  tree_builder->open_elements[0].child_end = &tree_builder->root;
  tree_builder->open_elements[0].next_child = element_from(document->children);
  xml_scanner_init(&tree_builder->scanner, tree_builder->source);
  if (arena_guard(tree_builder->arena, build_guarded, tree_builder) != 0)
    return FLOE_ERROR_MEMORY;
  if (!tree_builder->agrees) {
    diag_error(log, tree_builder->source, tree_builder->scanner.at, "please report this, with the file",
               "internal error: the XML scanner and libxml2 read this differently");
    return FLOE_ERROR_INTERNAL;
  }
  *out = tree_builder->root;
  return FLOE_OK;
}

/* The source outside its list: positions are offsets in its text. */
static struct source alone(const struct source *source) {
  return (struct source){.name = source->name, .text = source->text, .length = source->length};
}

floe_status xml_parse(const struct source *source, enum xml_names names, struct arena *arena, floe_log *log,
                      struct xml_element **out) {
  const struct source file = alone(source);
  struct error_capture capture = {.source = &file, .log = log, .report = report_malformed};
  struct tree_builder tree_builder = {.source = &file, .base = source->base, .names = names, .arena = arena};
  xmlDoc *document;
  FLOE_TRY(xml_guard(&file, names, log));
  FLOE_TRY(read_document(&capture, &document));
  floe_status status = build_tree(&tree_builder, document, log, out);
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

/* The place of an element's name, found by counting start tags: libxml2 reports no columns. */
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

static void report_invalid(const struct error_capture *capture, const xmlError *error, int length) {
  const xmlNode *node = error->node;
  if (node && node->type == XML_ATTRIBUTE_NODE)
    node = node->parent;
  bool placed = node && node->type == XML_ELEMENT_NODE;
  source_at at = placed ? element_place(capture->source, node) : NOWHERE;
  diag_error(capture->log, capture->source, at, NULL, "internal error: only the schema refuses this: %.*s", length,
             error->message);
}

static floe_status validate(xmlDoc *document, struct error_capture *capture) {
  xmlRelaxNGParserCtxt *parser = xmlRelaxNGNewMemParserCtxt((const char *)floe_rng, (int)floe_rng_size);
  if (parser)
    xmlRelaxNGSetParserStructuredErrors(parser, capture_error, capture);
  xmlRelaxNG *schema = parser ? xmlRelaxNGParse(parser) : NULL;
  xmlRelaxNGValidCtxt *previous_context = schema ? xmlRelaxNGNewValidCtxt(schema) : NULL;
  if (previous_context)
    xmlRelaxNGSetValidStructuredErrors(previous_context, capture_error, capture);
  int invalid = previous_context ? xmlRelaxNGValidateDoc(previous_context, document) : -1;
  xmlRelaxNGFreeValidCtxt(previous_context);
  xmlRelaxNGFree(schema);
  xmlRelaxNGFreeParserCtxt(parser);
  return invalid == 0 ? FLOE_OK : failure_status(capture);
}

floe_status xml_validate(const struct source *source, floe_log *log) {
  const struct source file = alone(source);
  struct error_capture capture = {.source = &file, .log = log, .report = report_malformed};
  xmlDoc *document;
  if (source->length > XML_MAX_VALIDATED)
    return FLOE_OK;
  FLOE_TRY(xml_guard(&file, XML_PLAIN, log));
  FLOE_TRY(read_document(&capture, &document));
  capture.report = report_invalid;
  install_handlers(&capture);
  floe_status status = validate(document, &capture);
  restore_handlers(&capture);
  xmlFreeDoc(document);
  return status;
}
