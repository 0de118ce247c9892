/* A toy language, to see what a second one takes. */
#ifndef FLOE_TOY_LANGUAGE_H
#define FLOE_TOY_LANGUAGE_H

#include "model/language.h"

extern const struct language toy_language;

#endif
