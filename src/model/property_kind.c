#include "model/property_kind.h"

const struct property_kind property_kinds[] = {
#define PROPERTY_KIND(kind, word, written, temporal, passes, triggers_on, found, absent)                               \
  [FLOE_##kind] = {word, written, temporal, passes, triggers_on, FLOE_##found, FLOE_##absent},
#include "model/property_kinds.def"
};

const unsigned property_kind_count = sizeof property_kinds / sizeof *property_kinds;
