# where the system refuses threads the caller does their work, and says so; an OpenBLAS that starts threads of its own before
# main() has to be told not to
dir=$(mktemp -d) && chmod 755 "$dir" && cp "$MBSIM" "$dir/mbsim" && mkdir -m 777 "$dir/out"
cat >"$dir/bar.json" <<'JSON'
{ "mbsim": 1, "time": { "step": 0.01, "steps": 3 }, "integrator": "implicit",
  "solver": { "type": "projective", "threads": 4 },
  "deformables": [ { "name": "bar", "type": "tets", "mesh": { "box": [5, 5, 13], "size": [0.2, 0.2, 0.6] },
    "material": { "model": "neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000 }, "pin": [ { "select": { "side": "-z" } } ] } ] }
JSON
[ "$MBSIM_FLAVOUR" = asan ] && ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # which needs a thread

# The limit on threads does not hold for root, who becomes another user.
alone() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid=65534 --clear-groups bash -c 'ulimit -u 1 && exec "$@"' - "$@"
  else
    bash -c 'ulimit -u 1 && exec "$@"' - "$@"
  fi
}
OPENBLAS_NUM_THREADS=1 alone "$dir/mbsim" run "$dir/bar.json" -q -o "$dir/out/one.mbt" 2>&1 | sed "s|$dir|DIR|"
"$dir/mbsim" run "$dir/bar.json" -q -o "$dir/out/four.mbt"
"$dir/mbsim" hash "$dir/out/one.mbt" "$dir/out/four.mbt" | cut -d' ' -f1 | uniq | wc -l

rm -rf "$dir"
