package api

// TypeNetwork is the type of Network.
const TypeNetwork Type = "network"

// Network is how the robot's host is connected, told when that changes, and when the signal does by 6 dB.
type Network struct {
	Address   string  `json:"address,omitempty"` // under which others reach it: 192.168.1.20
	Connected bool    `json:"connected"`
	Interface string  `json:"interface,omitempty"` // of the host: wlan0
	Name      string  `json:"name,omitempty"`      // of the wireless network
	Signal    *Number `json:"signal,omitempty"`    // of the wireless network, dBm
	Wireless  bool    `json:"wireless,omitempty"`
}

// EventType implements Payload.
func (Network) EventType() Type { return TypeNetwork }
