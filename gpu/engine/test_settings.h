/* Settings of the GPU engine for tests and measurements: $FLOE_GPU_TEST, a comma-separated list of "name=number". They
   change when and how often something happens, never a result. */
#ifndef FLOE_GPU_ENGINE_TEST_SETTINGS_H
#define FLOE_GPU_ENGINE_TEST_SETTINGS_H

#include "core/status.h"

#include <stdint.h>

struct gpu_test_settings {
  uint64_t blocks;   /* most blocks of the grid; 0: all that are resident */
  uint64_t queue;    /* most words of the queue, but at least what it needs; 0: by memory */
  uint64_t replace;  /* 1: a larger queue never fits beside the full one, but in its place */
  uint64_t slice_us; /* time slice of a launch */
  uint64_t levels;   /* most levels that a launch closes */
  uint64_t fill;     /* percent of its slots at which the table grows; 100: when a key finds no place; 0: default of the
                        scheme */
  uint64_t resident; /* resident blocks per multiprocessor that the compiler allows for, 1 to 4; 0: automatic */
  uint64_t batch;    /* most candidates of a batch of the host-backed set; 0: by memory */
  uint64_t bitmap;   /* 1: a bitmap replaces the table at its first growth, whenever it fits */
  uint64_t turns;    /* most batches of 32 states per ticket; 0: automatic */
  uint64_t names;    /* least first capacity of a tree table, which is then as small as possible; 0: automatic */
  uint64_t out;      /* states in an outbox that end a launch; 0: automatic */
  uint64_t alone;    /* states of a level from which on several devices explore; 0: automatic */
  uint64_t many;     /* states from which on `auto` uses several devices; 0: automatic */
  uint64_t mailboxes; /* most packets of a mailbox, 2 or more; 0: automatic */
  uint64_t step;      /* most warps of a block in lockstep, with mailboxes; 0: automatic */
  uint64_t hosts;     /* 1: the hosts close all levels of a group */
  uint64_t agree_us;  /* longest time in which kernels close levels without a reduction by the hosts */
  uint64_t linked;    /* most members with mailboxes for each other; 0: automatic */
  uint64_t packets;   /* 1: processes exchange packets only, even if their devices can access each other's memory */
  uint64_t far;   /* 1: packets are in device memory also within one machine, if the MPI library can send from there; 2:
                       never */
  uint64_t twice; /* 1: a device may be listed twice, as two devices (api/device/gpu_select.c) */
  uint64_t arcs;  /* least transitions of a model that are a table on the device; 0: automatic */
  uint64_t stack; /* entries of a lane's stack for sequences of firings; 0: by memory */
  uint64_t sequences;  /* most sequences of a state; 0: by memory */
  uint64_t improve_us; /* time of exploration after which kernels_improve compiles; 0: automatic */
  uint64_t tell;       /* 1: logs counters and times */
};

/* FLOE_ERROR_USAGE, logged: unknown name or bad number. `text` may be NULL. */
floe_status test_settings_read(const char *text, floe_log *log, struct gpu_test_settings *out);

#endif
