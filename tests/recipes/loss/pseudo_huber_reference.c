/* (g + √(g² + h²))/2, g = 1 − z. */
static void pseudo_huber(double h, const mpfr_t z, mpfr_t out) {
  mpfr_t gap;
  mpfr_init2(gap, REFERENCE_BITS);
  mpfr_ui_sub(gap, 1, z, MPFR_RNDN);
  mpfr_set_d(out, h, MPFR_RNDN);
  mpfr_hypot(out, out, gap, MPFR_RNDN);
  mpfr_add(out, out, gap, MPFR_RNDN);
  mpfr_div_2ui(out, out, 1, MPFR_RNDN);
  mpfr_clear(gap);
}
