/* Reads a PNML file: the tree of its XML becomes a net. */
#ifndef FLOE_FRONTEND_PNML_READ_NET_H
#define FLOE_FRONTEND_PNML_READ_NET_H

#include "core/status.h"
#include "frontend/pnml/id_table.h"
#include "frontend/pnml/net.h"
#include "frontend/xml/xml.h"

/* A place or transition, or a reference to one. */
struct net_node {
  bool is_place;
  uint32_t number;       /* in the net; of a reference after it was resolved */
  const char *reference; /* id of the node that it stands for; NULL: no reference */
  source_at at;
};

/* An arc as written. */
enum arc_kind { ARC_NORMAL, ARC_INHIBITOR, ARC_RESET, ARC_TEST };
struct written_arc {
  uint32_t place, transition;
  enum arc_kind kind;
  bool to_place;
  int64_t weight;
  source_at at, end;
};

struct net_reader {
  const struct source *source;
  struct arena *arena; /* its guard is active */
  floe_log *log;
  struct net *net;
  struct id_table ids; /* of nodes */
  struct net_node *nodes;
  size_t node_count, node_cap;
  const struct xml_element **arcs; /* found in pages, read when all nodes are known */
  size_t arc_count, arc_cap;
  /* of net->places and net->transitions */
  const struct xml_element **place_elements, **transition_elements;
  size_t place_element_count, place_element_cap, transition_element_count, transition_element_cap;
  size_t errors;
};

#define READ_ERROR(r, at, hint, ...) ((r)->errors++, diag_error((r)->log, (r)->source, (at), (hint), __VA_ARGS__))

/* FLOE_ERROR_MODEL: the errors are logged. The guard of `arena` is active. */
floe_status net_read(const struct source *source, struct arena *arena, floe_log *log, struct net **out);

/* Steps of net_read in other files. */
/* False, with an error: not an arc between a place and a transition. The weight is 1. */
bool net_read_arc(struct net_reader *r, const struct xml_element *arc, struct written_arc *out);
void net_add_arcs(struct net_reader *r, struct written_arc *arcs, size_t count);
void net_read_arcs(struct net_reader *r);                             /* read_arcs.c */
void net_unfold(struct net_reader *r, const struct xml_element *net); /* colour/unfold.c: in place of net_read_arcs */
void net_read_units(struct net_reader *r, const struct xml_element *element); /* read_units.c */

/* ---- parts of the tree ------------------------------------------------------------------------ */

const struct xml_element *child_of(const struct xml_element *element, const char *name); /* NULL: none */
const struct xml_attribute *attribute_of(const struct xml_element *element, const char *name);
/* Texts without white space at both ends. "" for an attribute that is missing. */
const char *trimmed(const struct located_text *text, struct arena *arena);
const char *trimmed_attribute(const struct net_reader *r, const struct xml_element *element, const char *name);
const char *trimmed_text(const struct net_reader *r, const struct xml_element *element);
/* A copy without control characters: names are printed as they are. */
const char *net_printable(const struct net_reader *r, const char *name);
/* The text of the label: of the `text` in the child `name`. NULL: there is none. */
const char *label_of(const struct net_reader *r, const struct xml_element *element, const char *name, source_at *at);
/* The number of the label, `missing` without one; after an error `missing`. */
int64_t number_of_label(struct net_reader *r, const struct xml_element *element, const char *name, int64_t least,
                        int64_t missing);
/* The node of the id; NULL, with an error at `at`, if there is none. */
const struct net_node *node_of(struct net_reader *r, const char *id, source_at at);

#endif
