package guest

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

var sealAllowedArch []uint32
