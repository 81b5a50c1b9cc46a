# joints, drives and constraints that are wrong: each message says what of which body
scene() { # joint of a, more members
  cat >s.json <<JSON
{ "mbsim": 1, "time": { "step": 0.01, "duration": 1 }, "bodies": [
  { "name": "a", "shape": { "type": "sphere", "radius": 0.1 }, "mass": 1, $1 } ]$2 }
JSON
  t run s.json -q -f
}
hinge='"type": "revolute", "axis": [0, 1, 0], "in_body": { "position": [0, 0, 1] }'
scene "\"joint\": { $hinge, \"limits\": [1, -1] }"
scene "\"joint\": { $hinge, \"limits\": [-1, 1], \"position\": 1.5 }"
scene "\"joint\": { $hinge, \"parent\": \"a\" }"
scene "\"joint\": { $hinge }, \"pose\": { \"position\": [0, 0, 1] }"
scene "\"joint\": { $hinge, \"motor\": { \"target\": 1 } }"
scene "\"joint\": { $hinge, \"motor\": { \"target\": \"=sqrt(0.5-t)\", \"stiffness\": 10 } }"
scene "\"joint\": { $hinge, \"force\": \"=1/(t-0.5)\" }"
scene "\"joint\": { $hinge, \"motion\": { \"position\": \"=sqrt(0.5-t)\" } }"
scene "\"joint\": { $hinge, \"motion\": { \"position\": \"=3*t\" }, \"limits\": [-1, 1] }"
ends() { echo "\"between\": [ { \"body\": \"world\", \"at\": $1 }, { \"body\": \"$2\" } ]"; }
scene "\"damping\": 0" ", \"constraints\": [ { \"type\": \"distance\", \"rope\": true, $(ends '[0, 0, 0]' a) } ]"
scene "\"damping\": 0" ", \"constraints\": [ { \"type\": \"distance\", \"length\": 0, $(ends '[0, 0, 1]' a) } ]"
scene "\"joint\": { $hinge }" ", \"constraints\": [ { \"type\": \"point\", $(ends '[0, 0, 1]' ab) } ]"
scene "\"joint\": { $hinge }" ", \"constraints\": [ { \"type\": \"point\", \"name\": \"pin\", $(ends '[0.5, 0.2, 0]' a) } ]"
scene "\"damping\": 0" ", \"output\": { \"channels\": [\"joint.force\", \"constraint.error\", \"muscle\", \"energy\"] }"
scene "\"joint\": { $hinge, \"limits\": [-1, 1] }" ", \"output\": { \"channels\": [\"joint.force\", \"constraint.error\"] }"
# coordinates that move a body in the same way: everywhere, and where a gimbal is locked
for joint in '"type": "composite", "joints": [ { "type": "spherical" }, { "type": "euler", "order": "xyz" } ]' '"type": "euler", "order": "xyz", "position": [0, "=pi/2", 0]'; do
  scene "\"joint\": { $joint }" ', "solver": "maximal"'
  scene "\"joint\": { $joint }"
  scene "\"joint\": { $joint }" ', "solver": { "type": "maximal", "project": true }'
done
