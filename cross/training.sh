# To be sourced by a script that trains a network, with $part (its folder in the cache) and $packages (those of Python beside torch and
# numpy, with their versions): goes to the repository ($here), waits until no other such script works in $work, and makes a $python that has
# the packages. $minilm and $smollm are models that must be there, or may be.
here=$(cd "$(dirname "$0")/.." && pwd)
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
work=$cache/$part
minilm=$cache/models/all-minilm-l6-v2-int8.safetensors
smollm=$cache/models/smollm2-135m-instruct-q4_1.gguf
fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

[ -f "$minilm" ] || fail "there is no $minilm: make models MODELS=minilm"
mkdir -p "$work"
exec 9>"$work/lock"
flock 9
python=$work/venv/bin/python
[ -x "$python" ] || python3 -m venv "$work/venv" || fail "python3 has no venv (apt-get install python3-venv)"
packages=(torch==2.15.0 numpy "${packages[@]}")
"$python" -c "import $(IFS=,; echo "${packages[*]%%==*}")" 2>/dev/null ||
	"$work/venv/bin/pip" install -q "${packages[@]}" || fail "pip could not install ${packages[*]}"
cd "$here"
