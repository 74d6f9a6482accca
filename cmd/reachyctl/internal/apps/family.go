package apps

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// process is one of this machine.
type process struct {
	pid, parent int
	state       byte          // Z: it has ended, and nobody has asked how
	memory      int64         // resident, bytes
	spent       time.Duration // of processors, since it began
}

// processes are all of this machine.
func processes() map[int]process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	all := map[int]process{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		if p, ok := parseStat(string(text)); ok {
			p.pid = pid
			all[pid] = p
		}
	}
	return all
}

// parseStat reads a line of /proc/PID/stat; the name in it may have spaces and brackets.
func parseStat(line string) (p process, ok bool) {
	const state, parent, user, system, resident = 0, 1, 11, 12, 21 // fields behind the name
	const tick = time.Second / 100                                 // in which the kernel tells times
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	if len(fields) <= resident {
		return p, false
	}
	var err error
	if p.parent, err = strconv.Atoi(fields[parent]); err != nil {
		return p, false
	}
	var n [3]int64
	for i, field := range [...]int{resident, user, system} {
		if n[i], err = strconv.ParseInt(fields[field], 10, 64); err != nil {
			return p, false
		}
	}
	p.state, p.memory, p.spent = fields[state][0], n[0]*int64(os.Getpagesize()), time.Duration(n[1]+n[2])*tick
	return p, true
}

// family are the descendants of a process that have not ended.
func family(of int) []process {
	all := processes()
	var list []process
	for _, p := range all {
		if p.state == 'Z' {
			continue
		}
		for up, n := p.parent, 0; up > 1 && n < len(all); up, n = all[up].parent, n+1 {
			if up == of {
				list = append(list, p)
				break
			}
		}
	}
	return list
}

// marker is the variable that an app's processes inherit, with the directory of the app.
const marker = "REACHYD_APP="

// leftovers are processes of the apps in a directory, whoever their parents are.
func leftovers(dir string) []process {
	var list []process
	for pid, p := range processes() {
		env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		if err == nil && pid != os.Getpid() && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+marker+dir+string(filepath.Separator))) {
			list = append(list, p)
		}
	}
	return list
}

// killAll ends processes until find finds none. Children of ours that others left are reaped. What does not end is named in the error.
func killAll(find func() []process) error {
	const tries, pause = 200, 10 * time.Millisecond
	seen := map[int]bool{}
	var left []string
	for range tries {
		list := find()
		if len(list) == 0 {
			return nil
		}
		left = left[:0]
		for _, p := range list {
			seen[p.pid] = true
			name := fmt.Sprintf("process %d", p.pid)
			if err := unix.Kill(p.pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
				name += fmt.Sprintf(" (%v)", err)
			}
			left = append(left, name)
		}
		time.Sleep(pause)
		for pid := range seen {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // only ours
		}
	}
	return fmt.Errorf("%s of an app did not end within %s of being killed", strings.Join(left, ", "), tries*pause)
}
