package doctor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	officialConfig = ".config/reachy_mini"
	officialName   = "reachy_mini" // of a robot that nobody has named
	// ownMoves is the name of the datasets' directory in reachyd's data directory.
	ownMoves = "moves"
)

// officialLeft finds what the official daemon's users have set and fetched, and says how reachyd takes it over.
func officialLeft(a commands) (all []Finding) {
	for _, home := range a.Host.Homes() {
		all = append(all, leftSettings(home)...)
		all = append(all, a.leftMoves(home)...)
	}
	return all
}

// leftSettings are the robot's name and the app that begins by itself.
func leftSettings(home string) (all []Finding) {
	var named struct{ Name string }
	var config struct {
		Startup string `json:"startup_app"`
	}
	readJSON(filepath.Join(home, officialConfig, "robot_name.json"), &named)
	readJSON(filepath.Join(home, officialConfig, "daemon_config.json"), &config)
	if name := strings.TrimSpace(named.Name); name != "" && name != officialName {
		id := regexp.MustCompile(`[^A-Za-z0-9_-]+`).ReplaceAllString(name, "-")
		all = append(all, remark(fmt.Sprintf("the official daemon called this robot %q", name),
			"so that scripts find it by that name: robot.id: "+id+" in reachyd.yaml")...)
	}
	if config.Startup != "" {
		all = append(all, remark(fmt.Sprintf("the official daemon began the app %q when the robot woke up", config.Startup),
			"reachyd begins none by itself: reachyctl app install it, then reachyctl app start "+config.Startup)...)
	}
	return all
}

// leftMoves are the datasets of moves that were fetched into a user's cache: a reachyd of that user plays them from there, the service
// may not look there.
func (a commands) leftMoves(home string) (all []Finding) {
	for _, set := range glob(filepath.Join(home, ".cache", "huggingface", "hub", "datasets--*--*")) {
		ref, err := os.ReadFile(filepath.Join(set, "refs", "main"))
		if err != nil || !filepath.IsLocal(strings.TrimSpace(string(ref))) {
			continue
		}
		at := filepath.Join(set, "snapshots", strings.TrimSpace(string(ref)))
		n := len(glob(filepath.Join(at, "*.json"))) + len(glob(filepath.Join(at, "data", "*.json")))
		if n == 0 {
			continue
		}
		owner, name, _ := strings.Cut(strings.TrimPrefix(filepath.Base(set), "datasets--"), "--")
		to := filepath.Join(a.Host.DataDir, ownMoves, owner, name)
		taken := len(glob(filepath.Join(to, "*.json"))) + len(glob(filepath.Join(to, "data", "*.json")))
		switch what := fmt.Sprintf("%d files of moves of %s/%s", n, owner, name); {
		case taken >= n:
			all = append(all, good(what+" are taken over")...)
		case a.Host.Packaged():
			all = append(all, remark(what+" lie where the service may not look",
				fmt.Sprintf("sudo mkdir -p %[2]s && sudo cp -rL %[1]s/. %[2]s && sudo chown -R reachyd: %[3]s", at, to, filepath.Join(a.Host.DataDir, ownMoves)))...)
		default:
			all = append(all, good(what+" are played from where they lie")...)
		}
	}
	return all
}

// readJSON reads what a file has; one that is not there or not understood has nothing.
func readJSON(path string, into any) {
	if text, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(text, into)
	}
}

func glob(pattern string) []string {
	found, _ := filepath.Glob(pattern) // the patterns are good ones
	slices.Sort(found)
	return found
}
