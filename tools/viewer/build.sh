#!/bin/sh
# Makes the page, or an empty one where there is nothing to make it with. Argument: the file to write.
set -eu
page=$1
here=$(dirname "$0")
if command -v node >/dev/null && [ -e "$here/node_modules/esbuild" ] && [ -e "$here/node_modules/three" ]; then
  node "$here/build.mjs" "$page.new"
  mv "$page.new" "$page"
else
  echo "  no node, or no packages of $here: mbsim is built without the page of 'view' (make deps)" >&2
  : >"$page"
fi
