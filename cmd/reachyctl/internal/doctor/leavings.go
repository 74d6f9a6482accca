package doctor

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	officialConfig = ".config/reachy_mini"
	officialName   = "reachy_mini" // of a robot that nobody has named
	brokenSetting  = "the official daemon, too, goes by its default then; what was set there is its owner's to set again"
)

// officialLeft finds what the official daemon's users have set and fetched, and names the command that takes it over.
func officialLeft(a commands) (all []Finding) {
	all = append(all, a.leftNames()...)
	for _, home := range a.Host.Homes() {
		s := leftBy(home)
		if s.appErr != nil {
			all = append(all, remark(s.appErr.Error(), brokenSetting)...)
		}
		if s.app != "" && !a.installed(home, s.app) {
			all = append(all, remark(fmt.Sprintf("the official daemon began the app %q when the robot woke up; reachyd begins none by itself", s.app),
				"reachyctl doctor "+takeOver+" app installs it, reachyctl app start "+s.app+" begins it")...)
		}
		all = append(all, a.leftMoves(home)...)
	}
	return all
}

// settingsLeft is what a user's official daemon has kept.
type settingsLeft struct {
	home, name      string // of the robot; "" for one that nobody has named
	app             string // that began when the robot woke up
	nameErr, appErr error  // why one of them cannot be read
}

// leftBy reads what the official daemon of a user has kept.
func leftBy(home string) settingsLeft {
	var named struct{ Name string }
	var config struct {
		Startup string `json:"startup_app"`
	}
	s := settingsLeft{home: home}
	s.nameErr = readJSON(filepath.Join(home, officialConfig, "robot_name.json"), &named)
	s.appErr = readJSON(filepath.Join(home, officialConfig, "daemon_config.json"), &config)
	s.app = config.Startup
	if s.name = nameOf(named.Name); s.name == officialName {
		s.name = ""
	}
	return s
}

// nameOf makes a name one that robot.name may be: on one line, 100 characters at most.
func nameOf(text string) string {
	name := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	const most = 100
	if runes := []rune(name); len(runes) > most {
		name = string(runes[:most])
	}
	return name
}

// idOf makes a name one that robot.id may be; "" when it has nothing of that.
func idOf(name string) string {
	id := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9_-]+`).ReplaceAllString(name, "-"), "-")
	const most = 64
	return id[:min(most, len(id))]
}

// officialNames are the names that users' official daemons gave the robot, each once, and what could not be read.
func (a commands) officialNames() (names []settingsLeft, broken []error) {
	for _, home := range a.Host.Homes() {
		s := leftBy(home)
		if s.nameErr != nil {
			broken = append(broken, s.nameErr)
		}
		if s.name != "" && !slices.ContainsFunc(names, func(n settingsLeft) bool { return n.name == s.name }) {
			names = append(names, s)
		}
	}
	return names, broken
}

// leftNames are the findings of the robot's name.
func (a commands) leftNames() (all []Finding) {
	names, _ := a.officialNames()
	for _, s := range a.takeName() {
		switch {
		case s.State != stepYours:
			as := "robot.name: " + names[0].name
			if id := idOf(names[0].name); id != "" {
				as = "robot.id: " + id
			}
			all = append(all, remark(fmt.Sprintf("the official daemon called this robot %q", names[0].name),
				a.takes("name")+" makes it "+as+" in reachyd.yaml")...)
		case s.Do == "":
			all = append(all, good(s.Detail)...)
		default:
			all = append(all, remark(s.Detail, s.Do)...)
		}
	}
	return all
}

// leftMoves are the datasets of moves that were fetched into a user's cache: a reachyd of that user plays them from there, any other
// may not look there.
func (a commands) leftMoves(home string) (all []Finding) {
	for _, s := range movesOf(home) {
		n, taken := len(s.moves), a.taken(&s)
		switch what := fmt.Sprintf("%d moves of %s", n, s.name); {
		case a.served(home):
			all = append(all, good(what+" are played from where they lie")...)
		case taken == n:
			all = append(all, good(what+" are taken over")...)
		case a.Host.Enter(a.Host.DataDir) != nil:
			all = append(all, good(what+" lie in "+s.from()+"; whether they are taken over, only root and members of the group reachyd see")...)
		default:
			all = append(all, remark(fmt.Sprintf("%d of %s lie where the service may not look", n-taken, what), a.takes("moves")+" copies them to "+a.target(&s))...)
		}
	}
	return all
}

func glob(pattern string) []string {
	found, _ := filepath.Glob(pattern) // the patterns are good ones
	slices.Sort(found)
	return found
}
