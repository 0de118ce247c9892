/* DVE, the language of the model checker DiVinE (doc/dve.md). */
#ifndef FLOE_FRONTEND_DVE_DVE_LANGUAGE_H
#define FLOE_FRONTEND_DVE_DVE_LANGUAGE_H

#include "model/language.h"

extern const struct language dve_language;

#endif
