package planner

import "strings"

// plain is the spelling under which a name is looked up: lower case, single spaces.
func plain(name string) string {
	return strings.Join(strings.Fields(strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(name))), " ")
}
