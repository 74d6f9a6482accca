package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestUnitIsHardened holds the service to the exposure that the README promises. systemd's own tool measures it.
func TestUnitIsHardened(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("NOT TESTED: systemd-analyze is not installed here, so nobody measured how exposed systemd/reachyd.service is")
	}
	out, err := exec.CommandContext(t.Context(), tool, "security", "--offline=true", "--no-pager", "../systemd/reachyd.service").CombinedOutput()
	found := regexp.MustCompile(`exposure level for reachyd.service: ([0-9.]+)`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("systemd-analyze: %v\n%s", err, tail(string(out), 500))
	}
	if level, err := strconv.ParseFloat(string(found[1]), 64); err != nil || level > 2.0 {
		t.Errorf("exposure %s, at most 2.0 is promised", found[1])
	}
}

// unit returns all values of a setting of the service.
func unit(t *testing.T, setting string) (values []string) {
	t.Helper()
	text, err := os.ReadFile("../systemd/reachyd.service")
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
	allowed := map[string]bool{}
	deny := false
	for _, name := range unit(t, "SystemCallFilter") {
		if rest, ok := strings.CutPrefix(name, "~"); ok {
			deny, name = true, rest
		}
		calls(t, tool, name, allowed, !deny)
	}
	for _, call := range []string{
		"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp", "prctl", "prlimit64", "execve", "clone", "clone3",
		"mlockall", "sched_setscheduler", "pidfd_open", "pidfd_send_signal", "flock", "fallocate", "msync", "fdatasync", "ioctl",
		"memfd_create", "waitid", "kill", "socket", "bind", "accept4", "sendmmsg",
	} {
		if !allowed[call] {
			t.Errorf("%s is refused", call)
		}
	}
	for _, call := range []string{"mount", "init_module", "reboot", "ptrace", "bpf", "swapon", "chroot"} {
		if allowed[call] {
			t.Errorf("%s is allowed", call)
		}
	}
}

// TestUnitOpensTheDevices wants classes by number where they have one: names are looked up when the service starts.
func TestUnitOpensTheDevices(t *testing.T) {
	devices, families := unit(t, "DeviceAllow"), unit(t, "RestrictAddressFamilies")
	for name, class := range map[string]string{
		"ttyACM": "char-166", "ttyUSB": "char-188", "ttyAMA": "char-204", "video4linux": "char-81", "alsa": "char-116", "usb": "char-189",
		"media": "char-media", "dma_heap": "char-dma_heap",
	} {
		if !slices.Contains(devices, class) {
			t.Errorf("%s (%s) is closed: %v", name, class, devices)
		}
	}
	if !slices.Contains(families, "AF_NETLINK") {
		t.Errorf("no list of network interfaces: %v", families)
	}
}
