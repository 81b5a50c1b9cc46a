# the examples do what their descriptions say
show() { # scene, options of run; then Python on columns by name (lists over frames) in c
  name=$1 expression=$2
  shift 2
  "$MBSIM" run "$ROOT/scenes/redmax/$name.json" -q -f -o s.mbt "$@" && "$MBSIM" export s.mbt -f -o s.csv && "$PYTHON" -c '
import csv, sys
rows = list(csv.reader(open("s.csv")))
c = {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}
print(sys.argv[1], eval(sys.argv[2]))' "$name $*" "$expression"
}
# the weight: m g / (m + I / r^2) with the pinion, and the flywheel times the ratio squared
show gears '"falls at 1/%.0f of g" % (-9.81 * c["time"][-1] / c["weight.joint.velocity"][-1])'
show gears 'abs(c["flywheel.joint.position"][-1] + 2 * c["pinion.joint.position"][-1]) < 1e-9'
# loose, then tight; what the impact takes from the energy
show rope '"tight from %.1f s" % next(t for t, f in zip(c["time"], c["rope.force"]) if f > 0)'
show rope 'max((b - t) ** 2 + z ** 2 for b, t, z in zip(c["ball.position.x"], c["trolley.position.x"], c["ball.position.z"])) < 1.5 ** 2 + 1e-3'
show rope '"energy %.0f, then %.0f J" % (c["energy.total"][0], c["energy.total"][80])'
show cam 'min(c["valve.joint.force"][1:]) > 0'
show cam 'min(c["valve.joint.force"][1:]) > 0' --param rpm=3000
show crane '"rope %.1f m, load at %.0f m" % (c["load.joint.position.2"][-1], c["load.position.z"][-1]), max(c["load.joint.force.2"][1:]) < 0'
show coaster '"rounds: %.0f" % (c["car.joint.position"][-1] / 16), max(map(abs, (e / c["energy.total"][0] - 1 for e in c["energy.total"]))) < 1e-5'
show coaster 'max(c["car.joint.position"]) < 7, min(c["car.joint.velocity"]) < 0' --param speed=1
show robot_arm '"off the posture at 2 s by %.1f" % abs(c["upper arm.joint.position"][200] - 0.9)'
show robot_arm '"off the posture at 2 s by %.1f" % abs(c["upper arm.joint.position"][200] - 0.9)' --param load=40
show suspension '"bump %.0f mm, the body %.0f mm" % (1e3 * max(c["road.joint.position"]), 1e3 * max(c["car.joint.position"]))'
show suspension '"arms alike to", max(abs(a - b) for a, b in zip(c["lower arm.joint.position"], c["upper arm.joint.position"])) < 1e-6'
show pulleys 'max(c["right.position.z"]) < 0 < c["right.joint.position"][-1]'
show elbow '"bends to %.1f rad" % c["forearm.joint.position"][-1]'
