# The library inside of programs of others: loaded and unloaded while they run, or built against
# another version of it.
load helpers

@test "unloaded after a fit with threads and loaded again, it works" {
  [ -z "$(nm -D "$DPERM_BUILD"/libdperm.so | grep __asan_init || true)" ] || skip "sanitizers must be loaded first"
  run timeout 3000 "$RELOAD_HOST" "$DPERM_BUILD/libdperm.so" 3
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "a program built against older headers runs" {
  for headers in shorter promised; do
    [ "$("$HOSTS"/"$headers"_host train)" = "private, epsilon 1" ]
    [ "$("$HOSTS"/"$headers"_host tune)" = "private, epsilon 1" ]
    [ "$("$HOSTS"/"$headers"_host plan)" = "200 rows, epsilon 1" ]
  done
}

@test "a program built against a newer header is refused by name, before anything is done" {
  run "$HOSTS"/longer_host train
  [ "$status" -eq 1 ]
  [[ "$output" == *"dperm_options has "*" bytes, and $("$DPERM" --version) knows "*"newer dperm"* ]]
  run "$HOSTS"/longer_host tune
  [ "$status" -eq 1 ]
  [[ "$output" == *"dperm_tune_options has "*"newer dperm"* ]]
  run "$HOSTS"/longer_host plan
  [ "$status" -eq 1 ]
  [[ "$output" == *"dperm_plan has "*"newer dperm"* ]]
}

@test "a program that wants a newer version of the names is refused by the loader, by name" {
  LD_LIBRARY_PATH="$HOSTS/next" run "$HOSTS"/next_version_host
  [ "$status" -eq 0 ]
  [ "$output" = 9.9.0 ]
  LD_LIBRARY_PATH="$DPERM_BUILD" run "$HOSTS"/next_version_host
  [ "$status" -ne 0 ]
  [[ "$output" == *"libdperm.so.0: version \`DPERM_9.9' not found"* ]]
}
