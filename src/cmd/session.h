/* Common steps of all commands that work on a model: load it, define its constants, explore it. */
#ifndef FLOE_CMD_SESSION_H
#define FLOE_CMD_SESSION_H

#include "cmd/console/options.h"
#include "floe.h"

struct session {
  floe_log *log;
  floe_model *model;
};

/* All functions return EXIT_SATISFIED (0) or, after messages, the exit code of the command. session_close is valid
   after any of them. */
int session_open(struct session *session, const char *path, const struct options *options);
int session_define(struct session *session, const struct list *definitions); /* "NAME=VALUE" */
int64_t definition_value(const char *text);                                  /* true, false or a number */
int session_check(struct session *session);                                  /* prints the warnings */
/* Ranges that are guesses get the largest one: for commands that make single steps. After session_check. */
int session_widen(struct session *session);
/* All but that: a model that is ready for use. */
int session_begin(struct session *session, const char *path, const struct options *options);
/* --dump-code */
int session_dump_code(struct session *session, const struct optional *where);
/* Explores and returns the status; error messages stay in the log. */
floe_status session_explore_logged(struct session *session, const floe_options *settings, floe_result **result);
int session_explore(struct session *session, const floe_options *settings, floe_result **result);
/* Continues from the checkpoint `file`, for a model from floe_resume_model. */
int session_resume(struct session *session, const char *file, const floe_options *settings, floe_result **result);
/* All steps in memory, or as many as the limits permit (floe_graph_end). */
int session_graph(struct session *session, const floe_options *settings, floe_graph **graph);
void session_close(struct session *session);

/* Memory limit in bytes by --memory; without it all available memory. */
uint64_t memory_limit(const struct options *options);
void make_load_settings(const struct options *options, floe_load_options *settings);
/* The library's options. Texts belong to `options`. */
void make_settings(const struct options *options, floe_options *settings);

#endif
