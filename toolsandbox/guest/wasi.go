package guest

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

const (
	errnoFault  = 21
	errnoInval  = 28
	errnoNotSup = 58

	subscriptionSize = 48
	eventSize        = 32
	maxSubscriptions = 64
)

// instantiateWASI gives guests wazero's WASI with one function replaced: its poll_oneoff knows no absolute times, which
// time.sleep of CPython asks for, and no clock but the host's.
func instantiateWASI(ctx context.Context, rt wazero.Runtime) error {
	b := rt.NewHostModuleBuilder(wasi_snapshot_preview1.ModuleName)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	i32 := api.ValueTypeI32
	b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(pollOneoff), []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}).Export("poll_oneoff")
	_, err := b.Instantiate(ctx)
	return err
}

type instanceKey struct{}

// pollOneoff waits for the earliest of the clocks that the guest names. Files are never waited for.
func pollOneoff(ctx context.Context, m api.Module, stack []uint64) {
	in, out, n, result := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	stack[0] = poll(ctx, m.Memory(), in, out, n, result)
}

func poll(ctx context.Context, mem api.Memory, in, out, n, result uint32) uint64 {
	inst, ok := ctx.Value(instanceKey{}).(*instance)
	if !ok || n == 0 || n > maxSubscriptions {
		return errnoInval
	}
	clock := inst.call.clock
	subscriptions, ok := mem.Read(in, n*subscriptionSize)
	if !ok {
		return errnoFault
	}
	least, userdata, found := time.Duration(math.MaxInt64), uint64(0), false
	for s := subscriptions; len(s) > 0; s = s[subscriptionSize:] {
		if s[8] != 0 { // not a clock
			continue
		}
		d := time.Duration(min(binary.LittleEndian.Uint64(s[24:]), math.MaxInt64))
		if absolute := s[40]&1 != 0; absolute {
			if realtime := binary.LittleEndian.Uint32(s[16:]) == 0; realtime {
				d = time.Unix(0, int64(d)).Sub(clock.wall) - clock.elapsed()
			} else {
				d -= monotonicBase + clock.elapsed()
			}
		}
		if d < least {
			least, userdata, found = d, binary.LittleEndian.Uint64(s), true
		}
	}
	if !found {
		return errnoNotSup
	}
	clock.sleep(ctx, least)
	event, ok := mem.Read(out, eventSize)
	if !ok || !mem.WriteUint32Le(result, 1) {
		return errnoFault
	}
	clear(event)
	binary.LittleEndian.PutUint64(event, userdata)
	return 0
}
