# The library inside of programs of others: loaded and unloaded while they run.
load helpers

@test "unloaded after a fit with threads and loaded again, it works" {
  [ -z "$(nm -D "$DPERM_BUILD"/libdperm.so | grep __asan_init || true)" ] || skip "sanitizers must be loaded first"
  run timeout 3000 "$RELOAD_HOST" "$DPERM_BUILD/libdperm.so" 3
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}
