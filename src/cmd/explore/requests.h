/* Requests of the page of `floe explore`: JSON in, JSON out. doc/explore.md describes them. */
#ifndef FLOE_CMD_EXPLORE_REQUESTS_H
#define FLOE_CMD_EXPLORE_REQUESTS_H

#include "cmd/explore/http_server.h"

/* Handler of struct http_settings; `user` is the explorer. */
void request_handle(void *user, const struct http_request *request, struct http_answer *answer);

#endif
