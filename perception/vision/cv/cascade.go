package cv

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// maxCascade is the most bytes of a file with a cascade; Debian's have up to 1 MB.
const maxCascade = 16 << 20

// cascadeParts are what OpenCV takes for granted in such a file.
var cascadeParts = []string{"stageType", "featureType", "height", "width", "stages", "features"}

// checkCascade says whether a file is a cascade. OpenCV does not throw where it is none: it crashes.
func checkCascade(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if err := readCascade(io.LimitReader(f, maxCascade)); err != nil {
		return fmt.Errorf("%s is no cascade: %w", path, err)
	}
	return nil
}

func readCascade(r io.Reader) error {
	var at, have []string
	for d := xml.NewDecoder(r); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if at = append(at, token.Name.Local); len(at) == 3 && at[0] == "opencv_storage" && at[1] == "cascade" {
				have = append(have, at[2])
			}
		case xml.EndElement:
			at = at[:len(at)-1]
		}
	}
	var missing []string
	for _, p := range cascadeParts {
		if !slices.Contains(have, p) {
			missing = append(missing, p)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("it lacks %s", strings.Join(missing, ", "))
	}
	return nil
}
