/* The list of languages of this test program, instead of api/languages.c. */
#include "api/languages.h"

#include "frontend/xml/xml_language.h"
#include "toy_language.h"
#include "toy_net.h"

const struct language *const languages[] = {&xml_language, &toy_language, &toy_net, NULL};
