#!/usr/bin/env bash
# Asks a running robot as the official clients of OpenAI and of the Model Context Protocol do, then as a public client made from its
# openapi.json (schemathesis), which a public validator has found valid. Take a simulated robot: the requests move, stop, record and delete.
#   cross/http-suite.sh URL [EXAMPLES]   EXAMPLES: generated requests for each route, default 20; 140 make more than 10 000 requests in all
# The clients come through pip into the user's cache. Exit code 1: a fault of the server, or an answer that its own document does not allow.
set -eu
url=${1:?URL of the robot, such as http://127.0.0.1:8000}
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
venv=$cache/http-clients
if ! "$venv/bin/python" -c "import schemathesis, openai, mcp, zeroconf, openapi_spec_validator" 2>/dev/null; then
	python3 -m venv "$venv"
	"$venv/bin/pip" install -q schemathesis==4.32.5 openai==3.54.0 mcp==2.3.0 zeroconf openapi-spec-validator==0.7.2 || { rm -rf "$venv"; echo "http-suite.sh: NOT TESTED: the clients cannot be had" >&2; exit 0; }
fi
"$venv/bin/python" - "$url" <<'EOF'
import json, sys, urllib.request
if json.load(urllib.request.urlopen(sys.argv[1] + "/api/v1/robot/state")).get("estop"):
    sys.exit("http-suite.sh: the robot is stopped, as an earlier run leaves it, with tools switched off: begin with a new one (reachyd run --sim --data-dir with an empty directory)")
from openapi_spec_validator import OpenAPIV31SpecValidator, validate
document = json.load(urllib.request.urlopen(sys.argv[1] + "/openapi.json"))
validate(document, cls=OpenAPIV31SpecValidator)
print("openapi.json: valid OpenAPI", document["openapi"] + ",", sum(len(p) for p in document["paths"].values()), "operations")
EOF
"$venv/bin/python" "$(dirname "$0")/openai-client.py" "$url"
"$venv/bin/python" "$(dirname "$0")/mcp-client.py" "$url"
# Last: it leaves the robot stopped, without motors and with tools switched off.
"$venv/bin/schemathesis" --config-file "$(dirname "$0")/schemathesis.toml" run "$url/openapi.json" --phases coverage,fuzzing --max-examples "${2:-20}" --request-timeout 30 --continue-on-failure --no-color \
	--checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,unsupported_method,negative_data_rejection \
	--exclude-path-regex '/events$|/ws/' # streams do not end
