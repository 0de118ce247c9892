/* Scanner over the raw bytes of an XML file. libxml2 decides well-formedness and gives the structure; this scanner
   gives the place of each name and of each byte of a decoded value, which libxml2 does not report. It is safe on any
   bytes; its results are meaningful only for well-formed files. No DTD. */
#ifndef FLOE_FRONTEND_XML_XML_POSITION_H
#define FLOE_FRONTEND_XML_XML_POSITION_H

#include "core/diag.h"

#include <stdbool.h>

/* Comments, processing instructions and the XML declaration are skipped. */
enum xml_token_kind {
  XML_TOKEN_START,     /* a start tag's name: begin..end */
  XML_TOKEN_ATTRIBUTE, /* name..name_end and the value between the quotes: begin..end */
  XML_TOKEN_CLOSE,     /* an element ends; begin: place of "</" or "/>" */
  XML_TOKEN_TEXT,      /* character data with references: begin..end */
  XML_TOKEN_CDATA,     /* character data as it is: begin..end */
  XML_TOKEN_DOCTYPE,   /* place of "<!DOCTYPE": nothing follows */
  XML_TOKEN_FINISH,    /* the file ends, not inside a tag */
  XML_TOKEN_BROKEN     /* not well-formed: nothing follows */
};

/* Offsets in the file. */
struct xml_token {
  enum xml_token_kind kind;
  source_at name, name_end, begin, end;
};

struct xml_scanner {
  const struct source *source; /* shorter than NOWHERE */
  source_at at;
  bool in_tag;
};

void xml_scanner_init(struct xml_scanner *scanner, const struct source *source);
struct xml_token xml_scan(struct xml_scanner *scanner);

/* Decodes the value of an ATTRIBUTE, TEXT or CDATA token as XML 1.0 (sections 2.11 and 3.3.3) requires: references,
   line ends, and in attributes blanks for white space. Writes xml_decoded_length bytes and the position of each:
   `base` plus its offset in the file. */
size_t xml_decoded_length(const struct source *source, const struct xml_token *token);
void xml_decode(const struct source *source, const struct xml_token *token, source_at base, char *text, source_at *at);

#endif
