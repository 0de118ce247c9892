# Checks that every message of the front end is in some .expected file.
#   awk -f messages.awk SOURCE.c... NAME.expected...
# A message is a string literal that is the format argument of one of these functions:
BEGIN {
	message_count = 0
	format_argument["diag_error"] = 5
	format_argument["diag_warning"] = 5
	format_argument["parser_fail"] = 4
	format_argument["DVE_ERROR"] = 4
	format_argument["BUILD_ERROR"] = 4
	format_argument["MU_ERROR"] = 4
	format_argument["MU_SYNTAX_ERROR"] = 4
	format_argument["PR_FAIL"] = 4
	format_argument["CONDITION_FAIL"] = 4
	format_argument["PR_SYNTAX_ERROR"] = 4
	format_argument["GRAPH_ERROR"] = 4
	format_argument["CHECK_ERROR"] = 4
	format_argument["CHECK_WARN"] = 4
	format_argument["fairness_fail"] = 4
	format_argument["READ_ERROR"] = 4
	format_argument["writer_refuse"] = 4
	format_argument["REFUSE"] = 3
}

FNR == 1 { is_source = FILENAME !~ /\.expected$/ }
is_source { text[FILENAME] = text[FILENAME] $0 "\n"; next }
{ expected[expected_count++] = $0 }

# Reads the call whose '(' is at `at` in `source`, and notes the string literals of argument `number`. Adjacent strings
# are one; so is "..." PRId64 "...".
function read_call(file, source, at, number,    c, depth, argument, string, open, word) {
	argument = 1
	for (depth = 0; at <= length(source); at++) {
		c = substr(source, at, 1)
		if (c == "\"") {
			for (at++; (c = substr(source, at, 1)) != "\""; at++)
				string = string (c == "\\" ? substr(source, ++at, 1) : c)
			open = 1
			continue
		}
		if (c ~ /[ \t\n]/)
			continue
		if (match(substr(source, at, 12), /^PRI[a-zA-Z0-9]+/)) {
			string = string "d"
			at += RLENGTH - 1
			continue
		}
		if (open && argument == number)
			note(file, string)
		string = ""
		open = 0
		if (c == "(" || c == "{" || c == "[")
			depth++
		else if (c == ")" || c == "}" || c == "]") {
			if (--depth == 0)
				return
		} else if (c == "," && depth == 1)
			argument++
	}
}

# Internal errors cannot be provoked; "%s" passes on a message noted elsewhere.
function note(file, message) {
	if (message != "%s" && message !~ /^internal error/) {
		file_of[message_count] = file
		messages[message_count++] = message
	}
}

function read_source(file, source,    name, at, rest, offset) {
	for (name in format_argument) {
		offset = 0
		rest = source
		while ((at = index(rest, name "(")) > 0) {
			offset += at + length(name)
			read_call(file, source, offset, format_argument[name])
			rest = substr(source, offset + 1)
		}
	}
}

# True if the line contains the pieces of the format between its conversions, in this order.
function matches(line, message,    at) {
	sub(/^[0-9]+:[0-9]+: [a-z]+: /, "", line)
	gsub(/%%/, "\001", message)
	while (match(message, /%[-+ #0-9.*]*(hh|ll|[hlzjt])?[diouxXeEfgGcsp]/)) {
		at = index(line, substr(message, 1, RSTART - 1))
		if (at == 0)
			return 0
		line = substr(line, at + RSTART - 1)
		message = substr(message, RSTART + RLENGTH)
	}
	gsub(/\001/, "%", message)
	return message == "" || index(line, message) > 0
}

END {
	for (file in text)
		read_source(file, text[file])
	for (i = 0; i < message_count; i++) {
		found = 0
		for (j = 0; j < expected_count && !found; j++)
			found = matches(expected[j], messages[i])
		if (!found) {
			print "no input in tests/bad provokes: \"" messages[i] "\" of " file_of[i]
			missing++
		}
	}
	print message_count " messages, " missing + 0 " without an input"
	exit missing > 0 || message_count == 0
}
