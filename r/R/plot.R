# Pictures of a model: the shape of each column's effect, over a band of what the privacy noise does alone. Beside a
# line's cells the band follows the line, so that what is grey lies within it.

blue <- "#20639b"
grey <- "grey60"
band <- "grey92"

color_of <- function(verdict) if (verdict == "grey") grey else blue

plot.dperm <- function(x, columns = NULL, class = NULL, most = 6, ...) {
  said <- explained(x)
  if (is.null(said$outputs)) {
    refuse("a model with a kernel has no shapes to draw")
  }
  output <- output_of(said, class)
  known <- vapply(output$columns, function(column) column$name, "")
  if (is.null(columns)) {
    columns <- known[seq_len(min(most, length(known)))]
  } else if (!all(columns %in% known)) {
    refuse("the model has no column \"", setdiff(columns, known)[1], "\"; it has ", paste(known, collapse = ", "))
  }
  chosen <- output$columns[match(columns, known)]
  panels <- sort(n2mfrow(length(chosen)), decreasing = dev.size()[1] < dev.size()[2])
  before <- par(mfrow = panels, mar = c(2.4, 3.6, 2, 1), oma = c(0, 0, 1.6, 0), mgp = c(2, 0.6, 0), las = 1)
  on.exit(par(before))
  for (column in chosen) {
    cells <- Filter(function(level) is.numeric(level$low), column$levels) # "no value" has no place among numbers
    if (length(cells) > 0 || !is.null(column$line)) {
      column$levels <- cells
      draw_shape(column, said$deviations)
    } else {
      draw_levels(column, said$deviations)
    }
  }
  mtext(paste0("effect on the ", said$scale, if (!is.null(output$class)) paste(" of", output$class)), outer = TRUE)
  invisible(x)
}

output_of <- function(said, class) {
  classes <- vapply(said$outputs, function(output) if (is.null(output$class)) "" else output$class, "")
  if (is.null(class)) {
    return(said$outputs[[1]])
  }
  if (!class %in% classes) {
    refuse("the model has no effects of class \"", class, "\", but of ", paste(classes, collapse = ", "))
  }
  said$outputs[[match(class, classes)]]
}

# ---- numbers

# Where numbers are drawn: as they are, or by the logarithm of 1 + x where the model takes that, or has such bins.
scale_of <- function(column) {
  logs <- identical(column$line$transform, "log1p")
  if (!logs && length(column$levels) > 3 && column$levels[[1]]$low == 0) {
    widths <- vapply(column$levels, function(level) level$high - level$low, 0)
    logs <- max(widths) > 50 * min(widths)
  }
  if (logs) log1p else identity
}

draw_shape <- function(column, deviations) {
  at <- scale_of(column)
  pieces <- if (length(column$levels) == 0) line_pieces(column$line, at, deviations) else cell_pieces(column, at, deviations)
  ends <- c(rbind(pieces$from, pieces$to))
  middle <- c(rbind(pieces$base_left, pieces$base_right))
  reach <- c(rbind(pieces$noise_left, pieces$noise_right))
  effect <- c(pieces$left, pieces$right)
  most <- if (length(column$levels) > 0) within_reach(effect, reach) else reach
  plot(range(ends), range(0, effect, middle + most, middle - most),
       type = "n", xaxt = "n", xlab = "", ylab = "", main = column$name)
  polygon(c(ends, rev(ends)), c(middle + reach, rev(middle - reach)), col = band, border = NA)
  abline(h = 0, col = "grey75")
  joints <- seq_len(nrow(pieces) - 1)
  segments(pieces$to[joints], pieces$right[joints], pieces$to[joints], pieces$left[joints + 1], col = "grey80")
  segments(pieces$from, pieces$left, pieces$to, pieces$right, col = pieces$color, lwd = 3, lend = 1)
  bounds <- range(unlist(lapply(c(list(column$line), column$levels), function(part) c(part$low, part$high))))
  ticks <- if (identical(at, log1p)) c(0, 10^(0:floor(log10(bounds[2])))) else pretty(bounds)
  ticks <- ticks[ticks >= bounds[1] & ticks <= bounds[2]]
  axis(1, at(ticks), format(ticks, scientific = FALSE, trim = TRUE, big.mark = ","))
}

# Half of a line's effect is above the middle and half below, and so is the noise in it.
line_pieces <- function(line, at, deviations) {
  ends <- at(c(line$low, line$high))
  half <- line$effect / 2
  reach <- deviations * or_zero(line$noise) / 2
  data.frame(from = c(ends[1], mean(ends)), to = c(mean(ends), ends[2]), left = c(-half, 0), right = c(0, half),
             base_left = 0, base_right = 0, noise_left = c(reach, 0), noise_right = c(0, reach), color = color_of(line$verdict))
}

# Each cell by itself, on what the line adds there, if there is one.
cell_pieces <- function(column, at, deviations) {
  number_of <- function(name) vapply(column$levels, function(cell) or_zero(cell[[name]]), 0)
  low <- at(number_of("low"))
  high <- at(number_of("high"))
  rise <- function(place) or_zero(column$line$effect) * ((place - min(low)) / (max(high) - min(low)) - 0.5)
  reach <- deviations * number_of("noise")
  data.frame(from = low, to = high, left = number_of("effect") + rise(low), right = number_of("effect") + rise(high),
             base_left = rise(low), base_right = rise(high), noise_left = reach, noise_right = reach,
             color = vapply(column$levels, function(cell) color_of(cell$verdict), ""))
}

or_zero <- function(value) if (is.null(value)) 0 else value

# How much of the bands a picture has to hold: one far longer than all effects, of a rare level, runs out of it.
within_reach <- function(effect, reach) pmin(reach, max(2 * abs(effect), median(reach)))

# ---- categories

draw_levels <- function(column, deviations) {
  number_of <- function(name) vapply(column$levels, function(level) or_zero(level[[name]]), 0)
  names <- vapply(column$levels, function(level) level$name, "")
  names <- ifelse(nchar(names) > 18, paste0(substr(names, 1, 17), "\u2026"), names)
  effect <- number_of("effect")
  reach <- deviations * number_of("noise")
  places <- rev(seq_along(names))
  colors <- vapply(column$levels, function(level) color_of(level$verdict), "")
  before <- par(mar = replace(par("mar"), 2, 1 + 0.5 * max(nchar(names))))
  on.exit(par(before))
  most <- within_reach(effect, reach)
  plot(range(0, effect, most, -most), c(0.5, length(names) + 0.5), type = "n", yaxt = "n", xlab = "", ylab = "",
       main = column$name)
  rect(-reach, places - 0.4, reach, places + 0.4, col = band, border = NA)
  abline(v = 0, col = "grey75")
  segments(0, places, effect, places, col = colors, lwd = 3, lend = 1)
  points(effect, places, pch = 19, col = colors)
  axis(2, places, names, tick = FALSE)
}
