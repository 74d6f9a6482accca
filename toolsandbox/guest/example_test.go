package guest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// A sandbox starts with its first call. A program that uses one calls WorkerMain when its first argument is WorkerArg.
func ExampleSandbox_Call() {
	box := guest.New(guest.Config{Workers: 1})
	defer box.Close()
	r, err := box.Call(context.Background(), &guest.Request{
		Source:   "def add(a, b):\n    return a + b\n",
		Function: "add", Args: json.RawMessage(`{"a": 2, "b": 3}`),
	})
	if err != nil {
		fmt.Println("there is no sandbox:", err) // cross/python-wasm.sh builds the interpreter
		return
	}
	fmt.Println(r.Reason, string(r.Value))
	// Output: ok 5
}

// A guest reaches nothing but the host calls that it was granted.
func ExampleHostFunc() {
	box := guest.New(guest.Config{Workers: 1})
	defer box.Close()
	r, err := box.Call(context.Background(), &guest.Request{
		Source:   "import reachy\n\ndef f():\n    reachy.speak(text='hello')\n    reachy.move_head(yaw=10)\n",
		Function: "f", Grants: []string{"speak"},
		Host: func(_ context.Context, c guest.HostCall) (json.RawMessage, error) {
			fmt.Println(c.Name, string(c.Args))
			return json.RawMessage("null"), nil
		},
	})
	if err != nil {
		fmt.Println("there is no sandbox:", err)
		return
	}
	fmt.Println(r.Reason)
	// Output:
	// speak {"text":"hello"}
	// denied
}

// Whatever a guest does, its limits end it.
func ExampleLimits() {
	box := guest.New(guest.Config{Workers: 1})
	defer box.Close()
	r, err := box.Call(context.Background(), &guest.Request{
		Source:   "def f():\n    while True: pass\n",
		Function: "f", Limits: guest.Limits{CPU: 50 * time.Millisecond},
	})
	if err != nil {
		fmt.Println("there is no sandbox:", err)
		return
	}
	fmt.Println(r.Reason, r.Error.Message)
	// Output: cpu more than 50ms of processor time
}
