/* A toy language: example of a second input language. */
#ifndef FLOE_TESTS_MODEL_TOY_LANGUAGE_H
#define FLOE_TESTS_MODEL_TOY_LANGUAGE_H

#include "model/language.h"

extern const struct language toy_language;

#endif
