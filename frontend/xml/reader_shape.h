/* Inside the model reader: the shape of the elements. */
#ifndef FLOE_READER_SHAPE_H
#define FLOE_READER_SHAPE_H

#include "frontend/xml/reader_parts.h"

/* Logs what is wrong with the shape of the model. */
void shape_check(const struct reader *r, const struct xml_element *root);

/* It has an attribute that it should not have. */
bool shape_is_unlike(const struct xml_element *element);

/* What the word of an attribute that takes one of several means; `otherwise` where there is none of them. */
int shape_word(const struct xml_element *element, const char *attribute, int otherwise);

#endif
