/* What every command that works on a model does first: load it, set its constants; and the run of
 * an exploration. */
#ifndef FLOE_CMD_SESSION_H
#define FLOE_CMD_SESSION_H

#include "cmd/options.h"
#include "floe.h"

struct session {
  floe_log *log;
  floe_model *model;
};

/* All return EXIT_AS_WANTED (0) or, after messages, the exit code to end with. session_close is
 * right after any of them. */
int session_open(struct session *session, const char *path);
int session_define(struct session *session, const struct list *definitions); /* "NAME=VALUE" */
int session_check(struct session *session);                                  /* prints the warnings */
/* The three in one: a model that is ready for use. */
int session_begin(struct session *session, const char *path, const struct list *definitions);
/* --dump-code */
int session_dump_code(struct session *session, const struct optional *where);
/* Explores; the status, without a message on errors: they stay in the log. */
floe_status session_try(struct session *session, const floe_options *settings, floe_result **result);
int session_explore(struct session *session, const floe_options *settings, floe_result **result);
/* For a model that floe_resume_model gave. */
int session_go_on(struct session *session, const char *file, const floe_options *settings, floe_result **result);
void session_close(struct session *session);

/* Memory in bytes that the options allow, all that there is where they say nothing. */
uint64_t memory_allowed(const struct options *options);
/* What the library is to do. Texts belong to `options`. */
void make_settings(const struct options *options, floe_options *settings);

#endif
