/* Local web server: answers requests of one browser page on the loopback interface.

   It uses libmicrohttpd, which is loaded at run time. Each request must carry a random token as the first part of its
   path, the server's own address in `Host`, and, if it has one, in `Origin`; so no other page of the browser, and no
   name that resolves to the loopback address, reaches the handler. Responses carry a strict content security policy. */
#ifndef FLOE_CMD_EXPLORE_HTTP_SERVER_H
#define FLOE_CMD_EXPLORE_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>

struct http_request {
  bool posts;       /* POST with a body of JSON; else GET */
  const char *path; /* after the token, begins with "/" */
  const char *body; /* [length], followed by NUL; "" for GET */
  size_t length;
};

/* Filled by the handler. */
struct http_answer {
  unsigned status;  /* 200, 400, 404, ... */
  const char *type; /* media type; static */
  const void *body; /* [length] */
  size_t length;
  bool owned; /* the body is freed by free() after it was sent; else it is static */
};

struct http_settings {
  unsigned port;    /* 0: any free one */
  size_t most_body; /* bytes of a request's body */
  /* Called by several threads at once. The answer is initialised to an empty 404. */
  void (*handle)(void *user, const struct http_request *request, struct http_answer *answer);
  void *user;
};

struct http_server;

/* NULL, with the reason in words in error[size]: there is no library, or no such port. */
struct http_server *http_server_start(const struct http_settings *settings, char *error, size_t size);
/* Ends all connections and waits for handlers. */
void http_server_stop(struct http_server *server);

/* "http://127.0.0.1:PORT/TOKEN/" */
const char *http_server_address(const struct http_server *server);
/* Seconds since the last request; 0 while one is being answered. */
double http_server_idle_seconds(struct http_server *server);

#endif
