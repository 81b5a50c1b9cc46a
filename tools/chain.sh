#!/bin/sh
# Prints a scene: a chain of boxes on revolute joints. Argument: how many.
set -eu
awk -v n="$1" 'BEGIN {
  print "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, \"bodies\": ["
  for (i = 0; i < n; i++) {
    parent = i ? sprintf("\"parent\": \"link%d\", ", i - 1) : ""
    printf "{\"name\": \"link%d\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 1]}, \"density\": 1000, \"joint\": " \
      "{\"type\": \"revolute\", %s\"axis\": [0, 1, 0], \"in_parent\": {\"position\": [0, 0, -0.5]}, " \
      "\"in_body\": {\"position\": [0, 0, 0.5]}}}%s\n", i, parent, i < n - 1 ? "," : ""
  }
  print "]}"
}'
