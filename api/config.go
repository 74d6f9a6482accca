package api

import "encoding/json"

// When says when the change of a setting takes effect.
type When string

// When a change of a setting takes effect.
const (
	WhenNow     When = "now"
	WhenRestart When = "restart" // of reachyd
	WhenFile    When = "file"    // it is changed in the configuration file only: an address, a path, a secret, or what guards the robot
)

// ConfigListArgs are the arguments of config/list.
type ConfigListArgs struct {
	Key string `json:"key,omitempty"` // a key such as idle, or a group such as sense; all when left out
}

// ConfigSetArgs are the arguments of config/set.
type ConfigSetArgs struct {
	Values json.RawMessage `json:"values"` // an object of keys, such as sense.volume, and values; null is what the file or the default says
}

// Setting is one key of the configuration.
type Setting struct {
	Key     string `json:"key"`            // such as sense.volume
	Value   any    `json:"value"`          // in force; a duration is a text such as 2s, a secret is not shown
	Next    any    `json:"next,omitempty"` // in force after a restart, where that differs
	Default any    `json:"default"`
	Type    string `json:"type"`              // in words
	Allowed string `json:"allowed,omitempty"` // beyond the type, in words
	About   string `json:"about"`
	Origin  string `json:"origin"`          // default, or the file with its line, the environment variable, or command line
	When    When   `json:"when"`            // a change of it takes effect
	Fixed   bool   `json:"fixed,omitempty"` // by the environment or the command line, which go before a change
}

// SettingList are settings, in the order of the file.
type SettingList struct {
	Settings []Setting `json:"settings"`
}

// SettingChange is one setting that was changed.
type SettingChange struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
	Was   any    `json:"was"`
	When  When   `json:"when"` // now or restart
}

// ConfigChange is a change of settings while the robot runs.
type ConfigChange struct {
	Changes []SettingChange `json:"changes"` // without those that were so already
	File    string          `json:"file"`    // where it is kept
	Restart bool            `json:"restart"` // some of it takes effect after a restart of reachyd
}

// EventType implements Payload.
func (ConfigChange) EventType() Type { return TypeConfig }
