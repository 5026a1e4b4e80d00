# Schemas: what is known about the records in public.

dperm_schema <- function(x, ...) UseMethod("dperm_schema")

schema_of_handle <- function(handle) {
  text <- checked(.Call(r_schema_text, handle))
  structure(list(handle = handle, text = text, content = from_json(text)), class = "dperm_schema")
}

schema_parse <- function(text) schema_of_handle(checked(.Call(r_schema_parse, text)))

dperm_schema.dperm_schema <- function(x, ...) {
  if (.Call(r_is_open, x$handle)) x else schema_parse(x$text) # of another session, by its text
}

dperm_schema.character <- function(x, ...) {
  schema_of_handle(checked(.Call(r_schema_read, file_name(x, "the path of a schema"))))
}

dperm_schema.list <- function(x, ...) schema_parse(to_json(x))

dperm_schema.formula <- function(x, data, ranges = list(), levels = NULL, ...) {
  schema_parse(to_json(declared(x, check_frame(data), ranges, levels)))
}

dperm_schema.default <- function(x, ...) {
  refuse("a schema is the path of its file, a list, or made of a formula and declared ranges (?dperm_schema)")
}

schema_described <- function(schema) from_json(checked(.Call(r_schema_describe, schema$handle)))

print.dperm_schema <- function(x, ...) {
  content <- x$content
  label <- content$label
  what <- if (identical(label$type, "numeric")) {
    sprintf("a number from %s to %s", json_number(label$min), json_number(label$max))
  } else {
    paste(unlist(schema_described(dperm_schema(x))$classes), collapse = ", ")
  }
  cat("A dperm schema: ", label$column, " (", what, ") by\n", sep = "")
  for (column in content$columns) {
    cat("  ", format(column$name, width = 20), "  ", column$type, column_words(column), "\n", sep = "")
  }
  invisible(x)
}

column_words <- function(column) {
  if (column$type == "numeric") {
    bins <- if (is.null(column$bins)) "" else if (is.list(column$bins)) " in given bins" else paste(" in", column$bins, "bins")
    return(sprintf(" from %s to %s%s", json_number(column$min), json_number(column$max), bins))
  }
  names <- c(unlist(column$values), names(column$groups))
  if (length(names) == 0) "" else paste0(": ", paste(names[seq_len(min(6, length(names)))], collapse = ", "),
                                       if (length(names) > 6) sprintf(" and %d more", length(names) - 6))
}
