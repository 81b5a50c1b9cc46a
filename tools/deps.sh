#!/bin/sh
# Installs what is missing of the groups named (build, test, dev, view, cluster) with apt, silently when all is there, and the viewer's
# packages with npm. Elsewhere it says what to install.
set -eu

build='gcc make pkg-config libc6-dev libcjson-dev libmuparser-dev libexpat1-dev zlib1g-dev liblapacke-dev libopenblas-dev libmetis-dev'
tests='libcriterion-dev python3 python3-numpy python3-jsonschema'

# The package of clang's runtime (libFuzzer, sanitizers) for the clang that is or would be installed; nothing
# where clang brings it along.
clang_runtime() {
  version=$(clang --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)\..*/\1/p' | head -n 1)
  [ -n "$version" ] ||
    version=$(apt-cache depends clang 2>/dev/null | sed -n 's/^ *Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
  package=libclang-rt-$version-dev
  if dpkg-query -W "$package" >/dev/null 2>&1 || apt-cache show "$package" >/dev/null 2>&1; then echo "$package"; fi
}

# Node, unless some other one is there; mbsim builds without it, but for the page of `view`.
command -v node >/dev/null && command -v npm >/dev/null || build="$build nodejs npm"

# The page's libraries, at the versions of tools/viewer/package-lock.json.
viewer_packages() {
  viewer=$(dirname "$0")/viewer
  [ "$viewer/node_modules/.package-lock.json" -nt "$viewer/package-lock.json" ] && return
  command -v npm >/dev/null || return 0
  echo "installing: packages of $viewer"
  npm ci --prefix "$viewer" --loglevel=error >/dev/null 2>&1 ||
    echo "npm cannot bring the packages of $viewer: mbsim is built without the page of 'view'" >&2
}

wanted=
for group in "$@"; do
  case $group in
  build) wanted="$wanted $build" ;;
  test) wanted="$wanted $tests" ;;
  dev) wanted="$wanted clang clang-format valgrind dev-runtime" ;;
  view) wanted="$wanted chromium python3-vtk9" ;;
  cluster) wanted="$wanted slurmctld slurmd slurm-client munge openmpi-bin parallel python3 iproute2 procps" ;;
  *) echo "deps.sh: unknown group \"$group\" (build, test, dev, view, cluster)" >&2 && exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This is no system with apt. To be installed, by their names there:"
  for package in $wanted; do [ "$package" = dev-runtime ] || echo "  $package"; done
  viewer_packages
  echo "that is: a C compiler, make, pkg-config, cJSON, muParser (its C interface), expat, zlib, LAPACKE, METIS, Node with npm; Criterion, NumPy for tests"
  exit 0
fi

missing=
for package in $wanted; do
  if [ "$package" = dev-runtime ]; then
    package=$(clang_runtime)
    [ -n "$package" ] || continue
  fi
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
  viewer_packages
  exit 0
fi

echo "installing:$missing"
sudo=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "not root, and no sudo: install these by hand" >&2 && exit 1; }
  sudo=sudo
fi
install() {
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
}
# the lists of a fresh image are empty or old
install 2>/dev/null || { $sudo apt-get update -qq && install; }
viewer_packages
