# Makes the model reader's table of elements from the schema: awk -f schema.awk floe.rng > schema.def
# It reads the part of RELAX NG that floe.rng is written in, and refuses any other:
#   - a define holds one element of its own name, or (a part) the choice of an attribute and an element of its name, or a
#     text: a pattern, or words to choose from;
#   - in an element, attributes and refs to other defines stand alone or in optional, zeroOrMore, oneOrMore, interleave,
#     or two of them in a choice, or several elements in oneOrMore of a choice; an attribute's value is a ref to a text, or text.

function fail(message) {
  print "schema.awk: " message > "/dev/stderr"
  failed = 1
  exit 1
}

{ text = text $0 "\n" }

# ---- the tags: tag[1..tags], with the value of their attribute name, and the text behind each

function read_tags(    at, inside, i) {
  while ((at = index(text, "<")) > 0) {
    behind[tags] = substr(text, 1, at - 1)
    text = substr(text, at)
    if (substr(text, 1, 4) == "<!--") {
      at = index(text, "-->") + 2
      if (at == 2)
        fail("a comment has no end")
    } else {
      at = index(text, ">")
      inside = substr(text, 2, at - 2)
      if (inside !~ /^\?/) {
        tags++
        empty[tags] = sub(/\/$/, "", inside)
        tag[tags] = inside
        sub(/[ \t\n].*/, "", tag[tags])
        if (match(inside, / name="[^"]*"/))
          name[tags] = substr(inside, RSTART + 7, RLENGTH - 8)
      }
    }
    text = substr(text, at + 1)
  }
  for (i = 1; i <= tags; i++)
    if (tag[i] !~ /^\/?(grammar|start|define|element|attribute|ref|text|optional|zeroOrMore|oneOrMore|interleave|choice|value|data|param)$/)
      fail("cannot read <" tag[i] ">")
}

# ---- what each define is: an element, a part, or a text

function classify(    i, current, in_attribute) {
  for (i = 1; i <= tags; i++) {
    if (tag[i] == "define")
      current = name[i]
    else if (tag[i] == "attribute" && !is_element[current])
      part_of[current] = 1
    else if (tag[i] == "element") {
      if (name[i] != current)
        fail("the define " current " holds the element " name[i])
      is_element[current] = 1
      if (part_of[current])
        is_part[current] = 1
    } else if (tag[i] == "value")
      words[current] = words[current] " " behind[i]
  }
}

# ---- the table

function wrapper(d) { # the innermost one that says how often
  for (; d > 0 && open[d] != "element"; d--)
    if (open[d] == "choice" && open[d - 1] == "oneOrMore")
      return "zeroOrMore"
    else if (open[d] == "optional" || open[d] == "zeroOrMore" || open[d] == "oneOrMore" || open[d] == "choice")
      return open[d]
  return ""
}

function is_optional(d) {
  for (; d > 0 && open[d] != "element"; d--)
    if (open[d] == "optional")
      return 1
  return 0
}

function boolean(value) { return value ? "true" : "false" }

function form_of(reference) {
  if (is_element[reference])
    fail("the attribute " attribute " holds an element")
  return toupper(reference)
}

function add(line) { lines = lines line "\n" }

function add_attribute(attribute, required, form) {
  add("ATTRIBUTE(" element ", " attribute ", " boolean(required) ", " form ")")
}

function add_reference(reference, how) {
  if (!is_element[reference]) {
    has_text = 1
    return
  }
  if (is_part[reference])
    add_attribute(reference, 0, form_in[reference])
  if (how == "" || (is_part[reference] && how !~ /^(optional|choice)$/))
    fail(element " holds " reference " in a way that is not known")
  add("CHILD(" element ", " reference ", " (how == "oneOrMore") ", " (how == "optional" || how == "choice") ")")
}

function alternative(what) {
  if (open[depth] == "choice")
    choices[++choice_count] = what
}

function opened(i) {
  if (tag[i] == "choice")
    choice_count = 0
  else if (tag[i] == "element") {
    element = name[i]
    has_text = 0
    lines = ""
  } else if (tag[i] == "attribute") {
    attribute = name[i]
    form = ""
    alternative(attribute)
  } else if (tag[i] == "text" || tag[i] == "ref") {
    if (in_attribute)
      form = tag[i] == "text" ? "TEXT" : form_of(name[i])
    else if (tag[i] == "text")
      has_text = 1
    else {
      alternative(name[i])
      add_reference(name[i], wrapper(depth))
    }
  }
}

function closed(what,    i, list) {
  if (what == "attribute") {
    if (form == "")
      fail("the value of the attribute " attribute " of " element " is no ref")
    if (element != "")
      add_attribute(attribute, wrapper(depth) == "", form)
    else
      form_in[define] = form
  } else if (what == "choice" && element != "" && open[depth] != "oneOrMore") {
    list = ""
    for (i = 1; i <= choice_count; i++)
      list = list ", \"" choices[i] "\""
    add("EITHER(" element ", " boolean(!is_optional(depth)) list ")")
  } else if (what == "element") {
    printf "\nELEMENT(%s, %s)\n%s", element, boolean(has_text), lines
    element = ""
  }
}

# Parts come before the elements that hold them.
function write_table(parts,    i, what) {
  depth = 0
  for (i = 1; i <= tags; i++) {
    what = tag[i]
    if (what == "define")
      define = name[i]
    skip = (define == "" || !is_element[define] || is_part[define] + 0 != parts)
    if (skip)
      continue
    if (what ~ /^\//) {
      what = substr(what, 2)
      in_attribute = 0
      depth--
      closed(what)
      continue
    }
    opened(i)
    if (!empty[i]) {
      open[++depth] = what
      in_attribute = what == "attribute"
    }
  }
}

function write_words(    i, n, list, reference, k) {
  print ""
  for (i = 1; i <= tags; i++)
    if (tag[i] == "define" && name[i] in words) {
      n = split(words[name[i]], list, " ")
      for (k = 1; k <= n; k++)
        print "WORD(" toupper(name[i]) ", " list[k] ")"
    }
}

END {
  if (failed)
    exit 1
  read_tags()
  classify()
  print "/* Made from floe.rng by schema.awk; do not edit. Read with these macros set:"
  print "     ELEMENT(name, text)                      text: may it hold text other than blanks?"
  print "     ATTRIBUTE(element, name, required, form) form: the define of its value, or TEXT"
  print "     CHILD(element, child, least, most)       most 0: any number"
  print "     EITHER(element, required, ...)           of these parts at most one, or exactly one"
  print "     WORD(form, word)                         the words that a form may be */"
  n = split("ELEMENT(name, text)|ATTRIBUTE(element, name, required, form)|CHILD(element, child, least, most)|EITHER(element, required, ...)|WORD(form, word)", macros, "|")
  for (i = 1; i <= n; i++) {
    print "#ifndef " substr(macros[i], 1, index(macros[i], "(") - 1)
    print "#define " macros[i]
    print "#endif"
  }
  write_table(1)
  write_table(0)
  write_words()
  print ""
  for (i = 1; i <= n; i++)
    print "#undef " substr(macros[i], 1, index(macros[i], "(") - 1)
}
