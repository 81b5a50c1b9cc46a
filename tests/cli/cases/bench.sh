t bench -n 3 | sed -E 's/ +[0-9.]+/ N/g' | grep -oE '^(\$.*|!.*| *[a-z0-9_]+ .*|trajectories.*)'
t bench --bodies 3000000
