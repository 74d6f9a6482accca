package servo

import (
	"slices"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// faults is the set of present faults. The slice is replaced when the set changes and never modified.
type faults struct {
	list []hal.Fault
	now  func() time.Time
}

func (f *faults) index(name hal.FaultName, joint string) int {
	for i := range f.list {
		if f.list[i].Name == name && f.list[i].Joint == joint {
			return i
		}
	}
	return -1
}

func (f *faults) has(name hal.FaultName, joint string) bool { return f.index(name, joint) >= 0 }

// begin adds a fault; one that is there already keeps its beginning and its words.
func (f *faults) begin(name hal.FaultName, joint, detail string) {
	if f.has(name, joint) {
		return
	}
	f.list = append(slices.Clone(f.list), hal.Fault{Name: name, Joint: joint, Detail: detail, Since: f.now()})
}

// retell gives a present fault other words; it keeps its beginning.
func (f *faults) retell(name hal.FaultName, joint, detail string) {
	if i := f.index(name, joint); i >= 0 {
		f.list = slices.Clone(f.list)
		f.list[i].Detail = detail
	}
}

// end removes a fault.
func (f *faults) end(name hal.FaultName, joint string) {
	if i := f.index(name, joint); i >= 0 {
		f.list = slices.Delete(slices.Clone(f.list), i, i+1)
	}
}
