# Sourced by scripts of programs that take only some Pythons. find_python LEAST MOST (minor versions of Python 3): prints the newest that is
# here and has ssl and sqlite3; fails where there is none.
find_python() {
	local minor p
	for minor in $(seq "$2" -1 "$1") ''; do
		for p in "python3${minor:+.$minor}" ${minor:+"$HOME"/.pyenv/versions/3."$minor".*/bin/python3}; do
			if "$p" -c "import sys, ssl, sqlite3; sys.exit(not (3, $1) <= sys.version_info[:2] <= (3, $2))" 2>/dev/null; then
				echo "$p"
				return
			fi
		done
	done
	return 1
}
