/* The list of languages of these test programs, instead of api/languages.c. */
#include "api/languages.h"

#include "frontend/xml/xml_language.h"
#include "toy_language.h"
#include "toy_net.h"
#include "toy_processes.h"

const struct language *const languages[] = {&xml_language, &toy_language, &toy_net, &toy_processes, NULL};
