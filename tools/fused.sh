#!/bin/sh
# Builds of one function for several processors (core/base/targets.h) come to the same bits: none of them fuses a product with a sum. The
# argument is a program that has them all.
objdump -d --no-show-raw-insn "$1" | awk '
  /^[0-9a-f]+ <.*>:$/ { name = $2; if (name ~ /\.arch_x86_64_v/) built++ }
  name ~ /\.arch_x86_64_v/ && /vfn?m(add|sub)/ && name != last { print "fused: the compiler fuses products with sums in " name; last = name; fused++ }
  END {
    if (!built) print "fused: no function is there for several processors"
    else if (!fused) print "fused: none"
    exit !built || fused > 0
  }'
