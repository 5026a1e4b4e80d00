# Calls into C, and what they fail with: errors of R's with the library's own sentence.

# An error without the call, which says nothing to a user.
refuse <- function(..., class = character()) {
  stop(structure(class = c(class, "dperm_error", "error", "condition"),
                 list(message = paste0(...), call = NULL)))
}

# What a routine of the glue gave back, unless it is a failure. `adapt` may say the sentence in R's terms.
checked <- function(found, adapt = identity) {
  if (!inherits(found, "dperm_failure")) {
    return(found)
  }
  status <- attr(found, "status")
  if (status == "cancelled") { # by Ctrl-C, which the library noticed
    signalCondition(structure(class = c("interrupt", "condition"), list(message = "interrupted", call = NULL)))
    invokeRestart("abort")
  }
  refuse(adapt(as.vector(unclass(found))),
         class = if (status == "refused by the privacy budget") "dperm_budget_error" else character())
}

# The words for the values of an enum of the library's, as dperm.h lists these.
words <- function(list) {
  which <- c(analysis = 0L, bins = 1L, kernel = 3L, mechanism = 4L, multiclass = 5L, neighbours = 6L, rounds = 7L,
             selector = 8L, tune_method = 10L, loss = -1L, noise = -2L)
  .Call(r_words, which[[list]])
}

# The number of a word.
choice <- function(name, value, list = name, without = character()) {
  known <- words(list)
  if (!is.character(value) || length(value) != 1 || !value %in% setdiff(known, without)) {
    refuse(name, " must be one of ", paste0("\"", setdiff(known, without), "\"", collapse = ", "))
  }
  match(value, known) - 1L
}

# A finite number above `least`, or from it on.
number <- function(name, value, least = 0, strict = TRUE) {
  if (!is.numeric(value) || is.object(value) || length(value) != 1 || !is.finite(value) || value < least ||
      (strict && value == least)) {
    refuse(name, " must be a number", if (strict) " above " else " from ", format(least), if (!strict) " on")
  }
  as.double(value)
}

whole <- function(name, value, least = 1) {
  if (!is.numeric(value) || is.object(value) || length(value) != 1 || !is.finite(value) || value != round(value) ||
      value < least || value > 2^53) {
    refuse(name, " must be a whole number from ", format(least), " on")
  }
  as.double(value)
}

one_text <- function(name, value) {
  if (!is.character(value) || length(value) != 1 || is.na(value) || !nzchar(value)) {
    refuse(name, " must be a text")
  }
  value
}

file_name <- function(path, name = "a file") path.expand(one_text(name, path))
