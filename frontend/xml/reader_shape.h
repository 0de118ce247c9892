/* Model reader: structure of the elements. */
#ifndef FLOE_FRONTEND_XML_READER_SHAPE_H
#define FLOE_FRONTEND_XML_READER_SHAPE_H

#include "frontend/xml/reader_parts.h"

/* Logs errors in the element structure of the model. */
void shape_check(const struct reader *r, const struct xml_element *root);

/* True if it has an unknown attribute. */
bool shape_is_unlike(const struct xml_element *element);

/* Value of an attribute that takes one of several words; `otherwise` if it is missing or unknown. */
int shape_word(const struct xml_element *element, const char *attribute, int otherwise);

#endif
