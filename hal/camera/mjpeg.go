package camera

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"sync"
)

// MaxJPEG is the most bytes of one compressed picture; one of 3840×2592 has some 4 MB.
const MaxJPEG = 16 << 20

// errMalformed is met between two good pictures of a damaged stream, and is not told.
var errMalformed = errors.New("not a JPEG")

// Splitter cuts a stream of JPEG pictures, one after the other with anything between them, into pictures. It follows
// the segments, so that a picture with a thumbnail in its header stays whole. What is damaged is left out.
type Splitter struct {
	r    *bufio.Reader
	buf  []byte
	most int // bytes of a picture
}

// NewSplitter returns a splitter of what r gives.
func NewSplitter(r io.Reader) *Splitter {
	return &Splitter{r: bufio.NewReaderSize(r, 64<<10), most: MaxJPEG}
}

// Next returns the next whole picture in memory of its own. The error is that of the reader; io.EOF within a picture
// is io.ErrUnexpectedEOF.
func (s *Splitter) Next() ([]byte, error) {
	for {
		if err := s.seek(); err != nil {
			return nil, err
		}
		switch err := s.picture(); {
		case err == nil:
			return bytes.Clone(s.buf), nil
		case errors.Is(err, errMalformed):
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// JPEG markers.
const (
	soi = 0xd8 // start of image
	eoi = 0xd9 // end of image
	sos = 0xda // start of scan: compressed data follow
	dht = 0xc4 // Huffman tables
	tem = 0x01
)

func standalone(m byte) bool { return m == tem || m >= 0xd0 && m <= soi }

// seek reads up to and including the beginning of a picture: start of image and the first byte of the next marker.
func (s *Splitter) seek() error {
	at := 0 // how much of FF D8 FF has been met
	for at < 3 {
		b, err := s.r.ReadByte()
		if err != nil {
			return err
		}
		switch {
		case at == 1 && b == soi:
			at = 2
		case b == 0xff && at == 2:
			at = 3
		case b == 0xff:
			at = 1
		default:
			at = 0
		}
	}
	s.buf = append(s.buf[:0], 0xff, soi, 0xff)
	return nil
}

// picture reads the rest of a picture, from the second byte of its first marker on.
func (s *Splitter) picture() error {
	for {
		m, err := s.marker()
		if err != nil {
			return err
		}
		switch {
		case m == eoi:
			return nil
		case standalone(m):
			if m == soi {
				return errMalformed
			}
			if err := s.expect(0xff); err != nil {
				return err
			}
			continue
		}
		if err := s.segment(); err != nil {
			return err
		}
		if m == sos {
			err = s.scan()
		} else {
			err = s.expect(0xff)
		}
		if err != nil {
			return err
		}
	}
}

// marker reads the second byte of a marker, past any fill bytes.
func (s *Splitter) marker() (byte, error) {
	for {
		b, err := s.read()
		if err != nil {
			return 0, err
		}
		switch b {
		case 0xff: // fill
			s.buf = s.buf[:len(s.buf)-1]
			continue
		case 0:
			return 0, errMalformed
		}
		return b, nil
	}
}

// segment reads a length and as many bytes.
func (s *Splitter) segment() error {
	hi, err := s.read()
	if err != nil {
		return err
	}
	lo, err := s.read()
	if err != nil {
		return err
	}
	n := int(hi)<<8 | int(lo)
	if n < 2 || len(s.buf)+n > s.most {
		return errMalformed
	}
	from := len(s.buf)
	s.buf = append(s.buf, make([]byte, n-2)...)
	_, err = io.ReadFull(s.r, s.buf[from:])
	return err
}

// scan reads compressed data up to and including the first byte of the marker behind them.
func (s *Splitter) scan() error {
	for {
		chunk, err := s.r.ReadSlice(0xff)
		s.buf = append(s.buf, chunk...)
		if len(s.buf) > s.most {
			return errMalformed
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return err
		}
		next, err := s.r.Peek(1)
		if err != nil {
			return err
		}
		if m := next[0]; m != 0 && (m < 0xd0 || m > 0xd7) { // neither a stuffed FF nor a restart
			return nil
		}
		if _, err := s.read(); err != nil {
			return err
		}
	}
}

func (s *Splitter) expect(want byte) error {
	b, err := s.read()
	if err == nil && b != want {
		return errMalformed
	}
	return err
}

func (s *Splitter) read() (byte, error) {
	b, err := s.r.ReadByte()
	if err == nil {
		s.buf = append(s.buf, b)
	}
	return b, err
}

// withTables returns a JPEG that every decoder reads: cameras on USB may leave out the Huffman tables, because those
// of the standard are meant. data is not changed.
func withTables(data []byte) []byte {
	at, has := tablesOf(data)
	if has || at < 0 {
		return data
	}
	out := make([]byte, 0, len(data)+len(standardTables()))
	out = append(out, data[:at]...)
	out = append(out, standardTables()...)
	return append(out, data[at:]...)
}

// tablesOf returns where the first scan begins, −1 when there is none, and whether Huffman tables come before it.
func tablesOf(data []byte) (at int, has bool) {
	for i := 2; i+4 <= len(data) && data[i] == 0xff; {
		m, n := data[i+1], int(data[i+2])<<8|int(data[i+3])
		switch {
		case m == 0xff:
			i++
			continue
		case standalone(m):
			i += 2
			continue
		case m == dht:
			return i, true
		case m == sos:
			return i, false
		}
		i += 2 + n
	}
	return -1, false
}

// standardTables are the Huffman tables of the JPEG standard as segments, taken from a picture that Go compressed.
var standardTables = sync.OnceValue(func() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 8, 8))
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(fmt.Sprintf("compress 8×8 pixels: %v", err)) // memory does not fail
	}
	data := b.Bytes()
	at, _ := tablesOf(data)
	return data[at : at+2+int(data[at+2])<<8+int(data[at+3])]
})
