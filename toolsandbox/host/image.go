package host

import (
	"bytes"
	"encoding/json"
	"image"
	"image/draw"
	_ "image/gif" // read only
	"image/jpeg"
	"image/png"
	"math"
	"strings"

	_ "golang.org/x/image/bmp" // read only
	_ "golang.org/x/image/webp"
)

// picture is rows of pixels without gaps, 1, 3 or 4 bytes each. What the bytes mean is the tool's affair: cv2 keeps
// blue first, PIL red.
type picture struct {
	w, h, c int
	pix     []byte
}

func (p *picture) at(x, y int) []byte {
	i := (y*p.w + x) * p.c
	return p.pix[i : i+p.c : i+p.c]
}

// handle is a picture as the guest knows it.
type handle struct {
	ID int `json:"id"`
	W  int `json:"w"`
	H  int `json:"h"`
	C  int `json:"c"`
}

// images are the pictures of one call.
type images struct {
	limits Limits
	held   map[int]*picture
	last   int
	bytes  int64
	ops    int64 // pixels touched
}

// size checks the dimensions of a picture that is about to be made.
func (s *images) size(w, h, c int) error {
	side := s.limits.ImageSide
	switch {
	case w < 1 || h < 1 || w > side || h > side:
		return fail(CodeLimit, "picture of %d x %d, allowed 1 to %d each way", w, h, side)
	case c != 1 && c != 3 && c != 4:
		return invalid("channels: %d, allowed 1, 3 and 4", c)
	case len(s.held) >= s.limits.Images:
		return fail(CodeLimit, "%d pictures are held, allowed %d; let go of some", len(s.held), s.limits.Images)
	case s.bytes+int64(w)*int64(h)*int64(c) > s.limits.ImageBytes:
		return fail(CodeLimit, "all pictures would take %d bytes, allowed %d", s.bytes+int64(w)*int64(h)*int64(c), s.limits.ImageBytes)
	}
	return s.charge(int64(w) * int64(h))
}

// charge counts work, in pixels.
func (s *images) charge(n int64) error {
	if s.ops += n; s.ops > s.limits.ImageOps || n < 0 {
		return fail(CodeLimit, "the tool's pictures took more work than %d pixels, which is all it may have", s.limits.ImageOps)
	}
	return nil
}

func (s *images) make(w, h, c int) (*picture, error) {
	if err := s.size(w, h, c); err != nil {
		return nil, err
	}
	return &picture{w, h, c, make([]byte, w*h*c)}, nil
}

func (s *images) keep(p *picture) handle {
	s.last++
	s.held[s.last] = p
	s.bytes += int64(len(p.pix))
	return handle{s.last, p.w, p.h, p.c}
}

func (s *images) free(ids []int) {
	for _, id := range ids {
		if p := s.held[id]; p != nil {
			s.bytes -= int64(len(p.pix))
			delete(s.held, id)
		}
	}
}

func (s *images) get(id int) (*picture, error) {
	if p := s.held[id]; p != nil {
		return p, nil
	}
	return nil, fail(CodeNotFound, "there is no picture %d", id)
}

// fromImage copies an image into c channels, in the order rgb or bgr; c 0 keeps what it has: grey, colour, or colour
// with transparency.
func (s *images) fromImage(img image.Image, order string, c int) (any, error) {
	if err := checkOrder(order); err != nil {
		return nil, err
	}
	if c == 0 {
		c = channelsOf(img)
	}
	b := img.Bounds()
	p, err := s.make(b.Dx(), b.Dy(), c)
	if err != nil {
		return nil, err
	}
	switch c {
	case 1:
		draw.Draw(&image.Gray{Pix: p.pix, Stride: p.w, Rect: image.Rect(0, 0, p.w, p.h)}, image.Rect(0, 0, p.w, p.h), img, b.Min, draw.Src)
	default:
		r := image.Rect(0, 0, p.w, p.h)
		rgba := image.NewRGBA(r)
		var target draw.Image = rgba
		if channelsOf(img) == 4 { // colours must not be darkened by their transparency; this way is slower
			target = &image.NRGBA{Pix: rgba.Pix, Stride: rgba.Stride, Rect: r}
		}
		draw.Draw(target, r, img, b.Min, draw.Src)
		for i, j := 0, 0; i < len(rgba.Pix); i, j = i+4, j+c {
			copy(p.pix[j:j+c], rgba.Pix[i:i+4])
		}
	}
	if order == orderBGR {
		swap(p)
	}
	return s.keep(p), nil
}

// The orders of bytes in a pixel.
const (
	orderRGB = "rgb"
	orderBGR = "bgr"
)

func checkOrder(order string) error {
	if order != orderRGB && order != orderBGR {
		return invalid("order: %.40q, allowed %s and %s", order, orderRGB, orderBGR)
	}
	return nil
}

// swap exchanges red and blue in place.
func swap(p *picture) {
	if p.c < 3 {
		return
	}
	for i := 0; i < len(p.pix); i += p.c {
		p.pix[i], p.pix[i+2] = p.pix[i+2], p.pix[i]
	}
}

func channelsOf(img image.Image) int {
	switch img := img.(type) {
	case *image.Gray, *image.Gray16:
		return 1
	case *image.YCbCr, *image.CMYK:
		return 3
	case interface{ Opaque() bool }:
		if img.Opaque() {
			return 3
		}
	}
	return 4
}

// maxDecoded is the most pixels of a picture that is read from a file.
const maxDecoded = 6 << 20

func (s *images) decode(data []byte, order string, c int) (any, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, invalid("picture: %v; allowed are JPEG, PNG, GIF, BMP and WebP", err)
	}
	if config.Width < 1 || config.Height < 1 || config.Width > s.limits.ImageSide || config.Height > s.limits.ImageSide {
		return nil, fail(CodeLimit, "picture of %d x %d, allowed 1 to %d each way", config.Width, config.Height, s.limits.ImageSide)
	}
	// Decoders take up to 16 bytes a pixel while they read.
	if n := config.Width * config.Height; n > maxDecoded {
		return nil, fail(CodeLimit, "picture of %d x %d, allowed %d pixels in all", config.Width, config.Height, maxDecoded)
	}
	if err := s.size(config.Width, config.Height, 4); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, invalid("picture (%s): %v", format, err)
	}
	h, err := s.fromImage(img, order, c)
	if err != nil {
		return nil, err
	}
	return struct {
		handle
		Format string `json:"format"`
	}{h.(handle), format}, nil
}

// asImage shows a picture to the encoders; alpha keeps transparency.
func (p *picture) asImage(order string, alpha bool) image.Image {
	r := image.Rect(0, 0, p.w, p.h)
	if p.c == 1 {
		return &image.Gray{Pix: p.pix, Stride: p.w, Rect: r}
	}
	img := image.NewRGBA(r) // what the encoders are quick with
	red, blue := 0, 2
	if order == orderBGR {
		red, blue = 2, 0
	}
	alpha = alpha && p.c == 4
	for i, j := 0, 0; j < len(img.Pix); i, j = i+p.c, j+4 {
		img.Pix[j], img.Pix[j+1], img.Pix[j+2], img.Pix[j+3] = p.pix[i+red], p.pix[i+1], p.pix[i+blue], 255
		if alpha {
			img.Pix[j+3] = p.pix[i+3]
		}
	}
	if alpha {
		return &image.NRGBA{Pix: img.Pix, Stride: img.Stride, Rect: r}
	}
	return img
}

const defaultQuality = 90

func (s *images) encode(p *picture, order, format string, quality int) ([]byte, error) {
	if err := checkOrder(order); err != nil {
		return nil, err
	}
	// Encoding takes an order of magnitude longer than copying.
	if err := s.charge(10 * int64(p.w) * int64(p.h)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	var err error
	switch strings.ToLower(format) {
	case "jpg", "jpeg":
		if quality == 0 {
			quality = defaultQuality
		}
		if quality < 1 || quality > 100 {
			return nil, invalid("quality: %d, allowed 1 to 100", quality)
		}
		err = jpeg.Encode(&b, p.asImage(order, false), &jpeg.Options{Quality: quality})
	case "png":
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, p.asImage(order, true))
	default:
		return nil, invalid("format: %.40q, allowed are jpg, jpeg and png", format)
	}
	return b.Bytes(), err
}

// imageArgs are the arguments of all operations; each uses some.
type imageArgs struct {
	Op    string `json:"op"`
	Free  []int  `json:"free"` // pictures that the tool let go of
	ID    int    `json:"id"`
	Other int    `json:"other"`
	Mask  int    `json:"mask"`

	Path    string `json:"path"`
	Data    []byte `json:"data"`
	Order   string `json:"order"`
	Format  string `json:"format"`
	Quality int    `json:"quality"`
	Offset  int    `json:"offset"`

	X      int       `json:"x"`
	Y      int       `json:"y"`
	W      int       `json:"w"`
	H      int       `json:"h"`
	C      int       `json:"c"`
	Kind   string    `json:"kind"`
	Colour []float64 `json:"colour"`
	Low    []float64 `json:"low"`
	High   []float64 `json:"high"`
	Values []float64 `json:"values"`
	Points []int     `json:"points"`
	Text   string    `json:"text"`
	Width  int       `json:"width"` // of lines; -1 fills
}

func (s *Set) imageCall(raw json.RawMessage) (any, error) {
	var a imageArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	s.images.free(a.Free)
	switch a.Op {
	case "free":
		return nil, nil
	case "new":
		p, err := s.images.make(a.W, a.H, a.C)
		if err != nil {
			return nil, err
		}
		fillColour(p, a.Colour)
		return s.images.keep(p), nil
	case "decode":
		data := a.Data
		if a.Path != "" {
			name, err := scratchName(a.Path)
			if err != nil {
				return nil, err
			}
			if data, err = s.scratch.read(name); err != nil {
				return nil, err
			}
		}
		return s.images.decode(data, a.Order, a.C)
	}
	p, err := s.images.get(a.ID)
	if err != nil {
		return nil, err
	}
	switch a.Op {
	case "encode":
		return s.encodeCall(p, &a)
	case "get":
		if a.Offset < 0 || a.Offset > len(p.pix) {
			return nil, invalid("offset: %d, allowed 0 to %d", a.Offset, len(p.pix))
		}
		piece := p.pix[a.Offset:]
		return map[string][]byte{"data": piece[:min(len(piece), maxPiece)]}, nil
	case "put":
		if a.Offset < 0 || a.Offset > len(p.pix) || len(a.Data) > len(p.pix)-a.Offset || len(a.Data) > maxPiece {
			return nil, invalid("data: %d bytes at %d of %d, allowed %d at a time", len(a.Data), a.Offset, len(p.pix), maxPiece)
		}
		copy(p.pix[a.Offset:], a.Data)
		return nil, nil
	case "draw":
		return nil, s.images.draw(p, &a)
	case "stat":
		return s.images.stat(p, &a)
	}
	operation, ok := operations[a.Op]
	if !ok {
		return nil, invalid("op: %.40q is not known", a.Op)
	}
	q, err := operation(&s.images, p, &a)
	if err != nil {
		return nil, err
	}
	return s.images.keep(q), nil
}

func (s *Set) encodeCall(p *picture, a *imageArgs) (any, error) {
	format, name := a.Format, ""
	if a.Path != "" {
		var err error
		if name, err = scratchName(a.Path); err != nil {
			return nil, err
		}
		if format == "" {
			format = name[strings.LastIndexByte(name, '.')+1:]
		}
	}
	data, err := s.images.encode(p, a.Order, format, a.Quality)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return map[string][]byte{"data": data}, nil
	}
	return map[string]any{"name": name, "size": len(data)}, s.scratch.write(name, data, false)
}

// colourOf makes bytes of the colour that a tool gave, as many as a pixel has; what is missing is 0, transparency 255.
func colourOf(colour []float64, c int) [4]byte {
	out := [4]byte{3: 255}
	if c < 4 {
		out[3] = 0
	}
	for i := range min(len(colour), c) {
		out[i] = clampByte(colour[i])
	}
	return out
}

func clampByte(v float64) byte { return byte(math.Round(max(0, min(255, v)))) }

func fillColour(p *picture, colour []float64) {
	c := colourOf(colour, p.c)
	for i := 0; i < len(p.pix); i += p.c {
		copy(p.pix[i:i+p.c], c[:])
	}
}

// mask returns the mask of a picture, one channel of its size, or nil when id is 0.
func (s *images) mask(id int, p *picture) (*picture, error) {
	if id == 0 {
		return nil, nil
	}
	mask, err := s.get(id)
	if err != nil {
		return nil, err
	}
	if mask.c != 1 || mask.w != p.w || mask.h != p.h {
		return nil, invalid("mask of %d x %d x %d: allowed %d x %d x 1", mask.w, mask.h, mask.c, p.w, p.h)
	}
	return mask, nil
}
