# Data frames as the records of a schema: columns by name, in the schema's order.

# All texts in a part of a schema.
texts_in <- function(part) {
  found <- c(if (is.list(part)) names(part), unlist(lapply(part, function(one) {
    if (is.list(one)) texts_in(one) else if (is.character(one)) one
  })))
  trimws(as.character(found), whitespace = "[ \t]")
}

# "No value" in texts that are numbers: in a numeric column such a number is no value however it comes.
missing_numbers <- function(content) {
  texts <- unlist(content$missing)
  as.numeric(texts[grepl("^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?$", texts)])
}

check_frame <- function(data) {
  if (!is.data.frame(data)) {
    refuse("the records must be a data frame, or the path of a file of them")
  }
  data
}

values_of <- function(data, name) {
  place <- which(names(data) == name)
  if (length(place) == 0) {
    refuse("the data have no column \"", name, "\" that the schema lists")
  }
  if (length(place) > 1) {
    refuse("the data have several columns \"", name, "\"; keep the one that is meant")
  }
  .subset2(data, place)
}

# C counts rows from 0, R from 1.
rows_from_one <- function(message) {
  found <- regmatches(message, regexec("\\brow ([0-9]+) of|label of row ([0-9]+)\\b", message))[[1]]
  if (length(found) == 0) {
    return(message)
  }
  number <- found[nzchar(found)][2]
  sub(paste0("row ", number), paste0("row ", format(as.numeric(number) + 1, scientific = FALSE)), message, fixed = TRUE)
}

# Records under a schema, with their labels or without.
records_of <- function(schema, data, labelled = TRUE) {
  check_frame(data)
  content <- schema$content
  absent <- missing_numbers(content)
  person <- if (is.null(content$person)) "" else content$person
  columns <- lapply(content$columns, function(column) {
    wanted <- column$type %in% c("numeric", "categorical") || (labelled && column$name == person) ||
      (column$type == "group" && (labelled || column$name %in% names(data)))
    if (wanted) {
      column_of(values_of(data, column$name), paste0("column \"", column$name, "\""), column$type == "numeric",
                absent, texts_in(list(column, content$missing)))
    }
  })
  label <- if (labelled) labels_of(content, data, absent)
  rows <- .row_names_info(data, 2L)
  checked(.Call(r_data_from_table, schema$handle, rows, columns, label), rows_from_one)
}

labels_of <- function(content, data, absent) {
  name <- content$label$column
  values <- values_of(data, name)
  what <- paste0("the label \"", name, "\"")
  numeric <- identical(content$label$type, "numeric")
  if (numeric && is.logical(values) && !is.object(values)) { # beside a number it would have been 1
    refuse(what, " is a column of truths, and a number in the schema; give numbers")
  }
  column_of(values, what, numeric, absent, texts_in(list(content$label, content$missing)))
}
