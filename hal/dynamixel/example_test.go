package dynamixel_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/virtual"
)

// The codec needs no port: here an instruction asks servo 10 for its position, and a status packet answers.
func Example_codec() {
	fmt.Printf("% X\n", dynamixel.AppendRead(nil, 10, dynamixel.AddrPresentPosition, 4))

	var p dynamixel.Parser
	p.Feed(dynamixel.AppendStatus(nil, 10, 0, []byte{0, 8, 0, 0}))
	packet, ok := p.Next()
	fmt.Println(ok, packet.ID, binary.LittleEndian.Uint32(packet.Params), "ticks")
	// Output:
	// FF FF FD 00 0A 07 00 02 84 00 04 00 27 A5
	// true 10 2048 ticks
}

// A Bus talks to servos on any port; these are simulated ones behind a socket.
func ExampleBus() {
	dir, err := os.MkdirTemp("", "bus")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "bus.sock")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ready, ended := make(chan struct{}), make(chan error)
	chain := virtual.New(virtual.Options{Plant: virtual.NewSimple(hal.Joints{})})
	go func() { ended <- chain.ServeUnix(ctx, path, func() { close(ready) }) }()
	<-ready

	port, err := dynamixel.Open("unix:" + path)
	if err != nil {
		fmt.Println(err)
		return
	}
	bus := dynamixel.NewBus(port)
	model, firmware, err := bus.Ping(hal.BodyYaw.ServoID(), time.Now().Add(time.Second))
	fmt.Println(model == dynamixel.ModelXC330M288, firmware, err)

	fmt.Println(port.Close())
	cancel()
	fmt.Println(<-ended)
	// Output:
	// true 52 <nil>
	// <nil>
	// <nil>
}
