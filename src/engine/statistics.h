/* Cost of a run, as its engine reports it. */
#ifndef FLOE_ENGINE_STATISTICS_H
#define FLOE_ENGINE_STATISTICS_H

#include <stdint.h>

struct run_statistics {
#define COST(type, name, json, unit, description) type name;
#define UNLISTED(type, name) type name;
#include "engine/statistics.def"
};

#endif
