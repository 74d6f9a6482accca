package registry

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const maxName = 48

// snake is a name such as look_at_apple: no leading, trailing or double underscore, nothing that a path, a topic or a
// shell would understand.
var snake = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// reserved are names that would hide something else: Python's own names, the modules of the guest, words of the command
// line and of MQTT topics. The robot's own tools are handed in: Settings.Reserved.
var reserved = strings.Fields(`
	and as assert async await break case class continue def del elif else except finally for from global if import in is
	lambda match nonlocal not or pass raise return try type while with yield
	abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits
	delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex
	id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow
	print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple vars zip
	reachy reachy_mini numpy cv2 requests asyncio collections copy csv dataclasses datetime enum functools io itertools
	json math operator os random re statistics string struct subprocess sys textwrap time typing
	main self cls test tests harness
	new add show call check rollback activate deactivate export generate review reset estop reply status state`)

// CheckName says why a tool cannot have that name.
func CheckName(name string, alsoReserved ...string) error {
	switch {
	case len(name) < 2 || len(name) > maxName || !snake.MatchString(name):
		return fmt.Errorf("name %.80q: allowed are 2 to %d lower-case letters, digits and single underscores, beginning with a letter", name, maxName)
	case slices.Contains(reserved, name) || slices.Contains(alsoReserved, name):
		return fmt.Errorf("name %q is reserved: choose another, such as %s_2", name, name)
	}
	return nil
}
