# Formulas: which of a schema's columns a model is made of.
#
# A term is a column as it is, or a:b for a cross. Nothing is computed of columns here: what R would make of
# poly(x, 2) or scale(x) depends on all records.

# list(label, columns, crosses, intercept) of a formula over these columns.
parts_of <- function(formula, names, label = NULL) {
  if (!inherits(formula, "formula") || length(formula) != 3 || !is.name(formula[[2]])) {
    refuse("give a formula with the label's column on its left side, such as income ~ .")
  }
  found <- as.character(formula[[2]])
  if (!is.null(label) && found != label) {
    refuse("the formula's label is \"", found, "\", and the schema's \"", label, "\"; give the schema's")
  }
  skeleton <- as.data.frame(setNames(rep(list(numeric()), length(names) + 1), c(found, setdiff(names, found))),
                            optional = TRUE)[seq_along(c(found, setdiff(names, found)))]
  said <- terms(formula, data = skeleton)
  variables <- as.list(attr(said, "variables"))[-1]
  if (!all(vapply(variables, is.name, NA)) || !is.null(attr(said, "offset"))) {
    refuse("a formula names columns and crosses (a:b) and computes nothing: a transform is the schema's to say, or is ",
           "made of each record by itself beforehand")
  }
  variables <- vapply(variables, as.character, "")
  terms <- lapply(seq_along(attr(said, "order")), function(i) variables[attr(said, "factors")[, i] > 0])
  if (any(lengths(terms) > 2)) {
    refuse("a formula crosses two columns at most (a:b)")
  }
  columns <- unlist(terms[lengths(terms) == 1])
  crosses <- terms[lengths(terms) == 2]
  absent <- setdiff(c(columns, unlist(crosses)), names)
  if (length(absent) > 0) {
    refuse("the formula has \"", absent[1], "\", which is no column to learn from; these are ",
           paste(setdiff(names, found), collapse = ", "))
  }
  if (length(setdiff(unlist(crosses), columns)) > 0) {
    refuse("a cross needs its columns beside it; write a*b, or a + b + a:b")
  }
  if (length(columns) == 0) {
    refuse("the formula names no column to learn from")
  }
  list(label = found, columns = columns, crosses = crosses, intercept = attr(said, "intercept") == 1)
}

# The schema with the formula's columns alone. With `label ~ .` it stays as it is.
schema_by_formula <- function(schema, formula) {
  content <- schema$content
  learned <- vapply(content$columns, function(column) column$type %in% c("numeric", "categorical"), NA)
  names <- vapply(content$columns[learned], function(column) column$name, "")
  wanted <- parts_of(formula, names, content$label$column)
  if (setequal(wanted$columns, names) && length(wanted$crosses) == 0 && wanted$intercept) {
    return(schema)
  }
  drops <- function(column) column$name %in% setdiff(names, wanted$columns)
  content$columns <- lapply(content$columns, function(column) {
    if (drops(column)) list(name = column$name, type = "ignore") else column
  })
  pair_of <- function(cross) sort(unlist(if (is.null(names(cross))) cross else cross$columns))
  kept <- Filter(function(cross) all(pair_of(cross) %in% wanted$columns), content$crosses)
  new <- Filter(function(pair) !list(sort(pair)) %in% lapply(kept, pair_of), wanted$crosses)
  content$crosses <- c(kept, new)
  if (length(content$crosses) == 0) {
    content$crosses <- NULL
  }
  if (!wanted$intercept) {
    content$intercept <- FALSE
  }
  schema_parse(to_json(content))
}
