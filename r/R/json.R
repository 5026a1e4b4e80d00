# JSON: what the library says, and schemas that are written as R's lists.

from_json <- function(text) fromJSON(text, simplifyVector = FALSE)

# Members that are lists however many there are.
always_arrays <- c("values", "classes", "missing", "positive", "negative", "columns", "crosses")

json_text <- function(text) {
  text <- gsub("([\\\\\"])", "\\\\\\1", enc2utf8(text))
  for (code in if (grepl("[[:cntrl:]]", text)) 1:31) { # JSON has no such characters as they are
    text <- gsub(intToUtf8(code), sprintf("\\u%04x", code), text, fixed = TRUE)
  }
  paste0("\"", text, "\"")
}

# Reads back to the same double, as C reads it: R's own reading may be off by the last bit.
json_number <- function(value) {
  if (!is.finite(value)) {
    refuse("a schema holds a number that is not finite; give a finite one")
  }
  short <- sprintf("%.15g", value)
  if (from_json(paste0("[", short, "]"))[[1]] == value) short else sprintf("%.17g", value)
}

json_one <- function(value) {
  if (is.character(value)) {
    json_text(value)
  } else if (is.logical(value)) {
    if (value) "true" else "false"
  } else {
    json_number(value)
  }
}

# `name` is the member that the value is of. Values, classes and missing texts are texts, whatever they are in R.
to_json <- function(value, name = "") {
  if (is.factor(value) || is.null(value) || !(is.list(value) || is.atomic(value)) || is.object(value)) {
    refuse("a schema holds ", if (nzchar(name)) paste0("\"", name, "\" of a type") else "something",
           " that JSON has not; give texts, numbers, truths, vectors and lists of them")
  }
  if (is.atomic(value) && anyNA(value)) {
    refuse("a schema holds NA", if (nzchar(name)) paste0(" as \"", name, "\""), "; leave the member out")
  }
  if (is.list(value) && !is.null(names(value))) {
    named <- names(value) # of groups and classes by name, each is a list of texts
    inner <- if (name %in% c("groups", "classes")) rep("values", length(named)) else named
    members <- mapply(function(one, its) to_json(one, its), value, inner)
    return(paste0("{", paste(vapply(named, json_text, ""), members, sep = ": ", collapse = ", "), "}"))
  }
  if (!is.list(value) && length(value) == 1 && (!name %in% always_arrays || identical(value, "*"))) {
    return(json_one(value))
  }
  if (!is.list(value) && !is.character(value) && name %in% c("values", "classes", "missing", "positive", "negative")) {
    value <- if (is.logical(value)) as.character(value) else plain_digits(value)
  }
  parts <- vapply(value, function(one) if (is.list(one) || length(one) != 1) to_json(one) else json_one(one), "")
  paste0("[", paste(parts, collapse = ", "), "]")
}
