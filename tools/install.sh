#!/bin/sh
# Installs program, library (also to be loaded, where it was built), Python module, header, pkg-config file, man page, completion, JSON Schema of scenes. Debug information is left out
# of the library and stands apart from the program, where debuggers look for it.
# Arguments: program library DESTDIR PREFIX version, and what else the library is to be linked with.
set -eu
program=$1 library=$2 prefix=$4 version=$5 more=${6:-}
root=$3$prefix

install -d "$root/bin" "$root/lib/pkgconfig" "$root/include" "$root/share/man/man1" \
  "$root/share/bash-completion/completions" "$root/share/mbsim"
install -m 755 "$program" "$root/bin/mbsim"
if [ -e "$program.debug" ]; then
  install -d "$root/bin/.debug"
  install -m 644 "$program.debug" "$root/bin/.debug/mbsim.debug"
fi
install -m 644 "$library" "$root/lib/libmbsim.a"
objcopy --strip-debug "$root/lib/libmbsim.a"
shared=$(dirname "$library")/libmbsim.so.0
if [ -e "$shared" ]; then
  install -m 644 "$shared" "$root/lib/libmbsim.so.$version"
  objcopy --strip-debug "$root/lib/libmbsim.so.$version"
  ln -sf "libmbsim.so.$version" "$root/lib/libmbsim.so.0"
  ln -sf libmbsim.so.0 "$root/lib/libmbsim.so"
  install -d "$root/share/mbsim/python"
  install -m 644 tools/python/mbsim.py "$root/share/mbsim/python/mbsim.py"
fi
install -m 644 core/mbsim.h "$root/include/mbsim.h"
"$program" help man >"$root/share/man/man1/mbsim.1"
"$program" schema >"$root/share/mbsim/scene.schema.json"
"$program" help bash >"$root/share/bash-completion/completions/mbsim"
cat >"$root/lib/pkgconfig/mbsim.pc" <<PC
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: mbsim
Description: Simulation of multibody systems and deformables
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lmbsim -pthread -lcjson -lmuparser -lexpat -lz -lmetis -ldl -lm${more:+ $more}
PC
chmod 644 "$root/share/man/man1/mbsim.1" "$root/share/bash-completion/completions/mbsim" \
  "$root/lib/pkgconfig/mbsim.pc" "$root/share/mbsim/scene.schema.json"
echo "installed mbsim $version below $root"
