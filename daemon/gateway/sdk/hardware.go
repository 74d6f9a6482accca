package sdk

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The robot's sound card on USB, and where Linux lists it.
const (
	cardVendor, cardProduct = "38fb", "1001"
	usbDevices              = "/sys/bus/usb/devices"
)

// hardwareID is the number by which the official daemon tells robots apart: the first 16 digits of the SHA-256 of the sound card's serial
// number, so that the same robot has the same with both. It is nil when no such card is plugged in.
func hardwareID(devices string) *string {
	entries, _ := os.ReadDir(devices) // a host without USB has no card either
	for _, e := range entries {
		read := func(name string) string {
			text, _ := os.ReadFile(filepath.Join(devices, e.Name(), name)) // hubs and interfaces lack some
			return strings.TrimSpace(string(text))
		}
		serial := read("serial")
		if serial == "" || read("idVendor") != cardVendor || read("idProduct") != cardProduct {
			continue
		}
		sum := sha256.Sum256([]byte(serial))
		id := hex.EncodeToString(sum[:])[:16]
		return &id
	}
	return nil
}

// replugged is how often it is looked whether the sound card has been plugged in.
const replugged = 10 * time.Second

// hardware remembers the number of the robot.
type hardware struct {
	mu     sync.Mutex
	id     *string
	looked time.Time
}

// hardwareID is the number of the robot that is here; a simulated one has none.
func (g *Gateway) hardwareID() *string {
	if g.Simulated {
		return nil
	}
	h := &g.hardware
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.id == nil && time.Since(h.looked) > replugged {
		h.id, h.looked = hardwareID(usbDevices), time.Now()
	}
	return h.id
}
