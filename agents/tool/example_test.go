package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
)

// A tool is a function with a schema. The registry checks the arguments before the function sees them.
func ExampleFunc() {
	r := tool.NewRegistry(time.Now)
	err := r.Add(tool.Func(tool.Spec{
		Name: "double", Description: "Double a number.",
		Parameters: tool.Object(map[string]tool.Schema{"x": tool.Number("what is doubled", "", -100, 100)}, "x"),
	}, func(_ context.Context, args struct{ X float64 }) tool.Result {
		return tool.Success("It is "+tool.FormatNumber(2*args.X)+".", map[string]any{"double": 2 * args.X})
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, args := range []string{`{"x":21}`, `{"x":200}`, `{"y":1}`} {
		res := r.Call(context.Background(), "double", json.RawMessage(args))
		fmt.Printf("%s %s: %s\n", res.Status, res.Code, res.Message)
	}
	// Output:
	// success : It is 42.
	// error invalid: double: x: 200 is out of range −100…100
	// error invalid: double: y: 1 is not expected; known are x; x: is missing; it must be a number in −100…100
}
