/* Model reader: processes and variables. */
#ifndef FLOE_FRONTEND_XML_READER_PROCESS_H
#define FLOE_FRONTEND_XML_READER_PROCESS_H

#include "frontend/xml/reader_parts.h"

void read_variable(const struct reader *r, const struct xml_element *element, struct syntax_variable *out);
void read_process(const struct reader *r, const struct xml_element *element, struct syntax_process *out);

#endif
