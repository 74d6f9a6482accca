package camera

import (
	"fmt"
	"strings"
)

// The size and rate of pictures that are asked of a source that can choose.
const (
	DefaultWidth  = 640
	DefaultHeight = 480
	DefaultFPS    = 15
)

// Parse finds a source by its address:
//
//	sim:SOCKET        the simulated eye of the reachy-sim that serves HTTP on a unix socket
//	/dev/videoN       a camera on USB (V4L2); device:PATH is the same
//	rpicam            the camera of the wireless robot, by way of rpicam-vid
//	file:PATH         a picture, a directory of pictures, or a file of JPEG pictures one after the other (.mjpeg)
func Parse(address string) (Source, error) {
	kind, path, _ := strings.Cut(address, ":")
	switch {
	case strings.HasPrefix(address, "/dev/"):
		return Device{Path: address}, nil
	case address == "rpicam":
		return RPiCam(0, 0, 0), nil
	case path == "":
	case kind == "device":
		return Device{Path: path}, nil
	case kind == "sim":
		return Sim{Socket: path}, nil
	case kind == "file":
		return File{Path: path}, nil
	}
	return nil, fmt.Errorf("camera %q is not understood; allowed are sim:SOCKET, /dev/videoN, rpicam and file:PATH", address)
}

func orNumber(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}
