/* Writer of models as place/transition nets. */
#ifndef FLOE_FRONTEND_PNML_PNML_WRITE_H
#define FLOE_FRONTEND_PNML_PNML_WRITE_H

#include "model/model.h"

/* struct language. */
floe_status pnml_write(const struct model *model, struct arena *arena, floe_log *log, const char **text);

#endif
