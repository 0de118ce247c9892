/* Promela, the language of Spin, as an input language. */
#ifndef FLOE_FRONTEND_PROMELA_LANGUAGE_H
#define FLOE_FRONTEND_PROMELA_LANGUAGE_H

#include "model/language.h"

extern const struct language promela_language;

#endif
