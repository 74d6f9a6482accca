package audio

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// boards are the vendor and product numbers of the robot's audio board, and of early ones.
var boards = []string{"38fb:1001", "2886:001a"}

// ErrNoBoard means that the robot's audio board is not plugged in.
var ErrNoBoard = errors.New("the robot's audio board is not on USB")

// findBoard looks for the board in a /sys/bus/usb/devices and returns the path of its device node.
func findBoard(devices fs.FS) (string, error) {
	entries, err := fs.ReadDir(devices, ".")
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoBoard, err)
	}
	attribute := func(dir, name string) string {
		b, _ := fs.ReadFile(devices, path.Join(dir, name)) // interfaces have none
		return strings.TrimSpace(string(b))
	}
	for _, board := range boards {
		for _, e := range entries {
			if attribute(e.Name(), "idVendor")+":"+attribute(e.Name(), "idProduct") != board {
				continue
			}
			bus, err := strconv.Atoi(attribute(e.Name(), "busnum"))
			if err != nil {
				return "", fmt.Errorf("USB device %s: bus number: %w", e.Name(), err)
			}
			dev, err := strconv.Atoi(attribute(e.Name(), "devnum"))
			if err != nil {
				return "", fmt.Errorf("USB device %s: device number: %w", e.Name(), err)
			}
			return fmt.Sprintf("/dev/bus/usb/%03d/%03d", bus, dev), nil
		}
	}
	return "", ErrNoBoard
}
