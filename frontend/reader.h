/* Inside the model reader: first the shape of the elements is checked against reader.def
   (reader_shape.c), then the syntax tree is built from them (reader.c, reader_process.c). The
   building goes on where the shape is wrong, so that errors in expressions are told in the same
   run; it takes what is missing as empty. */
#ifndef FLOE_READER_H
#define FLOE_READER_H

#include "frontend/syntax.h"
#include "frontend/xml.h"

struct reader {
  const struct source *source;
  struct arena *arena;
  floe_log *log;
  struct syntax_model *model;
};

/* Logs what is wrong with the shape of the model. */
void shape_check(const struct reader *r, const struct xml_element *root);

/* Attributes that take one of several words: the word's number, `otherwise` where there is none of
 * them. */
enum word_form { WORDS_BOOLEAN, WORDS_TYPE, WORDS_KIND, WORDS_VERDICT };
int shape_word(const struct xml_element *element, const char *attribute, enum word_form form, int otherwise);

/* An attribute's value, or NULL. */
const struct located_text *reader_attribute(const struct xml_element *element, const char *name);
/* An attribute's value or the text of the child of this name, or NULL. */
const struct located_text *reader_part(const struct xml_element *element, const char *name);
/* An attribute that is a name: "" where it is missing. */
struct syntax_name reader_name(const struct xml_element *element, const char *attribute);
/* The text of the child `description`, runs of blanks made one; "" where it is missing. */
const char *reader_description(const struct reader *r, const struct xml_element *element);

/* An expression written as attribute or child `part`; NULL where it is missing or wrong. */
struct syntax_expr *reader_expression(const struct reader *r, const struct xml_element *element, const char *part);
struct parser_input reader_input(const struct reader *r, const struct located_text *text);

void read_variable(const struct reader *r, const struct xml_element *element, struct syntax_variable *out);
void read_process(const struct reader *r, const struct xml_element *element, struct syntax_process *out);

#endif
