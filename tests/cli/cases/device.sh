"$MBSIM" init box -o box.json
t run box.json --device cuda
t run box.json --set '/solver={"type":"redmax","device":"cuda"}'
t run box.json -q --device auto -d 0.01
t run box.json -q --device cpu -d 0.01 -f --set '/solver={"type":"redmax","device":"cuda"}'
ls
