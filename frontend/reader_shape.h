/* Inside the model reader: the shape of the elements. */
#ifndef FLOE_READER_SHAPE_H
#define FLOE_READER_SHAPE_H

#include "frontend/reader_parts.h"

/* Logs what is wrong with the shape of the model. */
void shape_check(const struct reader *r, const struct xml_element *root);

/* Attributes that take one of several words: the word's number, `otherwise` where there is none of
 * them. */
enum word_form { WORDS_BOOLEAN, WORDS_TYPE, WORDS_KIND, WORDS_VERDICT };
int shape_word(const struct xml_element *element, const char *attribute, enum word_form form, int otherwise);

#endif
