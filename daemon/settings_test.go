package daemon

import (
	"strings"
	"testing"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/config"
)

// A key that changes at once without a part that is told would be a promise that nobody keeps.
func TestEverySettingThatChangesNowHasAPart(t *testing.T) {
	appliers := (&Daemon{}).appliers()
	for _, k := range config.Keys() {
		group, _, _ := strings.Cut(k.Path, ".")
		if k.When == api.WhenNow && appliers[k.Path] == nil && appliers[group] == nil {
			t.Errorf("%s: changes now, and nobody is told", k.Path)
		}
	}
}
