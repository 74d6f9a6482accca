package doctor

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

type budget struct {
	name string
	mib  uint64
}

// budgets say how much memory the processes of a robot may take on a unit of 2 GB, MiB. What they take together is bounded by the
// unit's MemoryMax; the rest is for the system and its page cache.
var budgets = []budget{
	{"reachyd", 100},
	{"reachy-body", 20},
	{"reachy-sense", 400}, // with tiny.en
	{sandboxes, 320},      // eight at work, of 40 each
	{"reachy-sim", 300},
	{"reachy-learn", 300},
}

// sandboxes are the processes of self-made tools: a reachyd that a reachyd has started.
const sandboxes = "sandboxes"

// process is one of ours that runs.
type process struct {
	name     string
	pid      int
	parent   int
	resident uint64 // bytes
}

// checkMemory says what the robot's processes take, each against its budget, and all against the limit of their unit.
func checkMemory(_ context.Context, a commands) []Finding {
	all := processes(a.Host)
	if len(all) == 0 {
		return good("nothing of reachyd runs on this machine")
	}
	var parts, over []string
	for _, b := range budgets {
		n, taken := 0, uint64(0)
		for _, p := range all {
			if p.name == b.name {
				n, taken = n+1, taken+p.resident
			}
		}
		if n == 0 {
			continue
		}
		name, may := b.name, b.mib
		if n > 1 {
			name = fmt.Sprintf("%d %s", n, b.name)
			if b.name != sandboxes { // several robots
				may *= uint64(n)
			}
		}
		parts = append(parts, fmt.Sprintf("%s %d of %d MiB", name, taken/host.MiB, may))
		if taken > may*host.MiB {
			over = append(over, b.name)
		}
	}
	detail := strings.Join(parts, ", ")
	if len(over) > 0 {
		return append(remark(detail+"; over its budget: "+strings.Join(over, ", "),
			"a smaller model (reachyctl models list), or more memory than a unit of 2 GB has, where this is meant"), unitMemory(a.Host, all)...)
	}
	return append(good(detail), unitMemory(a.Host, all)...)
}

// slice holds the units of the service.
const slice = "system-reachyd.slice"

// unitMemory compares what all take with the limits of the units that they run in, and of their slice; nothing for none.
func unitMemory(h host.Host, all []process) (found []Finding) {
	var groups []string
	for _, p := range all {
		line, err := host.FirstLine(h.In("proc", strconv.Itoa(p.pid), "cgroup"))
		group, isV2 := strings.CutPrefix(line, "0::")
		if group = filepath.Clean(group); err == nil && isV2 && !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	slices.Sort(groups)
	for i, group := range groups {
		if above := filepath.Dir(group); i == 0 && filepath.Base(above) == slice {
			found = append(found, groupMemory(h, above)...)
		}
		found = append(found, groupMemory(h, group)...)
	}
	return found
}

// groupMemory compares what a unit takes with what it may.
func groupMemory(h host.Host, group string) []Finding {
	most, err := number(h.In("sys/fs/cgroup", group, "memory.max"))
	if err != nil {
		return nil // "max": there is no limit
	}
	now, err := number(h.In("sys/fs/cgroup", group, "memory.current"))
	if err != nil {
		return nil
	}
	name := filepath.Base(group)
	if name == slice {
		name = "together"
	}
	detail := fmt.Sprintf("%s %d of %d MiB that the unit allows (MemoryMax), with the page cache", name, now/host.MiB, most/host.MiB)
	if now > most-most/10 {
		return remark(detail, "near its end the senses and sandboxes are ended and started again; give the unit more (MemoryMax=), or smaller models")
	}
	return good(detail)
}

func number(path string) (uint64, error) {
	line, err := host.FirstLine(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(line, 10, 64)
}

// processes lists those of ours that run on a machine.
func processes(h host.Host) []process {
	entries, err := os.ReadDir(h.In("proc"))
	if err != nil {
		return nil
	}
	var all []process
	daemons := map[int]bool{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		p, ok := status(h.In("proc", e.Name(), "status"))
		if !ok || !slices.ContainsFunc(budgets, func(b budget) bool { return b.name == p.name }) {
			continue
		}
		p.pid = pid
		daemons[pid] = p.name == "reachyd"
		all = append(all, p)
	}
	for i, p := range all {
		if p.name == "reachyd" && daemons[p.parent] {
			all[i].name = sandboxes
		}
	}
	return all
}

// status reads what the kernel says of a process.
func status(path string) (p process, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return p, false
	}
	defer f.Close() //nolint:errcheck // only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		switch key {
		case "Name":
			p.name = fields[0]
		case "PPid":
			p.parent, _ = strconv.Atoi(fields[0])
		case "VmRSS":
			kib, _ := strconv.ParseUint(fields[0], 10, 64)
			p.resident = kib << 10
		}
	}
	return p, p.resident > 0
}
