package ollamatest

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
)

// file is a model in the GGUF format, version 3: named values, then tensors of 32-bit floats.
type file struct {
	values  bytes.Buffer
	nvalues uint64
	tensors []tensor
}

type tensor struct {
	name string
	dims []uint64
	data []float32 // the rest is zero
}

func (t *tensor) size() int {
	n := 1
	for _, d := range t.dims {
		n *= int(d)
	}
	return n
}

// The types of values in a GGUF file.
const (
	ggufUint32  = 4
	ggufInt32   = 5
	ggufFloat32 = 6
	ggufBool    = 7
	ggufString  = 8
	ggufArray   = 9
	ggufUint64  = 10
)

// alignment is where the data of tensors may begin.
const alignment = 32

func writeText(b *bytes.Buffer, s string) {
	b.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
	b.WriteString(s)
}

func (f *file) header(key string, kind uint32) {
	f.nvalues++
	writeText(&f.values, key)
	f.raw(kind)
}

func (f *file) raw(v any) {
	_ = binary.Write(&f.values, binary.LittleEndian, v) // a bytes.Buffer takes everything
}

// set adds a value.
func (f *file) set(key string, v any) {
	switch v := v.(type) {
	case int:
		f.header(key, ggufUint32)
		f.raw(uint32(v))
	case uint64:
		f.header(key, ggufUint64)
		f.raw(v)
	case float32:
		f.header(key, ggufFloat32)
		f.raw(v)
	case bool:
		f.header(key, ggufBool)
		f.raw(v)
	case string:
		f.header(key, ggufString)
		writeText(&f.values, v)
	case []string:
		f.header(key, ggufArray)
		f.raw(uint32(ggufString))
		f.raw(uint64(len(v)))
		for _, s := range v {
			writeText(&f.values, s)
		}
	case []int32:
		f.header(key, ggufArray)
		f.raw(uint32(ggufInt32))
		f.raw(uint64(len(v)))
		f.raw(v)
	default:
		panic("gguf: no such type")
	}
}

// add adds a tensor of these dimensions, the fastest first.
func (f *file) add(name string, data []float32, dims ...int) {
	t := tensor{name: name, data: data}
	for _, d := range dims {
		t.dims = append(t.dims, uint64(d))
	}
	f.tensors = append(f.tensors, t)
}

// bytes returns the file.
func (f *file) bytes() []byte {
	parameters := uint64(0)
	for _, t := range f.tensors {
		parameters += uint64(t.size())
	}
	f.set("general.parameter_count", parameters)
	var b bytes.Buffer
	b.Grow(int(4*parameters) + f.values.Len() + 256*len(f.tensors))
	b.WriteString("GGUF")
	le := binary.LittleEndian
	b.Write(le.AppendUint32(nil, 3))
	b.Write(le.AppendUint64(nil, uint64(len(f.tensors))))
	b.Write(le.AppendUint64(nil, f.nvalues))
	b.Write(f.values.Bytes())
	offset := uint64(0)
	for _, t := range f.tensors {
		writeText(&b, t.name)
		b.Write(le.AppendUint32(nil, uint32(len(t.dims))))
		for _, d := range t.dims {
			b.Write(le.AppendUint64(nil, d))
		}
		b.Write(le.AppendUint32(nil, 0)) // 32-bit floats
		b.Write(le.AppendUint64(nil, offset))
		offset += uint64(4*t.size()+alignment-1) / alignment * alignment
	}
	var word [4]byte
	for _, t := range f.tensors {
		for b.Len()%alignment != 0 {
			b.WriteByte(0)
		}
		for _, x := range t.data {
			le.PutUint32(word[:], math.Float32bits(x))
			b.Write(word[:])
		}
		b.Write(make([]byte, 4*(t.size()-len(t.data))))
	}
	return b.Bytes()
}

// weights makes numbers for tensors, the same ones every time.
type weights struct{ *rand.Rand }

func newWeights(seed uint64) weights { return weights{rand.New(rand.NewPCG(seed, seed))} }

// normal returns n numbers of mean 0 and this deviation.
func (w weights) normal(n int, deviation float64) []float32 {
	v := make([]float32, n)
	if deviation == 0 {
		return v
	}
	for i := range v {
		v[i] = float32(w.NormFloat64() * deviation)
	}
	return v
}

// linear adds the weights from so many to so many, whose sums deviate by the scale.
func (f *file) linear(w weights, name string, in, out int, scale float64) {
	f.add(name+".weight", w.normal(in*out, scale/math.Sqrt(float64(in))), in, out)
}

// norm adds the weights of a normalisation that changes nothing else.
func (f *file) norm(name string, n int) { f.add(name+".weight", slices.Repeat([]float32{1}, n), n) }
