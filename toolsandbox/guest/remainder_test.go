package guest

import (
	"math/rand/v2"
	"testing"

	"github.com/tetratelabs/wazero"
)

// pressure makes a module with a function (i32, i32) -> i32 that computes many values, takes remainders of them while all
// are still needed, and mixes everything: more than a processor has registers.
func pressure(values int) []byte {
	const get, set, constant = 0x20, 0x21, 0x41
	var f []byte
	f = append(f, 1)
	f = appendU32(f, uint32(2*values))
	f = append(f, 0x7f)
	local := func(op byte, n int) { f = appendU32(append(f, op), uint32(n)) }
	for i := range values { // v[i] = (a + b*(i+3)) ^ a, never 0 by | 1
		local(get, 0)
		local(get, 1)
		f = append(f, constant, byte(i%60+3), 0x6c, 0x6a)
		local(get, 0)
		f = append(f, 0x73, constant, 1, 0x72)
		local(set, 2+i)
	}
	for i := range values { // r[i] = v[i] rem v[i+1], with and without sign in turn
		local(get, 2+i)
		local(get, 2+(i+1)%values)
		f = append(f, 0x6f+byte(i%2))
		local(set, 2+values+i)
	}
	f = append(f, constant, 0)
	for i := range 2 * values {
		local(get, 2+i)
		f = append(f, constant, 31, 0x6c, 0x6a)
	}
	f = append(f, 0x0b)
	section := func(id byte, body []byte) []byte { return append(appendU32([]byte{id}, uint32(len(body))), body...) }
	m := []byte("\x00asm\x01\x00\x00\x00")
	m = append(m, section(sectionType, []byte{1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f})...)
	m = append(m, section(sectionFunction, []byte{1, 0})...)
	m = append(m, section(sectionMemory, []byte{1, 0, 1})...)
	m = append(m, section(7, []byte{1, 1, 'f', 0, 0})...)
	return append(m, section(sectionCode, append(appendU32([]byte{1}, uint32(len(f))), f...))...)
}

// Native code computes the same remainders as the interpreter does, on every processor: wazero 1.12.0 alone does not on
// arm64 when registers are short. To see that from an amd64 machine:
//
//	GOARCH=arm64 go test -c -o guest.test ./toolsandbox/guest && qemu-aarch64-static guest.test -test.run Remainders -test.v
func TestRemaindersUnderPressure(t *testing.T) {
	ctx := t.Context()
	plain := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer plain.Close(ctx)
	native := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler())
	defer native.Close(ctx)
	random := rand.New(rand.NewPCG(1, 2))
	stockWrong, calls := 0, 0
	for _, values := range []int{2, 8, 14, 20, 28, 36, 60} {
		module := pressure(values)
		lean, _, err := lower(module)
		if err != nil {
			t.Fatal(err)
		}
		right, err := plain.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithName(""))
		if err != nil {
			t.Fatal(err)
		}
		stock, err := native.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithName(""))
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := native.InstantiateWithConfig(ctx, lean, wazero.NewModuleConfig().WithName(""))
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			a, b := uint64(random.Uint32()), uint64(random.Uint32())
			want, err := right.ExportedFunction("f").Call(ctx, a, b)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := lowered.ExportedFunction("f").Call(ctx, a, b); err != nil || got[0] != want[0] {
				t.Fatalf("%d values, f(%d, %d) = %v, want %v: %v", values, a, b, got, want, err)
			}
			if got, err := stock.ExportedFunction("f").Call(ctx, a, b); err != nil || got[0] != want[0] {
				stockWrong++
			}
			calls++
		}
	}
	t.Logf("of %d calls, wazero alone got %d wrong here", calls, stockWrong)
}
