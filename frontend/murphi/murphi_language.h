/* Murphi, the language of CMurphi and Rumur. */
#ifndef FLOE_FRONTEND_MURPHI_LANGUAGE_H
#define FLOE_FRONTEND_MURPHI_LANGUAGE_H

#include "model/language.h"

extern const struct language murphi_language;

#endif
