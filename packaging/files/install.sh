#!/bin/sh
# Installs reachyd on a system without Debian's packages, as a systemd service; --remove takes it away again (--purge: with all data).
set -eu
[ "$(id -u)" = 0 ] || { echo "install.sh: run it as root" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
list=/usr/lib/reachyd/installed-files      # what it has put there
made=/usr/lib/reachyd/installed-directories # what was not there before, the deepest last
# directories says which are ours: as noted, or of a version that noted none yet those in which nothing but its files lies.
directories() {
	if [ -f $made ]; then cat $made && return; fi
	(cd "$here/root" && find usr -type d) | sort | while read -r dir; do
		[ ! -d "/$dir" ] || (cd / && find "$dir" ! -type d | grep -qvFxf $list) || echo "$dir"
	done
}
remove() {
	systemctl disable --now reachyd-power-off.path reachyd.service 2>/dev/null || true
	systemctl stop reachyd-body.service reachyd-sense.service 2>/dev/null || true
	copy=$(mktemp -d)
	cp $list "$copy/installed-files"
	directories >"$copy/installed-directories"
	while read -r file; do rm -f "/$file"; done <"$copy/installed-files"
	tac "$copy/installed-directories" | while read -r dir; do rmdir "/$dir" 2>/dev/null || true; done
	rm -r "$copy"
	if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
}
purge() {
	rm -f /etc/systemd/system/multi-user.target.wants/reachyd*
	[ "$(readlink /tmp/reachymini_camera_socket)" != /run/reachymini/camera ] || rm /tmp/reachymini_camera_socket
	rm -rf /var/lib/reachyd /var/cache/reachyd /run/reachyd /run/reachymini /etc/reachyd
	userdel reachyd 2>/dev/null || true
	groupdel reachyd 2>/dev/null || true # where userdel has left it
}
case "${1:-}" in
--remove | --purge)
	if [ -f $list ]; then
		remove
	elif [ "$1" = --remove ] || [ ! -d /var/lib/reachyd ] || [ -d /usr/lib/reachyd ]; then
		echo "install.sh: reachyd was not installed by this script" >&2
		exit 1
	fi
	[ "$1" = --remove ] || purge
	;;
'')
	[ ! -e /usr/lib/reachyd/reachyd ] || [ -f $list ] || { echo "install.sh: reachyd is installed by a package already; remove that first" >&2; exit 1; }
	files=$(mktemp) directories=$(mktemp)
	(cd "$here/root" && find usr -type f -o -type l) | sort >"$files"
	if [ -f $list ]; then # an earlier version: what this one does not have goes, and what it made stays noted
		directories >"$directories"
		sort $list | comm -23 - "$files" | while read -r file; do rm -f "/$file"; done
	fi
	(cd "$here/root" && find usr -type d) | sort | while read -r dir; do [ -d "/$dir" ] || echo "$dir" >>"$directories"; done
	cp -a "$here/root/usr" /
	[ -e /etc/reachyd/reachyd.yaml ] || { mkdir -p /etc/reachyd && cp "$here/root/etc/reachyd/reachyd.yaml" /etc/reachyd/; }
	{ cat "$files"; echo "${list#/}"; echo "${made#/}"; } >$list
	cp "$directories" $made
	rm "$files" "$directories"
	systemd-sysusers reachyd.conf
	systemd-tmpfiles --create reachyd.conf || true
	if [ -d /run/systemd/system ]; then
		udevadm control --reload || true
		systemctl daemon-reload
		systemctl enable reachyd.service
		if systemctl --quiet is-active reachy-mini-daemon.service; then
			echo "reachyd: the official daemon drives the robot. To change over: sudo reachyctl doctor take-over"
		else
			systemctl restart reachyd.service
		fi
	fi
	;;
*)
	echo "usage: install.sh [--remove|--purge]" >&2
	exit 2
	;;
esac
