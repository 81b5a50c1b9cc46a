# the demonstration comes through
ln -s "$ROOT/scenes" scenes 2>/dev/null
sh "$ROOT/tools/demo.sh" "$MBSIM" >out 2>&1 || tail -n 5 out
grep -cE '^(made:|try next:)' out
