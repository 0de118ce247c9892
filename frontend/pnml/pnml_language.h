/* Petri nets in PNML (ISO 15909-2). */
#ifndef FLOE_FRONTEND_PNML_PNML_LANGUAGE_H
#define FLOE_FRONTEND_PNML_PNML_LANGUAGE_H

#include "model/language.h"

extern const struct language pnml_language;

#endif
