# a model becomes a scene, what cannot be said is listed, and the scene runs
cp "$ROOT/tests/models/actuators.xml" "$ROOT/tests/models/arm.urdf" .
cp -r "$ROOT/tests/models/meshes" .
t import actuators.xml -o actuators.json
cat actuators.json
t run actuators.json -d 0.1 -q
t import actuators.xml -o actuators.json
# meshes are named from the scene's folder
mkdir -p out models && mv meshes models/
t import arm.urdf --package-path . -o out/arm.json
grep -o '"file": "[^"]*"' out/arm.json
t validate out/arm.json | grep -v "^memory"
t import arm.urdf -o none.json
# with --strict nothing that is left out gets by
sed 's/<worldbody>/<option density="1.2"\/><worldbody>/' actuators.xml >air.xml
t import air.xml --strict -o air.json
t import air.xml -o air.json
grep -A 2 _left_out air.json
# a model runs as it is; info and validate say what it is
t run air.xml -d 0.1 -q
"$MBSIM" info air.mbt | grep "imported from"
t validate air.xml | head -n 3
t info air.xml | head -n 3
"$MBSIM" export air.mbt -c joint.position --frames -1 | tail -n 1 | cut -d . -f 1
# what is no model
echo '<mujoco><worldbody><bdy/></worldbody></mujoco>' >wrong.xml
t import wrong.xml -o wrong.json
t run wrong.xml
echo '<!DOCTYPE a [<!ENTITY x "y">]><mujoco/>' >bomb.xml
t import bomb.xml -o bomb.json
t import none.xml
mkfifo pipe && t import pipe
ls
