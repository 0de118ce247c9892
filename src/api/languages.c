/* Nothing but the list: a program that links another one in its place has other languages (tests/model). */
#include "api/languages.h"

#include "frontend/xml/xml_language.h"

const struct language *const languages[] = {&xml_language, NULL};
