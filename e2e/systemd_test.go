package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// units are the processes of the service; each sees what it needs and nothing else.
var units = []string{"reachyd", "reachyd-body", "reachyd-sense"}

// TestUnitIsHardened holds every unit to the exposure that the README promises. systemd's own tool measures it.
func TestUnitIsHardened(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("NOT TESTED: systemd-analyze is not installed here, so nobody measured how exposed the units in systemd/ are")
	}
	for _, name := range append(slices.Clone(units), "reachyd-power-off") {
		out, err := exec.CommandContext(t.Context(), tool, "security", "--offline=true", "--no-pager", "../systemd/"+name+".service").CombinedOutput()
		found := regexp.MustCompile(`exposure level for ` + name + `.service: ([0-9.]+)`).FindSubmatch(out)
		if found == nil {
			t.Fatalf("%s: systemd-analyze: %v\n%s", name, err, tail(string(out), 500))
		}
		if level, err := strconv.ParseFloat(string(found[1]), 64); err != nil || level > 2.0 {
			t.Errorf("%s: exposure %s, at most 2.0 is promised", name, found[1])
		}
	}
}

// TestUnitsAreValid has systemd read every unit, in a root of its own with the programs that they start: it names what it does not understand.
func TestUnitsAreValid(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("NOT TESTED: systemd-analyze is not installed here, so nobody read the units in systemd/")
	}
	root := t.TempDir()
	dir := filepath.Join(root, "usr/lib/systemd/system")
	if err := os.CopyFS(dir, os.DirFS("../systemd")); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"usr/lib/reachyd/reachyd", "usr/lib/reachyd/reachy-sense", "usr/bin/rm", "usr/bin/systemctl"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, program)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, program), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := filepath.Glob("../systemd/*.*")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, path := range paths {
		if name := filepath.Base(path); !strings.HasSuffix(name, ".d") {
			all = append(all, name)
		}
	}
	// What a machine has.
	for _, name := range []string{
		"sysinit.target", "basic.target", "shutdown.target", "network.target", "paths.target", "multi-user.target", "umount.target", "final.target",
		"slices.target", "systemd-udev-trigger.service", "systemd-modules-load.service",
	} {
		text := "[Unit]\nDefaultDependencies=no\n"
		if strings.HasSuffix(name, ".service") {
			text += "[Service]\nExecStart=/usr/bin/rm\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), tool, append([]string{"verify", "--root=" + root, "--man=no"}, all...)...).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "" || len(all) < 6 {
		t.Errorf("%d units: %v\n%s", len(all), err, tail(string(out), 2000))
	}
}

// setting returns all values of a setting of a unit.
func setting(t *testing.T, unit, setting string) (values []string) {
	t.Helper()
	text, err := os.ReadFile("../systemd/" + unit + ".service")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), setting+"="); ok {
			values = append(values, strings.Fields(value)...)
		}
	}
	return values
}

// calls adds to allowed the system calls of a filter's groups, as this systemd knows them.
func calls(t *testing.T, tool, name string, allowed map[string]bool, as bool) {
	t.Helper()
	if !strings.HasPrefix(name, "@") {
		allowed[name] = as
		return
	}
	out, err := exec.CommandContext(t.Context(), tool, "syscall-filter", "--no-pager", name).Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for line := range strings.Lines(string(out)) {
		if call := strings.TrimSpace(line); call != name && call != "" && !strings.HasPrefix(call, "#") {
			calls(t, tool, call, allowed, as)
		}
	}
}

// TestUnitAllowsWhatTheProgramsCall names the calls that systemd 252 does not count as those of a service, and those that the
// control loop and the sandboxes cannot do without.
func TestUnitAllowsWhatTheProgramsCall(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("NOT TESTED: systemd-analyze is not installed here, so nobody knows what systemd/reachyd.service allows")
	}
	every := []string{
		"prctl", "prlimit64", "execve", "clone", "clone3", "mlockall", "sched_setscheduler", "pidfd_open", "pidfd_send_signal", "flock",
		"fallocate", "msync", "fdatasync", "ioctl", "memfd_create", "waitid", "kill", "socket", "bind", "accept4", "sendmmsg",
	}
	for _, name := range units {
		allowed := map[string]bool{}
		deny := false
		for _, call := range setting(t, name, "SystemCallFilter") {
			if rest, ok := strings.CutPrefix(call, "~"); ok {
				deny, call = true, rest
			}
			calls(t, tool, call, allowed, !deny)
		}
		needed := every
		if name == "reachyd" { // whose children are the sandboxes
			needed = append(slices.Clone(every), "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp")
		}
		for _, call := range needed {
			if !allowed[call] {
				t.Errorf("%s: %s is refused", name, call)
			}
		}
		for _, call := range []string{"mount", "init_module", "reboot", "ptrace", "bpf", "swapon", "chroot"} {
			if allowed[call] {
				t.Errorf("%s: %s is allowed", name, call)
			}
		}
	}
}

// TestUnitsSeeWhatTheyNeed: who has devices has no network, and the other way round. Device classes are named by number where they
// have one: names are looked up when the service starts.
func TestUnitsSeeWhatTheyNeed(t *testing.T) {
	for _, c := range []struct {
		unit              string
		devices, families []string
		network           bool
		oom               string // who goes first when memory runs out: reachyd raises the score of its sandboxes itself
	}{
		{"reachyd", nil, []string{"AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"}, true, "-900"}, // netlink: the list of network interfaces
		// ttyACM, ttyUSB, ttyAMA
		{"reachyd-body", []string{"char-166", "char-188", "char-204"}, []string{"AF_UNIX"}, false, "-900"},
		// video4linux, media, dma_heap, alsa, usb
		{"reachyd-sense", []string{"char-81", "char-media", "char-dma_heap", "char-116", "char-189"}, []string{"AF_UNIX", "AF_NETLINK"}, false, "300"},
	} {
		devices := slices.DeleteFunc(setting(t, c.unit, "DeviceAllow"), func(word string) bool { return word == "rw" })
		if !slices.Equal(devices, c.devices) {
			t.Errorf("%s: devices %v, want %v", c.unit, devices, c.devices)
		}
		if families := setting(t, c.unit, "RestrictAddressFamilies"); !slices.Equal(families, c.families) {
			t.Errorf("%s: address families %v, want %v", c.unit, families, c.families)
		}
		private, none := setting(t, c.unit, "PrivateNetwork"), setting(t, c.unit, "PrivateDevices")
		if (len(private) == 0) != c.network || (len(none) == 0) == (c.devices == nil) {
			t.Errorf("%s: PrivateNetwork=%v, PrivateDevices=%v", c.unit, private, none)
		}
		// Brokers, models, pages and name servers are where the settings say, and may have any address.
		if denied := setting(t, c.unit, "IPAddressDeny"); (len(denied) == 0) != c.network {
			t.Errorf("%s: IPAddressDeny=%v", c.unit, denied)
		}
		if score := setting(t, c.unit, "OOMScoreAdjust"); !slices.Equal(score, []string{c.oom}) {
			t.Errorf("%s: OOMScoreAdjust=%v, want %s", c.unit, score, c.oom)
		}
		if most := setting(t, c.unit, "MemoryMax"); len(most) != 1 {
			t.Errorf("%s: MemoryMax=%v", c.unit, most)
		}
	}
}
