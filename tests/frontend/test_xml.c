#define _GNU_SOURCE /* stpcpy */
#include "frontend/xml/xml.h"

#include "reading.h"

static struct xml_element *parse(struct reading *r, const char *text) {
  struct xml_element *root = NULL;
  reading_init(r, text, strlen(text));
  ck_assert_int_eq(xml_parse(&r->source, XML_PLAIN, &r->arena, r->log, &root), FLOE_OK);
  return root;
}

/* Every byte of a value is at its recorded place: as itself, or as a reference or line end. */
static void assert_places(const struct reading *r, const struct located_text *text) {
  for (size_t i = 0; i < text->length; i++) {
    char there = r->source.text[text->at[i]];
    ck_assert(there == text->text[i] || there == '&' || there == '\r' || there == '\n' || there == '\t');
    ck_assert(i == 0 || text->at[i] >= text->at[i - 1]);
  }
  ck_assert(text->at[text->length] <= r->source.length);
}

static void assert_places_below(const struct reading *r, const struct xml_element *element) {
  ck_assert_int_eq(strncmp(r->source.text + element->at, element->name, strlen(element->name)), 0);
  assert_places(r, &element->text);
  for (const struct xml_attribute *a = element->attributes; a; a = a->next) {
    ck_assert_int_eq(strncmp(r->source.text + a->at, a->name, strlen(a->name)), 0);
    assert_places(r, &a->value);
  }
  for (const struct xml_element *child = element->children; child; child = child->next)
    assert_places_below(r, child);
}

START_TEST(tree_and_places) {
  static const char text[] = "<?xml version=\"1.0\"?>\n<!-- c -->\n<a x='1' y = \"2\">\n"
                             "<b/><?pi data?><c>t</c >\n</a>\n<!-- after -->\n";
  struct reading r;
  struct xml_element *a = parse(&r, text);
  ck_assert_str_eq(a->name, "a");
  ck_assert_str_eq(a->attributes->name, "x");
  ck_assert_str_eq(a->attributes->value.text, "1");
  ck_assert_str_eq(a->attributes->next->name, "y");
  ck_assert_str_eq(a->attributes->next->value.text, "2");
  ck_assert_ptr_null(a->attributes->next->next);
  ck_assert_str_eq(a->children->name, "b");
  ck_assert_str_eq(a->children->next->name, "c");
  ck_assert_str_eq(a->children->next->text.text, "t");
  ck_assert_ptr_null(a->children->next->next);
  ck_assert_str_eq(a->text.text, "\n\n");
  assert_places_below(&r, a);
  reading_free(&r);
}
END_TEST

START_TEST(decoded_bytes_have_places) {
  static const char text[] = "<a v='x &lt;&#x3d; &#960;'>1&amp;<![CDATA[<&>]]>2<!-- - -->3</a>";
  struct reading r;
  struct xml_element *a = parse(&r, text);
  const struct located_text *v = &a->attributes->value;
  ck_assert_str_eq(v->text, "x <= \xCF\x80");
  ck_assert_uint_eq(v->length, 7);
  ck_assert_ptr_eq(r.source.text + v->at[2], strstr(text, "&lt;"));
  ck_assert_ptr_eq(r.source.text + v->at[3], strstr(text, "&#x3d;"));
  ck_assert_ptr_eq(r.source.text + v->at[5], strstr(text, "&#960;"));
  ck_assert_ptr_eq(r.source.text + v->at[6], strstr(text, "&#960;"));
  ck_assert_ptr_eq(r.source.text + v->at[7], strstr(text, "'>"));
  ck_assert_str_eq(a->text.text, "1&<&>23");
  ck_assert_ptr_eq(r.source.text + a->text.at[2], strstr(text, "<&>]"));
  ck_assert_ptr_eq(r.source.text + a->text.at[6], strstr(text, "3</a>"));
  ck_assert_ptr_eq(r.source.text + a->text.at[7], strstr(text, "</a>"));
  assert_places_below(&r, a);
  reading_free(&r);
}
END_TEST

START_TEST(line_ends_and_white_space) {
  struct reading r;
  struct xml_element *a = parse(&r, "<a v='1\r\n2\n3\r4\t5&#10;6&#9;7&#13;8'>x\r\ny\rz&#13;</a>");
  ck_assert_str_eq(a->attributes->value.text, "1 2 3 4 5\n6\t7\r8");
  ck_assert_str_eq(a->text.text, "x\ny\nz\r");
  assert_places_below(&r, a);
  reading_free(&r);
}
END_TEST

START_TEST(empty_values) {
  struct reading r;
  struct xml_element *a = parse(&r, "\xEF\xBB\xBF<a v=''/>");
  ck_assert_str_eq(a->attributes->value.text, "");
  ck_assert_uint_eq(a->attributes->value.at[0], 9);
  ck_assert_str_eq(a->text.text, "");
  ck_assert_uint_eq(a->text.at[0], 10);
  reading_free(&r);
}
END_TEST

/* Prefixes are left out, declarations are no attributes, and elements may be nested deeper. */
START_TEST(namespaces) {
  static const char text[] = "<p:a xmlns:p='urn:p' xmlns=\"urn:q\" p:k='1'><b xmlns='' xmlnsx='2'/><p:b>t</p:b></p:a>";
  struct reading r;
  struct xml_element *root = NULL;
  reading_init(&r, text, strlen(text));
  ck_assert_int_eq(xml_parse(&r.source, XML_NAMESPACES, &r.arena, r.log, &root), FLOE_OK);
  ck_assert_str_eq(root->name, "a");
  ck_assert_str_eq(root->attributes->name, "k");
  ck_assert_ptr_null(root->attributes->next);
  ck_assert_str_eq(root->children->attributes->name, "xmlnsx");
  ck_assert_ptr_null(root->children->attributes->next);
  ck_assert_str_eq(root->children->next->name, "b");
  ck_assert_str_eq(root->children->next->text.text, "t");
  assert_places(&r, &root->children->next->text);
  reading_free(&r);
}
END_TEST

/* XML_MOST_DEPTH elements in one another, and one more. */
START_TEST(deep_elements_of_other_files) {
  char text[7 * (XML_MOST_DEPTH + 1) + 1];
  for (size_t depth = XML_MOST_DEPTH; depth <= XML_MOST_DEPTH + 1; depth++) {
    struct reading r;
    struct xml_element *root = NULL;
    char *end = text;
    for (size_t i = 0; i < depth; i++)
      end = stpcpy(end, "<a>");
    for (size_t i = 0; i < depth; i++)
      end = stpcpy(end, "</a>");
    reading_init(&r, text, (size_t)(end - text));
    const floe_status status = xml_parse(&r.source, XML_NAMESPACES, &r.arena, r.log, &root);
    ck_assert_int_eq(status, depth <= XML_MOST_DEPTH ? FLOE_OK : FLOE_ERROR_MODEL);
    reading_free(&r);
  }
}
END_TEST

static void assert_refused(const char *text, size_t length, const char *message) {
  struct reading r;
  struct xml_element *root = NULL;
  reading_init(&r, text, length);
  ck_assert_int_eq(xml_parse(&r.source, XML_PLAIN, &r.arena, r.log, &root), FLOE_ERROR_MODEL);
  ck_assert_ptr_null(root);
  ck_assert_str_eq(reading_message(&r), message);
  reading_free(&r);
}

/* Inputs too large for files in tests/bad; their messages are in tests/bad/xml_large.expected. */
START_TEST(large_inputs_are_rejected) {
  size_t room = ((size_t)64 << 20) + 1;
  char *text = mem_alloc(room + 1);
  memset(text, ' ', room);
  memcpy(text, "<a/>", 4);
  assert_refused(text, room, "1:1: the file is larger than 64 MiB");
  memset(text, 'x', room);
  memcpy(text, "<a v='", 6);
  memcpy(text + (2 << 20), "'/>", 3);
  assert_refused(text, (2 << 20) + 3, "1:7: an attribute or text is longer than 1048576 bytes");
  memcpy(text, "<a v='1'>", 9);
  memcpy(text + (2 << 20), "</a>", 4);
  assert_refused(text, (2 << 20) + 4, "1:10: an attribute or text is longer than 1048576 bytes");
  mem_free(text);
}
END_TEST

/* Every prefix of a file is an error, unless only text after the root is missing. */
START_TEST(truncated_files_are_errors) {
  static const char text[] = "<?xml version='1.0' encoding='us-ascii'?><a v='&lt;'>"
                             "<![CDATA[x]]><!-- c --><b w=\"1\"/>t&#65;</a>";
  for (size_t length = 0; length < sizeof text; length++) {
    struct reading r;
    struct xml_element *root = NULL;
    reading_init(&r, text, length);
    floe_status status = xml_parse(&r.source, XML_PLAIN, &r.arena, r.log, &root);
    ck_assert_int_eq(status, length == sizeof text - 1 ? FLOE_OK : FLOE_ERROR_MODEL);
    ck_assert_int_eq(floe_log_errors(r.log), status != FLOE_OK);
    reading_free(&r);
  }
}
END_TEST

/* Time is linear in the length: each case takes far less than a second. */
START_TEST(long_files_are_fast) {
  static const char *const units[] = {"<b/>", "<!---->", "&lt;", "<![CDATA[]]>", "<b v=''/>\n", "\r"};
  const size_t size = 1 << 20;
  char *text = mem_alloc(size + 100);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    size_t unit = strlen(units[i]), length = 3;
    memcpy(text, "<a>", 3);
    for (; length + unit < size; length += unit)
      memcpy(text + length, units[i], unit);
    memcpy(text + length, "</a>", 4);
    struct reading r;
    struct xml_element *root = NULL;
    reading_init(&r, text, length + 4);
    ck_assert_int_eq(xml_parse(&r.source, XML_PLAIN, &r.arena, r.log, &root), FLOE_OK);
    reading_free(&r);
  }
  mem_free(text);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  return run_tests("xml", CK_NOFORK, tree_and_places, decoded_bytes_have_places, line_ends_and_white_space,
                   empty_values, namespaces, deep_elements_of_other_files, large_inputs_are_rejected,
                   truncated_files_are_errors, long_files_are_fast, nothing_leaks);
}
