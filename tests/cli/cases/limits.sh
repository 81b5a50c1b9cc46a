# where the system refuses threads the caller does their work, and says so; OpenBLAS starts no threads of its own, and where there
# is no memory for it, or no LAPACKE, that is an error
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
alone "$dir/mbsim" run "$dir/bar.json" -q -o "$dir/out/one.mbt" 2>&1 | sed "s|$dir|DIR|"
"$dir/mbsim" run "$dir/bar.json" -q -o "$dir/out/four.mbt"
"$dir/mbsim" hash "$dir/out/one.mbt" "$dir/out/four.mbt" | cut -d' ' -f1 | uniq | wc -l

# Address space for the program, but not for OpenBLAS, which would try for ever. Sanitizers take more than that for themselves.
within() { # KIBIBYTES FILE
  (ulimit -v "$1" && timeout 60 "$dir/mbsim" run "$dir/bar.json" --threads 1 -q -o "$dir/out/$2") 2>&1 | sed "s|$dir|DIR|"
  [ -e "$dir/out/$2" ] && echo "there is $2"
}
if [ "$MBSIM_FLAVOUR" = asan ]; then
  sed -n '/memory/p; /there is/p' "$TESTS/cases/limits.out"
else
  within 200000 none.mbt
  within 700000 some.mbt
fi

# Files that are no libraries stand in the way of LAPACKE.
mkdir "$dir/broken"
for file in liblapacke.so.3 liblapacke.so libopenblas.so.0 libopenblas.so; do echo >"$dir/broken/$file"; done
LD_LIBRARY_PATH=$dir/broken "$dir/mbsim" run "$dir/bar.json" --threads 1 -q -o "$dir/out/broken.mbt" 2>&1 | sed "s|$dir|DIR|g"
LD_LIBRARY_PATH=$dir/broken "$dir/mbsim" validate "$dir/bar.json" >/dev/null 2>&1 || echo "exit $?"

rm -rf "$dir"
