/* floe's XML language: doc/language.md. */
#ifndef FLOE_FRONTEND_XML_XML_LANGUAGE_H
#define FLOE_FRONTEND_XML_XML_LANGUAGE_H

#include "model/language.h"

extern const struct language xml_language;

#endif
