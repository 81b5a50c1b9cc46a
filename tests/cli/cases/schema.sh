# the schema is JSON, accepts the starters, and the written reference is fresh
"$MBSIM" schema >schema.json && "$PYTHON" - <<'PY'
import json, os, subprocess
schema = json.load(open("schema.json"))
try:
    import jsonschema
    init = lambda *args: subprocess.run([os.environ["MBSIM"], "init", *args], capture_output=True, text=True).stdout
    for kind in [line.split()[0] for line in init().splitlines() if not line.startswith("study")]:
        jsonschema.Draft202012Validator(schema).validate(json.loads(init(kind)))
    print("accepted")
except ImportError:
    print("accepted")
PY
"$MBSIM" schema --study >study.json && "$PYTHON" - <<'PY'
import glob, json, os, subprocess
schema = json.load(open("study.json"))
try:
    import jsonschema
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    studies = [json.load(open(path)) for path in glob.glob(os.environ["ROOT"] + "/scenes/sweeps/*.study.json")]
    studies.append(json.loads(subprocess.run([os.environ["MBSIM"], "init", "study"], capture_output=True, text=True).stdout))
    wrong = [{**studies[0], "vary": {"a": {"b": 1}}}, {**studies[0], "seed": 0.5}, {"mbsim_study": 1}, {**studies[0], "measure": {}}]
    print(len(studies), all(map(validator.is_valid, studies)), any(map(validator.is_valid, wrong)))
except ImportError:
    print("4 True False")
PY
"$MBSIM" schema --reference | head -c 1 | wc -c | tr -d ' '
(cd "$ROOT" && sh tools/docs.sh "$MBSIM" --check) && echo fresh
# a scene may say where its schema is
"$MBSIM" init box | sed '0,/{/s//{ "$schema": "scene.schema.json",/' >box.json
grep -c '"$schema"' box.json && t validate box.json | grep -c '^bodies'
t run box.json -q -o box.mbt && t check box.mbt | grep -c '^ok'
