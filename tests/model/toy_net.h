/* A toy language of Petri nets: example of a language without processes and with a notation of its own. */
#ifndef FLOE_TESTS_MODEL_TOY_NET_H
#define FLOE_TESTS_MODEL_TOY_NET_H

#include "model/language.h"

extern const struct language toy_net;

#endif
