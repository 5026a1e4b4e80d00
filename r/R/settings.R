# Settings of a fit as the library's options: the words and defaults of the command.

share <- function(name, value) {
  if (identical(value, "auto")) {
    return(NaN)
  }
  if (is.null(value) || identical(value, "none")) {
    return(0)
  }
  if (number(name, value) >= 1) {
    refuse(name, " must be a share of epsilon above 0 and below 1, \"auto\" or NULL")
  }
  as.double(value)
}

or_nan <- function(name, value, ...) if (is.null(value) || identical(value, "auto")) NaN else number(name, value, ...)

class_weights_of <- function(weights) {
  if (!is.numeric(weights) || is.null(names(weights)) || !all(nzchar(names(weights)))) {
    refuse("class_weights must be public numbers by class, such as c(low = 1, high = 3)")
  }
  setNames(as.double(weights), names(weights))
}

loss_of <- function(loss, h, quantile) {
  if (!is.null(loss)) {
    choice("loss", loss)
  }
  if (!is.null(quantile) && !identical(loss, "quantile")) {
    refuse("quantile is for loss = \"quantile\"")
  }
  list(loss, or_nan("h", h), if (identical(loss, "quantile")) or_nan("quantile", quantile) else NaN)
}

# Of bins and refine: what numeric columns become, and for what share of epsilon.
columns_of <- function(bins, refine) {
  asking <- identical(refine, "ask")
  if (is.null(refine)) {
    refine <- "none"
  }
  list(bins = if (!is.null(bins)) choice("bins", bins, without = "ask") else
                 if (identical(refine, "none")) choice("bins", "none") else choice("bins", "ask"),
       refine = if (asking) 0 else share("refine", refine))
}

settings <- function(epsilon, delta = 0, loss = NULL, h = NULL, quantile = NULL, lambda = NULL, bins = NULL,
                     refine = "ask", pairs = "auto", intervals = NULL, calibrate = NULL, evaluate = NULL,
                     class_weights = NULL, multiclass = "auto", kernel = NULL, gamma = NULL, features = NULL,
                     mechanism = "objective", noise = "auto", analysis = "tight", delta_reg = NULL, norm_guess = NULL,
                     neighbours = "replace", rows_about = NULL, rows_per_person = 1, threads = NULL) {
  noisy <- !identical(mechanism, "none")
  if (noisy && is.null(epsilon)) {
    refuse("epsilon is missing: it has no default, the choice is yours")
  }
  if (!noisy && !is.null(epsilon)) {
    refuse("epsilon does not go with mechanism = \"none\"; leave it out")
  }
  adding <- identical(neighbours, "add-remove")
  if (adding != !is.null(rows_about)) {
    refuse(if (adding) "neighbours = \"add-remove\" needs rows_about: how many records there are is private then, and a public figure stands for it"
           else "rows_about is for neighbours = \"add-remove\"; else the rows are counted, and their number is public")
  }
  if (!is.null(kernel) && (is.null(gamma) || is.null(features))) {
    refuse("a kernel needs gamma and features")
  }
  made <- c(list(mechanism = choice("mechanism", mechanism), delta = number("delta", delta, strict = FALSE),
                 analysis = choice("analysis", analysis), noise = choice("noise", noise),
                 multiclass = choice("multiclass", multiclass), neighbours = choice("neighbours", neighbours),
                 rows_per_person = whole("rows_per_person", rows_per_person),
                 lambda = or_nan("lambda", lambda), delta_reg = or_nan("delta_reg", delta_reg, strict = FALSE),
                 norm_guess = or_nan("norm_guess", norm_guess), loss = loss_of(loss, h, quantile),
                 pairs = share("pairs", pairs), intervals = share("intervals", intervals),
                 calibrate = share("calibrate", calibrate)), columns_of(bins, refine))
  if (noisy) {
    made$epsilon <- number("epsilon", epsilon)
  }
  if (!is.null(evaluate)) {
    made$evaluate <- share("evaluate", evaluate)
  }
  if (adding) {
    made$rows_about <- whole("rows_about", rows_about)
  }
  if (!is.null(class_weights)) {
    made$class_weights <- class_weights_of(class_weights)
  }
  if (!is.null(threads)) {
    made$threads <- whole("threads", threads)
  }
  if (!is.null(kernel)) {
    made[c("kernel", "gamma", "features")] <-
      list(choice("kernel", kernel, without = "none"), number("gamma", gamma), whole("features", features, 2))
  }
  made
}

# Candidates of a choice: all combinations, in the command's order. A loss without h takes part in the first h only.
candidates_of <- function(epsilon, ...) {
  given <- list(...)
  grid <- lapply(c("loss", "h", "lambda", "gamma", "features"), function(name) {
    values <- given[[name]]
    if (anyDuplicated(values)) {
      refuse(name, " has ", format(values[duplicated(values)][1]), " twice; each candidate costs rows")
    }
    if (is.null(values)) list(NULL) else as.list(values)
  })
  names(grid) <- c("loss", "h", "lambda", "gamma", "features")
  places <- do.call(expand.grid, rev(lapply(grid, seq_along)))[names(grid)]
  made <- lapply(seq_len(nrow(places)), function(i) {
    one <- Map(function(values, at) values[[at]], grid, places[i, ])
    bare <- !is.null(one$loss) && is.nan(checked(.Call(r_loss_h, one$loss)))
    if (bare && places$h[i] > 1) {
      return(NULL)
    }
    if (bare) {
      one$h <- NULL
    }
    do.call(settings, c(list(epsilon), one[!vapply(one, is.null, NA)], given[setdiff(names(given), names(grid))]))
  })
  made <- made[!vapply(made, is.null, NA)]
  if (length(made) == 1) {
    refuse("one candidate leaves nothing to choose, and a choice takes rows from its fit; give several, such as ",
           "lambda = c(0.01, 0.1), or use dperm()")
  }
  made
}
