/* Reads a model in XML: first the shape of the elements is checked against the schema (reader_shape), then the syntax
   tree is built from them (reader, reader_process, with reader_parts). The building goes on where the shape is wrong,
   so that errors in expressions are told in the same run; it takes what is missing as empty. */
#ifndef FLOE_READER_H
#define FLOE_READER_H

#include "frontend/parse/syntax.h"

/* XML, element structure, every expression. Several errors are collected in `log`. */
floe_status syntax_read(const struct source *source, struct arena *arena, floe_log *log, struct syntax_model **out);

#endif
