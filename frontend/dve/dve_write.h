/* Writer of models in DVE. */
#ifndef FLOE_FRONTEND_DVE_DVE_WRITE_H
#define FLOE_FRONTEND_DVE_DVE_WRITE_H

#include "model/model.h"

/* struct language. */
floe_status dve_write(const struct model *model, struct arena *arena, floe_log *log, const char **text);

#endif
