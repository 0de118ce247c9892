/* Back-end for tables in the host's memory. */
#ifndef FLOE_TABLES_API_HOST_BACKEND_H
#define FLOE_TABLES_API_HOST_BACKEND_H

#include "tables/api/backend.h"

/* `threads`: for clearing and moving. */
floe_status hash_host_open(unsigned threads, struct hash_engine **out);
extern const struct hash_backend hash_host_backend;

#endif
