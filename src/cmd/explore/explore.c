/* floe explore: a page in the browser to look at a model's states. */
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/explore/explore_paths.h"
#include "cmd/explore/explore_search.h"
#include "cmd/explore/requests.h"
#include "cmd/session.h"
#include "cmd/signals.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define IDLE_SECONDS 3600.0
#define MOST_BODY (16 << 20) /* bytes of a request: a trace file */

extern char **environ;

/* On a desktop. Without a browser the address remains. */
static void open_browser(const char *address) {
  char *const words[] = {(char *)(size_t) "xdg-open", (char *)(size_t)address, NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
    return;
  if (posix_spawn_file_actions_init(&actions) != 0)
    return;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
  if (posix_spawnp(&child, words[0], &actions, NULL, words, environ) == 0)
    waitpid(child, NULL, 0);
  posix_spawn_file_actions_destroy(&actions);
}

static void wait_for_end(struct http_server *server, double idle) {
  const struct timespec pause = {.tv_nsec = 100000000};
  while (!signals_received() && http_server_idle_seconds(server) < idle)
    nanosleep(&pause, NULL);
  if (!signals_received())
    printf("no request in %.0f seconds: ended\n", idle);
}

static int serve(struct explorer *explorer, const struct options *options) {
  const struct http_settings settings = {.port = GIVEN(options, port) ? (unsigned)options->port : 0,
                                         .most_body = MOST_BODY,
                                         .handle = request_handle,
                                         .user = explorer};
  char error[300];
  struct http_server *server = http_server_start(&settings, error, sizeof error);
  if (!server) {
    print_error("floe simulate --interactive works without it", "the page cannot be served: %s", error);
    return EXIT_USAGE;
  }
  printf("%s\n", http_server_address(server));
  puts("Open this address in a browser on this machine; it is for you alone. Ctrl-C ends floe.");
  fflush(stdout);
  if (!options->no_browser && isatty(STDOUT_FILENO))
    open_browser(http_server_address(server));
  wait_for_end(server, GIVEN(options, idle) ? options->idle : IDLE_SECONDS);
  http_server_stop(server);
  return EXIT_SATISFIED;
}

static int explore_model(const struct session *session, const struct options *options, const char *trace) {
  struct explore_search *search = explore_search_create();
  struct explorer *explorer = search ? explorer_create(session->model, search) : NULL;
  struct explore_error error = {"out of memory", ""};
  int code = EXIT_UNDECIDED;
  if (explorer && (!trace || explorer_load_trace(explorer, trace, &error))) {
    code = serve(explorer, options);
  } else {
    print_error(error.hint[0] ? error.hint : NULL, "%s", error.text);
    code = explorer ? EXIT_USAGE : EXIT_UNDECIDED;
  }
  explore_search_free(search);
  explorer_free(explorer);
  return code;
}

static int run_explore(const struct options *options, char *const *operands, int count) {
  struct session session;
  signals_catch();
  int code = session_begin(&session, operands[0], options);
  if (code == EXIT_SATISFIED)
    code = session_widen(&session);
  if (code == EXIT_SATISFIED)
    code = explore_model(&session, options, count > 1 ? operands[1] : NULL);
  session_close(&session);
  return code;
}

const struct command command_explore = {
    .name = "explore",
    .bit = IN(explore),
    .operands = "MODEL [TRACE]",
    .summary = "Look at the states of a model in a browser",
    .description = "Serves a page on this machine alone and prints its address: the current state,\n"
                   "enabled and blocked transitions, the path with a sequence chart, properties,\n"
                   "searches, the graph of states. TRACE is a file of check --trace.\n",
    .min_operands = 1,
    .max_operands = 2,
    .input_operands = 2,
    .run = run_explore,
};
