#!/usr/bin/env bash
# Static builds of the pure Go programs for the robot (arm64) and a PC (amd64) into dist/<arch>/.
set -eu
go=$1 ldflags=$2
for arch in arm64 amd64; do
	mkdir -p "dist/$arch"
	for p in reachyd reachyctl reachy-body; do
		CGO_ENABLED=0 GOOS=linux GOARCH=$arch "$go" build -trimpath -ldflags "$ldflags" -o "dist/$arch/$p" "./cmd/$p"
		printf '%-6s %-12s %6.1f MB  %s\n' "$arch" "$p" "$(du -b "dist/$arch/$p" | awk '{print $1/1e6}')" \
			"$(file -b "dist/$arch/$p" 2>/dev/null | grep -o 'statically linked' || true)"
	done
done
