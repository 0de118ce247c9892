/* The input languages that there are. */
#ifndef FLOE_LANGUAGES_H
#define FLOE_LANGUAGES_H

#include "model/language.h"

/* A NULL ends them. The first is that of a text that none recognises: its messages say what is wrong. */
extern const struct language *const languages[];

#endif
