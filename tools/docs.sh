#!/bin/sh
# Writes the generated parts of documents anew, between their markers. Arguments: the program; with --check
# nothing is written, and the exit code says whether something would change.
set -eu
mbsim=$1 check=${2:-}
end='<!-- end of generated -->'
stale=0

# The document on stdin with the text of file $1 between the markers.
between() {
  awk -v begin="$begin" -v end="$end" -v file="$1" '
    $0 == begin { print; print ""; while ((getline line < file) > 0) print line; print ""; inside = 1; next }
    $0 == end { inside = 0 }
    !inside'
}

# The document $1, whose part is what `mbsim schema` prints with the further arguments.
refresh() {
  document=$1
  shift
  begin="<!-- generated: mbsim schema $* -->"
  grep -qxF -- "$begin" "$document" && grep -qxF -- "$end" "$document" || {
    echo "docs: $document lacks the markers \"$begin\" and \"$end\"" >&2
    exit 1
  }
  work=$(mktemp -d)
  "$mbsim" schema "$@" >"$work/part"
  between "$work/part" <"$document" >"$work/document"
  if cmp -s "$work/document" "$document"; then
    :
  elif [ "$check" = --check ]; then
    echo "docs: $document is stale; make docs" >&2
    stale=1
  else
    cat "$work/document" >"$document"
    echo "docs: $document"
  fi
  rm -rf "$work"
}

if [ -e scenes/README.md ]; then refresh scenes/README.md --reference; fi
if [ -e scenes/sweeps/README.md ]; then refresh scenes/sweeps/README.md --study --reference; fi
if [ -e io/models/README.md ]; then refresh io/models/README.md --models; fi
exit $stale
