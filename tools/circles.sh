#!/bin/sh
# No circles of calls between the files of a folder: the objects' symbols tell who calls whom. Files that are compiled several
# times for several kinds of processors are left out. Argument: the folder of the objects (default: build/release). Exit 1 where there is
# a circle.
set -u
objects=${1:-build/release}
[ -d "$objects/core" ] || { echo "circles: no objects under $objects: make first" >&2; exit 2; }

# objects that a file which is gone has left behind do not count
find "$objects/core" -name '*.o' | sort | while read -r object; do
  source=${object#"$objects/"}
  [ ! -e "${source%.o}.c" ] || echo "$object"
done | xargs nm -A | awk '
  {
    colon = index($0, ":")
    file = substr($0, 1, colon - 1)
    m = split(substr($0, colon + 1), field, " ")
    kind = field[m - 1]; symbol = field[m]
    if (kind ~ /^[TDRBVW]$/) home[symbol] = file
    else if (kind == "U") { wants[++uses] = symbol; who[uses] = file }
    files[file] = 1
  }
  function base(path) { sub(/.*\//, "", path); sub(/\.o$/, ".c", path); return path }
  END {
    for (i = 1; i <= uses; i++) {
      to = home[wants[i]]; from = who[i]
      if (to == "" || to == from || (from, to) in edge) continue
      edge[from, to] = wants[i]
      next_of[from] = next_of[from] " " to
      calls[to]++
    }
    # what nobody left calls goes, until only circles and what they call are left; then the same from the other end
    for (again = 1; again;) {
      again = 0
      for (f in files)
        if (!(f in gone) && calls[f] + 0 == 0) {
          gone[f] = 1; again = 1
          n = split(next_of[f], ends, " ")
          for (i = 1; i <= n; i++) calls[ends[i]]--
        }
    }
    for (again = 1; again;) {
      again = 0
      for (f in files)
        if (!(f in gone)) {
          n = split(next_of[f], ends, " "); left = 0
          for (i = 1; i <= n; i++) left += !(ends[i] in gone)
          if (!left) { gone[f] = 1; again = 1 }
        }
    }
    for (f in files)
      if (!(f in gone)) {
        n = split(next_of[f], ends, " ")
        for (i = 1; i <= n; i++)
          if (!(ends[i] in gone)) { printf "circles: %s calls %s of %s\n", base(f), edge[f, ends[i]], base(ends[i]); bad = 1 }
      }
    if (bad) exit 1
    print "circles: ok"
  }
'
