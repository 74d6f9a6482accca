package e2e

import (
	"os/exec"
	"regexp"
	"strconv"
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
