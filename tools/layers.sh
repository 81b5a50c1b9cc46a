#!/bin/sh
# The include law: cli -> io, gpu, core; io -> core; gpu -> core; inside core only downward. Also: nothing below
# cli/ prints or exits, file names are unique, and a scheme has no loop or matrix of its own: it is made of stages. Argument: the root of the tree (default: here). Exit 1 when
# the law is broken.
set -u
cd "${1:-.}" || exit 2
sources=$(find cli core io gpu -name '*.[ch]' | sort)

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
    print "layers: ok"
  }
' $sources
