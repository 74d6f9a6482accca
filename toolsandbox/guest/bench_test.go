package guest

import (
	"encoding/json"
	"testing"
)

var trivial = Request{Source: "def add(a: int, b: int) -> int:\n    return a + b\n", Function: "add", Args: json.RawMessage(`{"a":2,"b":3}`)}

func BenchmarkImageCall(b *testing.B) {
	img := openTestImage(b)
	for b.Loop() {
		if r, err := img.Call(b.Context(), &trivial); err != nil || r.Reason != ReasonOK {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkImageInstantiate(b *testing.B) {
	img := openTestImage(b)
	for b.Loop() {
		in, err := img.ready(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		in.close()
	}
}
