# A schema of what is declared: ranges that are given, and levels that were written down in public.
#
# Nothing is read off the records but the names and types of their columns, so a data frame without rows does as well.

# The schema of a formula as a list.
declared <- function(formula, data, ranges, levels) {
  parts <- parts_of(formula, names(data))
  check_declared(ranges, "ranges", parts)
  if (!identical(levels, "declared") && !is.null(levels)) {
    check_declared(levels, "levels", parts)
  }
  made <- list(version = 2,
               label = c(list(column = parts$label), label_declared(data, parts$label, ranges, levels)),
               columns = lapply(parts$columns, column_declared, data, ranges, levels),
               intercept = parts$intercept)
  if (length(parts$crosses) > 0) {
    made$crosses <- parts$crosses
  }
  made
}

check_declared <- function(given, what, parts) {
  if (!is.list(given) || (length(given) > 0 && is.null(names(given)))) {
    refuse(what, " must be a list by column, such as ", what, " = list(",
           if (what == "ranges") "age = c(0, 120))" else "job = c(\"nurse\", \"judge\"))")
  }
  unknown <- setdiff(names(given), c(parts$label, parts$columns))
  if (length(unknown) > 0) {
    refuse(what, " has \"", unknown[1], "\", which the formula has not")
  }
}

range_declared <- function(name, range) {
  if (!is.numeric(range) || is.object(range) || length(range) != 2 || !all(is.finite(range)) || range[1] >= range[2]) {
    refuse("the range of \"", name, "\" must be two finite numbers, the lower one first")
  }
  list(type = "numeric", min = range[1], max = range[2])
}

# The levels of a column: those given, or of a factor where all are said to be declared; NULL for none.
levels_declared <- function(name, values, levels) {
  if (is.list(levels) && !is.null(levels[[name]])) {
    given <- levels[[name]]
    return(if (is.character(given)) given else texts_of(given, kind_of(given, paste0("levels of \"", name, "\"")), name))
  }
  if (is.logical(values) && !is.object(values)) {
    return(truths[2:1])
  }
  if (is.factor(values) && identical(levels, "declared")) levels(values)
}

is_number <- function(values) is.numeric(values) && !is.object(values)

undeclared <- function(name, values) {
  if (is_number(values)) {
    refuse("column \"", name, "\" is a number without a range: give ranges = list(", name, " = c(lowest, highest)) by ",
           "what is known in public, since a range that is read off the records betrays them")
  }
  if (is.factor(values)) {
    refuse("column \"", name, "\" is a factor whose levels may have been read off the records: give levels = list(",
           name, " = c(...)), or levels = \"declared\" if the levels of all factors were written down in public")
  }
  kind_of(values, paste0("column \"", name, "\"")) # which may say more
  refuse("column \"", name, "\" holds texts, and nothing says which there can be: give levels = list(", name,
         " = c(...)) by what is known in public")
}

column_declared <- function(name, data, ranges, levels) {
  values <- values_of(data, name)
  found <- levels_declared(name, values, levels)
  if (is_number(values) && !is.null(ranges[[name]])) {
    return(c(list(name = name), range_declared(name, ranges[[name]])))
  }
  if (is.null(found)) {
    undeclared(name, values)
  }
  list(name = name, type = "categorical", values = found)
}

label_declared <- function(data, name, ranges, levels) {
  values <- values_of(data, name)
  if (is_number(values) && !is.null(ranges[[name]])) {
    return(range_declared(name, ranges[[name]]))
  }
  found <- levels_declared(name, values, levels)
  if (is.null(found)) {
    undeclared(name, values)
  }
  list(classes = found)
}
