/* floe's own language, models in XML: doc/language.md. */
#ifndef FLOE_XML_LANGUAGE_H
#define FLOE_XML_LANGUAGE_H

#include "model/language.h"

extern const struct language xml_language;

#endif
