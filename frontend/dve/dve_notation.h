/* Texts as DVE writes them: `P->x` for a variable of a process. */
#ifndef FLOE_FRONTEND_DVE_NOTATION_H
#define FLOE_FRONTEND_DVE_NOTATION_H

#include "model/notation.h"

extern const struct notation dve_notation;

#endif
