#!/bin/sh
# Builds of one function for several processors (core/base/targets.h) come to the same bits: none of them fuses a product with a sum. The
# argument is a program that has them all.
fused=$(objdump -d --no-show-raw-insn "$1" | awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } name ~ /\.arch_x86_64_v/ && /vfn?m(add|sub)/ { print name }' | sort -u)
[ -z "$fused" ] && echo "fused: none" && exit
printf 'fused: the compiler fuses products with sums in\n%s\n' "$fused"
exit 1
