/* How Murphi writes values and expressions. */
#ifndef FLOE_FRONTEND_MURPHI_NOTATION_H
#define FLOE_FRONTEND_MURPHI_NOTATION_H

#include "model/notation.h"

extern const struct notation mu_notation;

#endif
