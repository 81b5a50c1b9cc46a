"$MBSIM" init box -o box.json
t run box.json --device cuda | no_cuda
t run box.json --set '/solver={"type":"redmax","device":"cuda"}' | no_cuda
t run box.json -q --device auto -d 0.01
t run box.json --device auto -d 0.01 -f | grep auto | no_cuda
t run box.json -q --device cpu -d 0.01 -f --set '/solver={"type":"redmax","device":"cuda"}'
ls
# a driver that is made up: the same on every machine, built with CUDA or without
export LD_LIBRARY_PATH="$(dirname "$MBSIM")/fake"
for says in '13000 100 0 0 0' '13000 0 1 90 140' '12040 0 2 70 16' '13000 999 0 0 0'; do
  FAKE_CUDA="$says" "$MBSIM" version | grep '^devices'
  FAKE_CUDA="$says" t run box.json --device cuda | no_cuda
done
# deformables: how much of a device's memory they take, and who computes them where there is none that can be used
cat >sheet.json <<'JSON'
{ "mbsim": 1, "solver": { "type": "projective", "device": "cuda" }, "integrator": "implicit", "time": { "step": 0.01, "steps": 2 },
  "deformables": [ { "name": "sheet", "type": "cloth", "mesh": { "grid": [5, 5], "size": [1, 1] },
    "material": { "thickness": 0.01, "young": 1e5, "poisson": 0.3, "density": 100 } } ] }
JSON
t validate sheet.json 2>&1 | grep -E '^device' | mask
export FAKE_CUDA='13000 0 1 90 140'
t run sheet.json -f | no_cuda
t run sheet.json --device auto -f | grep -E '^! device|exit' | no_cuda
t run sheet.json --device auto --set '/solver/method="newton"' -f | grep -E '^! device|exit' | no_cuda
