package guest

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A worker gives up its rights in two steps. restrict holds from before the program starts (no_new_privs, limits,
// Landlock): it can then read its image and what it is linked from, and write nothing. seal holds from before the first
// guest runs: no file can be opened, no socket made, no program started, no code mapped.

// Confinement says what confines a worker.
type Confinement struct {
	Landlock int  `json:"landlock"` // version of the kernel's Landlock, 0: none
	Seccomp  bool `json:"seccomp"`
}

const (
	workerOpenFiles    = 64
	workerAddressSpace = 4 << 30
	workerNice         = 5
)

// beNice lowers the priority of this thread to workerNice. Where it is lower already (nice -n 19 reachyd), it stays: raising it needs a right.
func beNice() error {
	// The kernel's own call counts from 40, the highest priority, down to 1.
	const zero = 20
	now, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err == nil && zero-now >= workerNice {
		return nil
	}
	return unix.Setpriority(unix.PRIO_PROCESS, 0, workerNice)
}

// restrict gives up rights on this thread, for whoever is executed from it. readable are files and folders.
func restrict(readable []string) (landlock int, err error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("no_new_privs: %w", err)
	}
	if err := beNice(); err != nil {
		return 0, fmt.Errorf("nice: %w", err)
	}
	limits := []struct {
		what int
		max  uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_FSIZE, 0}, {unix.RLIMIT_NOFILE, workerOpenFiles}}
	if !raceEnabled { // the race detector reserves terabytes
		limits = append(limits, struct {
			what int
			max  uint64
		}{unix.RLIMIT_AS, workerAddressSpace})
	}
	for _, l := range limits {
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: l.max, Max: l.max}); err != nil {
			return 0, fmt.Errorf("resource limit %d: %w", l.what, err)
		}
	}
	return landlockRead(readable)
}

// landlockRead allows this thread to read and execute what is named and nothing else on the file system, and no TCP.
// A kernel without Landlock is no error: seal stands behind it.
func landlockRead(readable []string) (version int, err error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, nil
	}
	version = int(v)
	attr := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if version >= 2 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(attr.Handled_access_net)
	}
	if version >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size += unsafe.Sizeof(attr.Scoped)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return 0, fmt.Errorf("landlock: %w", errno)
	}
	defer unix.Close(int(fd)) //nolint:errcheck // nothing is written to it
	for _, path := range readable {
		if err := landlockAllow(int(fd), path); err != nil {
			return 0, err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return 0, fmt.Errorf("landlock: %w", errno)
	}
	return version, nil
}

func landlockAllow(ruleset int, path string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("landlock: %s: %w", path, err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing is written to it
	rule := unix.LandlockPathBeneathAttr{Allowed_access: unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE, Parent_fd: int32(fd)}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		rule.Allowed_access |= unix.LANDLOCK_ACCESS_FS_READ_DIR
	}
	if _, _, errno := unix.Syscall6(
		unix.SYS_LANDLOCK_ADD_RULE,
		uintptr(ruleset),
		unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)),
		0,
		0,
		0,
	); errno != 0 {
		return fmt.Errorf("landlock: %s: %w", path, errno)
	}
	return nil
}

// sealAllowed is what the Go runtime and an HTTP server on an open listener need. All of it works on what the process
// already has.
var sealAllowed = append([]uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_CLOSE, unix.SYS_LSEEK, unix.SYS_FSTAT,
	unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK, unix.SYS_MEMBARRIER,
	unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP,
	unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_GETTIMEOFDAY, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETRUSAGE,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
	unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_PIPE2, unix.SYS_FCNTL,
	unix.SYS_ACCEPT4, unix.SYS_RECVFROM, unix.SYS_SENDTO, unix.SYS_RECVMSG, unix.SYS_SENDMSG, unix.SYS_SHUTDOWN,
	unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME, unix.SYS_GETSOCKOPT, unix.SYS_SETSOCKOPT,
	unix.SYS_GETRANDOM, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ,
	unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_DELETE, unix.SYS_SETITIMER,
}, sealAllowedArch...)

// seal installs a filter of system calls on every thread of the process.
func seal() error {
	// Go opens its epoll with the first timer, which may be the garbage collector's own, at any time: it must be open before.
	time.AfterFunc(time.Hour, func() {}).Stop()
	const (
		load    = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal   = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		anyBit  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		answer  = unix.BPF_RET | unix.BPF_K
		number  = 0 // offsets in struct seccomp_data; both architectures are little-endian
		arch    = 4
		args    = 16
		refused = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	)
	arg := func(n uint32) unix.SockFilter { return unix.SockFilter{Code: load, K: args + 8*n} }
	ret := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: answer, K: k} }
	filter := []unix.SockFilter{
		{Code: load, K: arch},
		{Code: equal, K: auditArch, Jt: 1},
		ret(unix.SECCOMP_RET_KILL_PROCESS),
		{Code: load, K: number},
	}
	// when adds a rule for one call: decided by whether the test of its n-th argument holds.
	when := func(call, n uint32, test uint16, k, yes, no uint32) {
		filter = append(filter, unix.SockFilter{Code: equal, K: call, Jf: 4}, arg(n), unix.SockFilter{Code: test, K: k, Jf: 1}, ret(yes), ret(no))
	}
	const allow = unix.SECCOMP_RET_ALLOW
	when(unix.SYS_MMAP, 2, anyBit, unix.PROT_EXEC, refused, allow)
	when(unix.SYS_MPROTECT, 2, anyBit, unix.PROT_EXEC, refused, allow)
	when(unix.SYS_CLONE, 0, anyBit, unix.CLONE_THREAD, allow, refused)
	when(unix.SYS_CLONE3, 0, equal, 0, unknown, unknown) // its flags cannot be seen; the C library falls back to clone
	when(unix.SYS_TGKILL, 0, equal, uint32(os.Getpid()), allow, refused)
	when(unix.SYS_PRCTL, 0, equal, unix.PR_SET_VMA, allow, refused) // the Go runtime names its memory
	for _, call := range sealAllowed {
		filter = append(filter, unix.SockFilter{Code: equal, K: call, Jf: 1}, ret(allow))
	}
	filter = append(filter, ret(refused))
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 || r != 0 {
		return fmt.Errorf("system call filter: %w (thread %d)", errno, r)
	}
	return nil
}
