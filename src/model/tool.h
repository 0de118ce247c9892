/* Another tool that reads the models of a language: its users expect traces and results in its form, and its own
   numbers of processes and statements. */
#ifndef FLOE_MODEL_TOOL_H
#define FLOE_MODEL_TOOL_H

#include "model/model.h"

#include <stdio.h>

/* What one process does in a step. The texts may have control characters. */
struct tool_action {
  uint32_t process;    /* its number in the tool */
  uint32_t statement;  /* its number in the tool */
  const char *text;    /* a line without its number */
  const char *printed; /* "": nothing */
  const char *error;   /* lines about an error, each with its end; "": none */
  bool continues;      /* the tool counts it and the action before as one */
  bool unfinished;     /* it may count the next one with it, too */
};
struct tool_step {
  const struct tool_action *actions;
  size_t count;
  const char *unplayable; /* why the tool cannot play the step; NULL: it can. Lives for ever */
};

/* The last state of a trace. */
struct tool_end {
  const char *const *lines; /* [count] about each process, without number and end */
  size_t count;
  const char *values; /* lines about variables, each with its end */
};

/* A trace as the tool shows it. */
struct tool_trace {
  const struct tool_step *steps; /* [count] */
  size_t count, loop;            /* loop: as floe_trace_loop */
  struct tool_end end;
};

/* The form of a trace for the tool; NULL: there is no trace. */
typedef const struct tool_trace *tool_trace_of(const floe_trace *trace);

/* A firing to describe. */
struct tool_firing {
  const struct model *model;
  const struct transition *transition;
  const int64_t *before; /* values of the state */
  const char *cause;     /* why it fails; NULL: it does not */
  const char *printed;   /* "": nothing */
};

/* The operations that describe take all memory from `arena`, whose guard is active. The others use nothing of the
   model. */
struct tool {
  const char *name; /* one lower-case word */
  /* `last`: the step before in the trace; NULL: there is none. */
  void (*describe_step)(const struct tool_view *view, const struct tool_firing *firing, const struct tool_step *last,
                        struct arena *arena, struct tool_step *out);
  void (*describe_end)(const struct tool_view *view, const struct model *model, const int64_t *values,
                       struct arena *arena, struct tool_end *out);
  void (*write_trace)(const struct tool_trace *trace, FILE *out);
  /* A file for the tool, which can play the trace. */
  void (*write_trail)(const struct tool_trace *trace, FILE *out);
  void (*write_result)(const floe_result *result, tool_trace_of *trace_of, FILE *out);
};

/* What a tool knows of a model; a language that has one extends it. Lives as long as the model. */
struct tool_view {
  const struct tool *tool;
  const char *unplayable; /* why the tool cannot play its traces; "": it can */
};

#endif
