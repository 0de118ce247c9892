/* A toy language with processes that synchronise: example of src/model/compose. */
#ifndef FLOE_TESTS_MODEL_TOY_PROCESSES_H
#define FLOE_TESTS_MODEL_TOY_PROCESSES_H

#include "model/language.h"

extern const struct language toy_processes;

#endif
