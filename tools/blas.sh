#!/bin/sh
# Prints what links LAPACKE and BLAS. Argument: the compiler.
#
# OpenBLAS without threads of its own is taken where Debian's package of it is installed. The usual one starts threads before
# main(), ends the program where the system refuses them, and would never use them here. The flag is an RPATH, not a RUNPATH:
# LAPACKE's own dependencies are looked for there too, and both kinds in one program do not go together.
# It is one word, in which pkg-config changes nothing.
set -eu
serial=/usr/lib/$("${1:-cc}" -print-multiarch 2>/dev/null || true)/openblas-serial
if [ -e "$serial/libblas.so" ]; then
  echo "-llapacke -Wl,--disable-new-dtags,-rpath,$serial,$serial/libblas.so"
else
  echo "-llapacke -lblas"
fi
