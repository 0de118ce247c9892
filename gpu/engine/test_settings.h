/* Settings of the GPU engine that only tests and measurements need: $FLOE_GPU_TEST, words "name=number" with commas
   between them. They change when and how often something happens, never a result. */
#ifndef FLOE_GPU_TUNING_H
#define FLOE_GPU_TUNING_H

#include "core/status.h"

#include <stdint.h>

struct gpu_test_settings {
  uint64_t blocks;   /* most of the grid; 0: as many as the device holds */
  uint64_t queue;    /* most words of the queue, though never less than it needs; 0: by memory */
  uint64_t replace;  /* 1: a larger queue has no room beside the full one, but in its place */
  uint64_t slice_us; /* time slice of a launch */
  uint64_t levels;   /* that a launch may close */
  uint64_t fill; /* percent of its slots at which the table grows; 100: when a key finds no place; 0: its scheme's */
  uint64_t resident; /* blocks on a multiprocessor that the compiler is to allow for, 1 to 4; 0: as it is best */
  uint64_t batch;    /* candidates of a visited set of two levels asked together, at most; 0: by memory */
  uint64_t bitmap; /* 1: instead of its first growth the table becomes a bitmap, where that fits, however large it is */
  uint64_t turns;  /* times 32 states of a ticket, at most; 0: as many as it may be for */
  uint64_t names;  /* numbers that a table of a tree begins with, at least; 0: as it is best */
  uint64_t out;    /* states that an outbox may have before a launch ends for it; 0: as it is best */
  uint64_t alone;  /* states of a level from which on several devices explore, at once; 0: as it is best */
  uint64_t many;   /* states from which on auto takes several devices that were not asked for; 0: as it is best */
  uint64_t mail;   /* packets of a mailbox, at most: 2 at least; 0: as it is best */
  uint64_t step;   /* warps of a block that fire in step where they have mailboxes, at most; 0: as it is best */
  uint64_t hosts;  /* 1: hosts close all levels of several devices */
  uint64_t agree_us; /* for so long kernels close them, before hosts speak of what all have found: for reports */
  uint64_t linked;   /* members that have mailboxes for each other, at most; 0: as it is best */
  uint64_t packets; /* 1: processes send each other letters alone, also where their devices reach each other's memory */
  uint64_t far; /* 1: letters are in the device's memory within one machine, too, where the MPI library takes them from
                   there; 2: never */
  uint64_t twice; /* 1: a device may be named twice, as several (api/device/gpu_select.c) */
  uint64_t tell;  /* 1: a note in the log says how often what happened, and how long it took */
};

/* FLOE_ERROR_USAGE, told: a name or number that is none. `text` may be NULL. */
floe_status test_settings_read(const char *text, floe_log *log, struct gpu_test_settings *out);

#endif
