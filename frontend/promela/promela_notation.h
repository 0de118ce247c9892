/* Notation of Promela: texts of expressions and values. */
#ifndef FLOE_FRONTEND_PROMELA_NOTATION_H
#define FLOE_FRONTEND_PROMELA_NOTATION_H

#include "model/notation.h"

extern const struct notation promela_notation;

#endif
