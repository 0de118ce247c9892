#include "config.h"

#include "cmd/explore/http_server.h"

#include "cmd/clock.h"
#include "cmd/explore/http_library.h"

#include <stdio.h>

#if HAVE_MICROHTTPD_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  TOKEN_BYTES = 16,
  THREADS = 4,
  CONNECTIONS = 256,         /* at once; further ones wait in the socket's queue */
  CONNECTION_MEMORY = 32768, /* for the request line and headers of one */
  TIMEOUT_SECONDS = 30       /* of a connection on which nothing arrives */
};

struct http_server {
  const struct http_library *library;
  struct http_settings settings;
  struct MHD_Daemon *daemon;
  char token[2 * TOKEN_BYTES + 1];
  char hosts[2][32]; /* values of `Host` */
  char address[128];
  pthread_mutex_t mutex;
  unsigned running; /* requests that are being read or answered */
  double last;      /* time of the end of the last one */
};

/* A request while its body arrives. */
struct arriving {
  char *body;
  size_t length, room;
  unsigned refused; /* status of the answer if it is refused; 0: not yet */
};

/* ---- answers ------------------------------------------------------------------------------------- */

static const char *const headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"}};

static enum MHD_Result send_answer(const struct http_server *server, struct MHD_Connection *connection,
                                   const struct http_answer *answer) {
  const struct http_library *mhd = server->library;
  /* The library does not write to the buffer. */
  struct MHD_Response *response = mhd->MHD_create_response_from_buffer(
      answer->length, (void *)(size_t)answer->body, answer->owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
  if (!response) {
    if (answer->owned)
      free((void *)(size_t)answer->body);
    return MHD_NO;
  }
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    mhd->MHD_add_response_header(response, headers[i][0], headers[i][1]);
  mhd->MHD_add_response_header(response, "Content-Type", answer->type);
  if (answer->status == MHD_HTTP_METHOD_NOT_ALLOWED)
    mhd->MHD_add_response_header(response, "Allow", "GET, POST");
  const enum MHD_Result queued = mhd->MHD_queue_response(connection, answer->status, response);
  mhd->MHD_destroy_response(response);
  return queued;
}

static enum MHD_Result refuse(const struct http_server *server, struct MHD_Connection *connection, unsigned status) {
  const struct http_answer answer = {.status = status, .type = "text/plain", .body = "refused\n", .length = 8};
  return send_answer(server, connection, &answer);
}

/* ---- checks -------------------------------------------------------------------------------------- */

static const char *header(const struct http_server *server, struct MHD_Connection *connection, const char *name) {
  return server->library->MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static bool is_own_host(const struct http_server *server, const char *host) {
  return host && (strcmp(host, server->hosts[0]) == 0 || strcmp(host, server->hosts[1]) == 0);
}

static bool is_own_origin(const struct http_server *server, const char *origin) {
  static const char scheme[] = "http://";
  return !origin ||
         (strncmp(origin, scheme, sizeof scheme - 1) == 0 && is_own_host(server, origin + sizeof scheme - 1));
}

/* In a time that does not depend on where they differ. */
static bool has_token(const struct http_server *server, const char *url) {
  const size_t length = sizeof server->token - 1;
  unsigned difference = 0;
  if (url[0] != '/' || strlen(url) < length + 2 || url[length + 1] != '/')
    return false;
  for (size_t i = 0; i < length; i++)
    difference |= (unsigned char)url[i + 1] ^ (unsigned char)server->token[i];
  return difference == 0;
}

/* A form of another page cannot have this type without a question that the server does not answer. */
static bool is_json(const char *type) {
  static const char json[] = "application/json";
  return type && strncmp(type, json, sizeof json - 1) == 0 && (!type[sizeof json - 1] || type[sizeof json - 1] == ';');
}

static bool is_too_long(const struct http_server *server, const char *length) {
  char *end;
  return length && (strtoull(length, &end, 10) > server->settings.most_body || *end);
}

/* Status with which the request is refused; 0: it is not. */
static unsigned check(const struct http_server *server, struct MHD_Connection *connection, const char *url,
                      const char *method) {
  const bool posts = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
  if (!is_own_host(server, header(server, connection, MHD_HTTP_HEADER_HOST)) ||
      !is_own_origin(server, header(server, connection, "Origin")) || !has_token(server, url))
    return MHD_HTTP_FORBIDDEN;
  if (!posts && strcmp(method, MHD_HTTP_METHOD_GET) != 0)
    return MHD_HTTP_METHOD_NOT_ALLOWED;
  if (posts && !is_json(header(server, connection, MHD_HTTP_HEADER_CONTENT_TYPE)))
    return MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
  return is_too_long(server, header(server, connection, MHD_HTTP_HEADER_CONTENT_LENGTH)) ? MHD_HTTP_CONTENT_TOO_LARGE
                                                                                         : 0;
}

/* ---- requests ------------------------------------------------------------------------------------ */

static bool take_part(const struct http_server *server, struct arriving *arriving, const char *part, size_t size) {
  if (size > server->settings.most_body - arriving->length) {
    arriving->refused = MHD_HTTP_CONTENT_TOO_LARGE;
    return false;
  }
  if (arriving->length + size + 1 > arriving->room) {
    const size_t room = 2 * (arriving->length + size) + 1;
    char *larger = realloc(arriving->body, room);
    if (!larger) {
      arriving->refused = MHD_HTTP_INTERNAL_SERVER_ERROR;
      return false;
    }
    arriving->body = larger;
    arriving->room = room;
  }
  memcpy(arriving->body + arriving->length, part, size);
  arriving->length += size;
  arriving->body[arriving->length] = '\0';
  return true;
}

static enum MHD_Result begin_request(struct http_server *server, struct MHD_Connection *connection, const char *url,
                                     const char *method, void **context) {
  struct arriving *arriving = calloc(1, sizeof *arriving);
  if (!arriving)
    return MHD_NO;
  arriving->refused = check(server, connection, url, method);
  *context = arriving;
  pthread_mutex_lock(&server->mutex);
  server->running++;
  pthread_mutex_unlock(&server->mutex);
  return MHD_YES;
}

static enum MHD_Result answer_request(const struct http_server *server, struct MHD_Connection *connection,
                                      const char *url, const char *method, const struct arriving *arriving) {
  const struct http_request request = {.posts = strcmp(method, MHD_HTTP_METHOD_POST) == 0,
                                       .path = url + sizeof server->token,
                                       .body = arriving->body ? arriving->body : "",
                                       .length = arriving->length};
  struct http_answer answer = {.status = MHD_HTTP_NOT_FOUND, .type = "text/plain", .body = "", .length = 0};
  if (arriving->refused)
    return refuse(server, connection, arriving->refused);
  server->settings.handle(server->settings.user, &request, &answer);
  return send_answer(server, connection, &answer);
}

/* Called first with *context NULL, then for each part of the body, then with no part. A body that is refused is read
   to its end, or the connection is closed by the library, before the answer is sent. */
static enum MHD_Result take_request(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                                    const char *version, const char *part, size_t *size, void **context) {
  struct http_server *server = user;
  struct arriving *arriving = *context;
  (void)version;
  if (!arriving) {
    const enum MHD_Result begun = begin_request(server, connection, url, method, context);
    arriving = *context;
    /* An answer before the body is read ends the connection after it. */
    return begun == MHD_YES && arriving->refused ? refuse(server, connection, arriving->refused) : begun;
  }
  if (*size > 0) {
    if (!arriving->refused)
      take_part(server, arriving, part, *size);
    *size = 0;
    return MHD_YES;
  }
  return answer_request(server, connection, url, method, arriving);
}

static void end_request(void *user, struct MHD_Connection *connection, void **context,
                        enum MHD_RequestTerminationCode why) {
  struct http_server *server = user;
  struct arriving *arriving = *context;
  (void)connection, (void)why;
  if (!arriving)
    return;
  free(arriving->body);
  free(arriving);
  *context = NULL;
  pthread_mutex_lock(&server->mutex);
  server->running--;
  server->last = clock_now();
  pthread_mutex_unlock(&server->mutex);
}

/* ---- the server ---------------------------------------------------------------------------------- */

static bool make_token(char *token) {
  unsigned char bytes[TOKEN_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    return false;
  for (size_t i = 0; i < sizeof bytes; i++)
    sprintf(token + 2 * i, "%02x", bytes[i]);
  return true;
}

static void ignore_log(void *user, const char *format, va_list arguments) { (void)user, (void)format, (void)arguments; }

/* A socket that listens on the loopback interface, whose address is known before the first request; -1: see errno. */
static int open_socket(unsigned port, struct sockaddr_in *address) {
  const int yes = 1, file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t size = sizeof *address;
  *address = (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (file >= 0 && (setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
                    bind(file, (const struct sockaddr *)address, size) != 0 || listen(file, SOMAXCONN) != 0 ||
                    getsockname(file, (struct sockaddr *)address, &size) != 0)) {
    const int error = errno;
    close(file);
    errno = error;
    return -1;
  }
  return file;
}

static void name_address(struct http_server *server, unsigned port) {
  snprintf(server->hosts[0], sizeof server->hosts[0], "127.0.0.1:%u", port);
  snprintf(server->hosts[1], sizeof server->hosts[1], "localhost:%u", port);
  snprintf(server->address, sizeof server->address, "http://%s/%s/", server->hosts[0], server->token);
}

/* The daemon closes the socket. */
static bool start_daemon(struct http_server *server) {
  struct sockaddr_in address;
  const int listening = open_socket(server->settings.port, &address);
  if (listening < 0)
    return false;
  name_address(server, ntohs(address.sin_port));
  server->daemon = server->library->MHD_start_daemon(
      MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL, take_request, server, MHD_OPTION_EXTERNAL_LOGGER,
      ignore_log, NULL, MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS,
      MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
      MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_SECONDS, MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_NOTIFY_COMPLETED, end_request, server, MHD_OPTION_END);
  if (!server->daemon)
    close(listening);
  return server->daemon != NULL;
}

static void free_server(struct http_server *server) {
  pthread_mutex_destroy(&server->mutex);
  free(server);
}

struct http_server *http_server_start(const struct http_settings *settings, char *error, size_t size) {
  const struct http_library *library = http_library_open(error, size);
  struct http_server *server = library ? calloc(1, sizeof *server) : NULL;
  if (!server)
    return NULL;
  server->library = library;
  server->settings = *settings;
  server->last = clock_now();
  pthread_mutex_init(&server->mutex, NULL);
  if (!make_token(server->token) || !start_daemon(server)) {
    snprintf(error, size, "port %u of 127.0.0.1: %s", settings->port, strerror(errno));
    free_server(server);
    return NULL;
  }
  return server;
}

void http_server_stop(struct http_server *server) {
  server->library->MHD_stop_daemon(server->daemon);
  free_server(server);
}

const char *http_server_address(const struct http_server *server) { return server->address; }

double http_server_idle_seconds(struct http_server *server) {
  pthread_mutex_lock(&server->mutex);
  const double idle = server->running ? 0 : clock_now() - server->last;
  pthread_mutex_unlock(&server->mutex);
  return idle;
}

#else

struct http_server *http_server_start(const struct http_settings *settings, char *error, size_t size) {
  (void)settings;
  http_library_open(error, size);
  return NULL;
}
void http_server_stop(struct http_server *server) { (void)server; }
const char *http_server_address(const struct http_server *server) { return (void)server, ""; }
double http_server_idle_seconds(struct http_server *server) { return (void)server, 0; }

#endif
