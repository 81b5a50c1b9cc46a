#!/bin/sh
# The include law: cli -> io, gpu, core; io -> core; gpu -> core; inside core only downward. Also: nothing below cli/ prints or exits, file
# names are unique, a scheme has no loop or matrix of its own but is made of stages, what moves nodes of elements is called by no name
# outside its folder and gpu/, and a file of more than 200 lines says at its head what it is about; what the dictionary of
# core/README.md names is there. Argument: the root of the tree (default: here). Exit 1 when the law is broken.
set -u
cd "${1:-.}" || exit 2
sources=$(find cli core io gpu -name '*.[ch]' | sort)
bad=0

# shellcheck disable=SC2086
awk '
  function fault(text) { printf "layers: %s:%d: %s\n", FILENAME, FNR, text; bad = 1 }

  # The part of the tree that a path is in: cli, io, gpu, core/<folder>, or core (files directly in it).
  function layer_of(path,   p, n) {
    n = split(path, p, "/")
    return p[1] == "core" && n > 2 ? "core/" p[2] : p[1]
  }

  function allowed(from, to, path) {
    if (path == "core/mbsim.h" || from == to) return 1
    if (from == "core") return to ~ /^core\/base$/
    if (from == "cli") return 1
    if (from == "io" || from == "gpu") return to ~ /^core/
    if (!(from in rank) || !(to in rank)) return 0
    if (from == "core/collision") return to == "core/base" || to == "core/math" # geometry alone
    if (to == "core/collision") return from == "core/sim"
    return rank[to] < rank[from]
  }

  BEGIN {
    n = split("base math sparse model deformables kinds compile integrators solvers contact sim", order, " ")
    for (i = 1; i <= n; i++) rank["core/" order[i]] = i
    k = split("joints forces constraints collision", kinds, " ")
    for (i = 1; i <= k; i++) rank["core/" kinds[i]] = rank["core/kinds"]
    delete rank["core/kinds"]
  }

  FNR == 1 {
    from = layer_of(FILENAME)
    name = FILENAME
    sub(/.*\//, "", name)
    if (name in seen) fault("the file name is taken by " seen[name])
    seen[name] = FILENAME
    if (from ~ /^core\// && !(from in rank)) fault("unknown folder " from)
    comment = 0
  }

  /^[ \t]*#[ \t]*include[ \t]*"/ {
    path = $0
    sub(/^[^"]*"/, "", path)
    sub(/".*/, "", path)
    if (path !~ /\//) fault("includes are written from the root: \"" path "\"")
    else if (FILENAME == "core/mbsim.h") fault("the public header includes nothing of ours")
    else if (!allowed(from, layer_of(path), path)) fault(from " must not include " path)
    next
  }

  # what moves nodes of elements is reached by the table of passes alone
  /(^|[^A-Za-z0-9_])(mb_pd_|MbPd[A-Z])/ && FILENAME !~ /^(core\/solvers\/projective|gpu)\// {
    fault("outside core/solvers/projective what moves nodes has no name: it is in MbPassOps (core/model/ops.h)")
  }

  FILENAME ~ /core\/sim\/scheme_[a-z0-9]*\.c$/ && /solver->(factor|apply|accelerate|momentum)\(/ {
    fault("a scheme is made of stages (core/sim/stage.c)")
  }

  from != "cli" {
    line = $0
    gsub(/"([^"\\]|\\.)*"/, "\"\"", line) # texts
    if (comment && line ~ /\*\//) { sub(/.*\*\//, "", line); comment = 0 }
    if (comment) next
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
    if (line ~ /\/\*/) { sub(/\/\*.*/, "", line); comment = 1 }
    sub(/\/\/.*/, "", line)
    if (match(line, /(^|[^A-Za-z0-9_.>])(printf|vprintf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|abort)[ \t]*\(/))
      fault("nothing below cli/ prints, exits or aborts")
    if (match(line, /(^|[^A-Za-z0-9_.>])(malloc|calloc|realloc|strdup|strndup)[ \t]*\(/) && FILENAME !~ /^core\/base\/alloc\.c$/)
      fault("memory comes through core/base/alloc.h")
    if (line ~ /(^|[^A-Za-z0-9_])(stdout|stderr)([^A-Za-z0-9_]|$)/) fault("nothing below cli/ knows stdout or stderr")
  }

  END {
    if (bad) exit 1
  }
' $sources || bad=1

for file in $(find cli core io gpu tests tools -name node_modules -prune -o -name '*.[ch]' -print 2>/dev/null | sort); do
  [ "$(wc -l <"$file")" -gt 200 ] || continue
  head -n 1 "$file" | grep -q '^//' && continue
  echo "layers: $file: more than 200 lines, and nothing says at its head what they are about"
  bad=1
done
# the dictionary says where a formula stands
dead=$(grep -oE '`[a-z_]+` in `[a-z_/]+\.[ch]`' core/README.md 2>/dev/null | tr -d '`' | while read -r name _ file; do
  grep -qw "$name" "core/$file" 2>/dev/null || echo "layers: core/README.md: core/$file has no $name"
done)
[ -z "$dead" ] || { echo "$dead"; bad=1; }
[ "$bad" = 0 ] || exit 1
echo "layers: ok"
