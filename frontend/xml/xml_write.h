/* Writer of models in floe's own language. */
#ifndef FLOE_FRONTEND_XML_XML_WRITE_H
#define FLOE_FRONTEND_XML_XML_WRITE_H

#include "model/model.h"

/* struct language. */
floe_status xml_write(const struct model *model, struct arena *arena, floe_log *log, const char **text);

#endif
