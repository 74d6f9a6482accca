#!/bin/sh
# Installs reachyd on a system without Debian's packages, as a systemd service; --remove takes it away again (--purge: with all data).
set -eu
[ "$(id -u)" = 0 ] || { echo "install.sh: run it as root" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
remove() {
	systemctl disable --now reachyd-power-off.path reachyd.service 2>/dev/null || true
	systemctl stop reachyd-body.service reachyd-sense.service 2>/dev/null || true
	while read -r file; do rm -f "/$file"; done <"$1"
	rmdir /usr/lib/systemd/system/reachyd-body.service.d /usr/lib/reachyd /usr/share/doc/reachyd/examples /usr/share/doc/reachyd 2>/dev/null || true
}
list=/usr/lib/reachyd/installed-files
case "${1:-}" in
--remove | --purge)
	[ -f $list ] || { echo "install.sh: reachyd was not installed by this script" >&2; exit 1; }
	copy=$(mktemp)
	cp $list "$copy"
	remove "$copy"
	rm -f "$copy"
	[ "$1" = --remove ] || rm -rf /var/lib/reachyd /var/cache/reachyd /run/reachyd /etc/reachyd
	;;
'')
	(cd "$here/root" && find . -type f -o -type l | sed 's|^\./||' | grep -v '^etc/') >"$here/files"
	cp -a "$here/root/usr" /
	[ -e /etc/reachyd/reachyd.yaml ] || { mkdir -p /etc/reachyd && cp "$here/root/etc/reachyd/reachyd.yaml" /etc/reachyd/; }
	{ cat "$here/files"; echo "${list#/}"; } >$list
	systemd-sysusers reachyd.conf
	systemd-tmpfiles --create reachyd.conf || true
	if [ -d /run/systemd/system ]; then
		udevadm control --reload || true
		systemctl daemon-reload
		systemctl enable --now reachyd.service
	fi
	;;
*)
	echo "usage: install.sh [--remove|--purge]" >&2
	exit 2
	;;
esac
