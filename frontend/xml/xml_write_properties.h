/* Writer of models in floe's own language: properties. */
#ifndef FLOE_FRONTEND_XML_XML_WRITE_PROPERTIES_H
#define FLOE_FRONTEND_XML_XML_WRITE_PROPERTIES_H

#include "model/write/writer.h"

/* Text of an attribute. */
void xml_write_text(struct writer *w, const char *text);
/* The operand of `enabled` and `taken`; of a writer of xml_write.c. */
void xml_write_set(struct writer *w, const struct transition_set *set);

/* `faithful`: each transition has the participants of the ground model. Logs a warning about properties that cannot be
   kept. */
void xml_write_properties(struct writer *w, bool faithful);

#endif
