/* Model reader: automata in files of their own. */
#ifndef FLOE_FRONTEND_XML_READER_AUTOMATON_H
#define FLOE_FRONTEND_XML_READER_AUTOMATON_H

#include "frontend/xml/reader_parts.h"

/* The automaton of the file (HOA format) that the property names. NULL: wrong, logged. */
const struct syntax_automaton *read_automaton(const struct reader *r, const struct xml_element *property,
                                              const struct located_text *file);

#endif
