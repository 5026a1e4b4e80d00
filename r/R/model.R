# Models: what was released, and what it says.

model_of <- function(handle, call = NULL, formula = NULL, report = NULL, charge = NULL, account = NULL) {
  text <- checked(.Call(r_model_text, handle))
  content <- from_json(text)
  cache <- new.env(parent = emptyenv())
  cache$model <- handle
  structure(list(call = call, formula = formula, text = text, privacy = content$privacy, private = content$private,
                 reason = content$reason, classes = unlist(content$classes), label = content$label, loss = content$loss,
                 evaluation = content$evaluation, report = report, charge = charge,
                 ledger = account[c("path", "dataset")], cache = cache), class = "dperm")
}

read_model <- function(path) model_of(checked(.Call(r_model_read, file_name(path))))

write_model <- function(model, path) {
  checked(.Call(r_model_write, model_handle(model), file_name(path)))
  invisible(model)
}

check_model <- function(model) {
  if (!inherits(model, "dperm")) {
    refuse("a model is what dperm(), tune() or read_model() gives")
  }
  model
}

# What C holds of a model, made again of its text in another session.
model_handle <- function(model) {
  cache <- check_model(model)$cache
  if (!.Call(r_is_open, cache$model)) {
    cache$model <- checked(.Call(r_model_parse, model$text))
    cache$schema <- NULL
  }
  cache$model
}

# The schema that rows were made with: predictions are too.
model_schema <- function(model) {
  cache <- check_model(model)$cache
  if (is.null(cache$schema) || !.Call(r_is_open, cache$schema$handle)) {
    own <- checked(.Call(r_model_schema, model_handle(model)))
    if (is.null(own)) {
      refuse("the model was made of rows of numbers and has no schema: R has records under a schema alone")
    }
    cache$schema <- schema_parse(own)
  }
  cache$schema
}

is_regression <- function(model) !is.null(model$label)

# ---- predictions

predict.dperm <- function(object, newdata, type = NULL, ...) {
  if (missing(newdata)) {
    refuse("newdata is missing: a model keeps no records")
  }
  if (is.null(type)) {
    type <- if (is_regression(object)) "value" else "class"
  }
  known <- if (is_regression(object)) c("value", "score") else c("class", "prob", "score")
  if (!is.character(type) || length(type) != 1 || !type %in% known) {
    refuse("type must be one of ", paste0("\"", known, "\"", collapse = ", "), " for this model")
  }
  records <- records_of(model_schema(object), newdata, labelled = FALSE)
  what <- c(class = "scores", score = "scores", prob = "probabilities", value = "values")[[type]]
  found <- t(checked(.Call(r_model_predict, model_handle(object), records, what)))
  if (type == "class") {
    return(class_of(found, object$classes))
  }
  if (ncol(found) == 1) {
    return(as.vector(found))
  }
  colnames(found) <- object$classes
  found
}

# A positive score of two classes is the second one's, of more the largest score's (of equal ones the first).
class_of <- function(scores, classes) {
  winners <- if (ncol(scores) == 1) 1L + (scores[, 1] > 0) else max.col(scores, ties.method = "first")
  factor(classes[winners], levels = classes)
}

# ---- coefficients

coef.dperm <- function(object, ...) {
  weights <- .Call(r_model_weights, model_handle(object))
  schema <- model_schema(object)
  features <- .Call(r_schema_features, schema$handle)
  if (nrow(weights) == length(features)) { # not of a kernel's random features
    rownames(weights) <- features
  }
  if (is_regression(object)) { # in the label's unit, around the middle of its range; of counts, of their mean's logarithm
    low <- object$label$min
    high <- object$label$max
    counts <- object$loss$name == "poisson"
    weights <- weights * if (counts) 1 else high / 2 - low / 2
    last <- nrow(weights)
    if (identical(features[last], "(intercept)")) {
      weights[last, ] <- weights[last, ] + if (counts) log(high) - 2 else low / 2 + high / 2
    }
  }
  if (ncol(weights) == 1) {
    return(weights[, 1])
  }
  colnames(weights) <- object$classes
  weights
}

explained <- function(model) from_json(checked(.Call(r_model_explain, model_handle(model))))

or_na <- function(value) if (is.null(value)) NA else value

# The released intervals as a data frame; NULL if the fit spent nothing on these.
intervals_of <- function(said) {
  if (is.null(said$intervals)) {
    return(NULL)
  }
  number_of <- function(name) vapply(said$intervals$columns, function(row) as.numeric(or_na(row[[name]])), 0)
  text_of <- function(row) {
    if (is.null(row$value)) paste0(row$name, ", per ", row$per) else paste0(row$name, ": ", row$value, ", not ", row$against)
  }
  data.frame(estimate = number_of("estimate"), std_error = number_of("standard_error"), low = number_of("low"),
             high = number_of("high"), p = number_of("p"), noise_share = number_of("noise_share"),
             refused = vapply(said$intervals$columns, function(row) as.character(or_na(row$refused)), ""),
             row.names = make.unique(vapply(said$intervals$columns, text_of, "")))
}

confint.dperm <- function(object, parm, level = 0.95, ...) {
  found <- intervals_of(explained(object))
  if (is.null(found)) {
    refuse("the model has no intervals: fit it with intervals = \"auto\", for a share of epsilon")
  }
  if (!identical(as.double(level), 0.95)) {
    refuse("the intervals that a model has are of level 0.95")
  }
  found <- as.matrix(found[c("low", "high")])
  colnames(found) <- c("2.5 %", "97.5 %")
  if (missing(parm)) found else found[parm, , drop = FALSE]
}

# Every effect with the privacy noise in it, as a data frame.
effects_of <- function(said) {
  rows <- lapply(said$outputs, function(output) {
    lapply(output$columns, function(column) {
      levels <- c(if (!is.null(column$line)) list(column$line), column$levels)
      do.call(rbind, lapply(levels, function(level) {
        data.frame(class = or_na(output$class), column = column$name, kind = column$kind, level = or_na(level$name),
                   weight = as.numeric(or_na(level$weight)), effect = as.numeric(or_na(level$effect)),
                   noise = as.numeric(or_na(level$noise)), verdict = level$verdict)
      }))
    })
  })
  if (length(rows) > 0) do.call(rbind, unlist(rows, recursive = FALSE)) # none with a kernel
}

summary.dperm <- function(object, ...) {
  said <- explained(object)
  structure(list(model = object, scale = said$scale, effects = effects_of(said), coefficients = intervals_of(said),
                 standing_out = said$standing_out, examined = said$examined), class = "summary.dperm")
}
