//go:build !opencv

package cv

// Built reports whether this program contains OpenCV.
const Built = false

// Cascade cannot be had without the build tag opencv.
type Cascade struct{}

// OpenCascade returns ErrNotBuilt.
func OpenCascade(string) (*Cascade, error) { return nil, ErrNotBuilt }

// Find returns ErrNotBuilt.
func (*Cascade) Find(grey []byte, width, height int, _ float64, _, _ int) ([]Hit, error) {
	return nil, orNotBuilt(checkPixels(grey, width, height, 1))
}

// Close does nothing.
func (*Cascade) Close() error { return nil }

// YuNet cannot be had without the build tag opencv.
type YuNet struct{}

// OpenYuNet returns ErrNotBuilt.
func OpenYuNet(string, int, int) (*YuNet, error) { return nil, ErrNotBuilt }

// Find returns ErrNotBuilt.
func (*YuNet) Find(bgr []byte, width, height int) ([]Hit, error) {
	return nil, orNotBuilt(checkPixels(bgr, width, height, 3))
}

// Close does nothing.
func (*YuNet) Close() error { return nil }

// Net cannot be had without the build tag opencv.
type Net struct{}

// OpenNet returns ErrNotBuilt.
func OpenNet(string) (*Net, error) { return nil, ErrNotBuilt }

// Run returns ErrNotBuilt.
func (*Net) Run(bgr []byte, width, height int) (out []float32, rows, columns int, err error) {
	return nil, 0, 0, orNotBuilt(checkPixels(bgr, width, height, 3))
}

// Close does nothing.
func (*Net) Close() error { return nil }

func orNotBuilt(err error) error {
	if err != nil {
		return err
	}
	return ErrNotBuilt
}
