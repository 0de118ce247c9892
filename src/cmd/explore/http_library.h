/* Functions of libmicrohttpd, found at run time. */
#ifndef FLOE_CMD_EXPLORE_HTTP_LIBRARY_H
#define FLOE_CMD_EXPLORE_HTTP_LIBRARY_H

#include <stddef.h>

#if HAVE_MICROHTTPD_H
#include <microhttpd.h>

#define HTTP_FUNCTIONS(use)                                                                                            \
  use(MHD_start_daemon) use(MHD_stop_daemon) use(MHD_lookup_connection_value) use(MHD_create_response_from_buffer)     \
      use(MHD_add_response_header) use(MHD_queue_response) use(MHD_destroy_response)

struct http_library {
#define DECLARE(name) __typeof__(name) *name;
  HTTP_FUNCTIONS(DECLARE)
#undef DECLARE
};
#else
struct http_library;
#endif

/* The library stays loaded. NULL, with the reason in words in error[size]: it is not installed, or floe was built
   without its header. */
const struct http_library *http_library_open(char *error, size_t size);

#endif
