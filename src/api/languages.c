/* Only the list: a program can link another list in its place (tests/model). */
#include "api/languages.h"

#include "frontend/dve/dve_language.h"
#include "frontend/murphi/murphi_language.h"
#include "frontend/pnml/pnml_language.h"
#include "frontend/promela/promela_language.h"
#include "frontend/xml/xml_language.h"

const struct language *const languages[] = {&xml_language,    &dve_language,     &pnml_language,
                                            &murphi_language, &promela_language, NULL};
