/* Reads a model in XML. First the elements are checked against the schema (reader_shape), then the syntax tree is built
   (reader, reader_process, with reader_parts). Building continues after errors of shape, so that errors in expressions
   are reported in the same run; missing parts are empty. */
#ifndef FLOE_FRONTEND_XML_READER_H
#define FLOE_FRONTEND_XML_READER_H

#include "frontend/parse/syntax.h"
#include "model/language.h"

/* Parses XML, element structure and every expression, of included files too. Errors are collected in `log`. `source`
   lives as long as the arena. `includer` may be NULL for a text that names no files. */
floe_status syntax_read(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                        struct syntax_model **out);

#endif
