/* Registry of input languages. */
#ifndef FLOE_API_LANGUAGES_H
#define FLOE_API_LANGUAGES_H

#include "model/language.h"

/* Ends with NULL. The first one parses texts that no language recognises, and reports their errors. */
extern const struct language *const languages[];

#endif
