package camera

// Device is a camera on USB, read by way of V4L2 in the form of JPEG pictures, which every such camera can give.
type Device struct {
	Path          string // /dev/video0, or better a name below /dev/v4l/by-id that stays the same
	Width, Height int    // 640×480 if 0; the driver chooses the nearest that it has
	FPS           int    // 15 if 0; likewise
	// Of is how pixels and directions belong together; RobotIntrinsics if nil.
	Of func(width, height int) Intrinsics
}

// Intrinsics implements Source.
func (d Device) Intrinsics(width, height int) Intrinsics {
	if d.Of != nil {
		return d.Of(width, height)
	}
	return RobotIntrinsics(width, height)
}

// String implements Source.
func (d Device) String() string { return d.Path }
