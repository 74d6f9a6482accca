package guest

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Section ids of the WebAssembly binary format.
const (
	sectionCustom    = 0
	sectionType      = 1
	sectionImport    = 2
	sectionFunction  = 3
	sectionMemory    = 5
	sectionStart     = 8
	sectionCode      = 10
	sectionData      = 11
	sectionDataCount = 12
	sectionTag       = 13
)

// Types of references of exceptions and of the host's.
const (
	typeExnref    = 0x69
	typeExternref = 0x6f
)

const pageSize = 65536

// remainders are i32.rem_s, i32.rem_u, i64.rem_s and i64.rem_u.
var remainders = [4]byte{0x6f, 0x70, 0x81, 0x82}

// lower prepares a module for being started from a memory image, on any processor. It returns the module without its
// custom and data sections, and the memory that the data sections describe.
//
// Every integer remainder becomes a call of a small function of its own: wazero 1.12.0 on arm64 computes wrong
// remainders when registers are short (fixed upstream after that release), and a function of two values never is.
//
// Exceptions go: a throw becomes a trap, which ends the call, and a try a mere block. The same release of wazero gives
// catch handlers the values that variables had before the try, and copies the whole stack at each of them.
func lower(module []byte) (lean, memory []byte, err error) {
	if len(module) < 8 || string(module[:8]) != "\x00asm\x01\x00\x00\x00" {
		return nil, nil, errors.New("not a WebAssembly module of version 1")
	}
	lean = append(make([]byte, 0, len(module)+64), module[:8]...)
	var types, imports, functions uint32
	var haveMemory, haveCode bool
	r := &reader{b: module, p: 8}
	for r.p < len(r.b) && r.err == nil {
		id := r.byte()
		body := r.bytes(r.u32())
		if r.err != nil {
			break
		}
		in := &reader{b: body}
		switch id {
		case sectionCustom, sectionDataCount, sectionTag:
			continue
		case sectionStart:
			return nil, nil, errors.New("module with a start function: cannot be started from a memory image")
		case sectionType:
			types = in.u32()
			body = lowerTypes(in, appendU32(nil, types+2), types)
			body = append(body, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 0x60, 2, 0x7e, 0x7e, 1, 0x7e)
		case sectionImport:
			if imports, err = countFunctionImports(in); err != nil {
				return nil, nil, err
			}
		case sectionFunction:
			functions = in.u32()
			body = append(appendU32(nil, functions+uint32(len(remainders))), in.rest()...)
			for _, t := range [...]uint32{types, types, types + 1, types + 1} {
				body = appendU32(body, t)
			}
		case sectionMemory:
			if n := in.u32(); n != 1 {
				return nil, nil, fmt.Errorf("module with %d memories, allowed 1", n)
			}
			in.byte() // flags
			pages := in.u32()
			if int64(pages)*pageSize > MaxMemory {
				return nil, nil, fmt.Errorf("module wants %d pages of memory, allowed %d", pages, MaxMemory/pageSize)
			}
			memory, haveMemory = make([]byte, int(pages)*pageSize), true
		case sectionCode:
			haveCode = true
			if body, err = lowerCode(in, imports+functions); err != nil {
				return nil, nil, err
			}
		case sectionData:
			if err := placeData(in, memory); err != nil {
				return nil, nil, err
			}
			continue
		}
		if in.err != nil {
			return nil, nil, fmt.Errorf("section %d: %w", id, in.err)
		}
		lean = append(appendU32(append(lean, id), uint32(len(body))), body...)
	}
	switch {
	case r.err != nil:
		return nil, nil, r.err
	case !haveMemory || !haveCode || types == 0 || functions == 0:
		return nil, nil, errors.New("module without types, functions, code or a memory of its own")
	}
	return lean, memory, nil
}

func countFunctionImports(r *reader) (n uint32, err error) {
	for i := r.u32(); i > 0 && r.err == nil; i-- {
		r.bytes(r.u32())
		r.bytes(r.u32())
		if kind := r.byte(); r.err == nil && kind != 0 {
			return 0, fmt.Errorf("module imports something of kind %d, allowed 0 (a function)", kind)
		}
		r.u32()
		n++
	}
	return n, r.err
}

// placeData writes the active data segments into memory.
func placeData(r *reader, memory []byte) error {
	for i := r.u32(); i > 0 && r.err == nil; i-- {
		switch mode := r.u32(); {
		case mode == 1 && r.err == nil:
			if n := r.u32(); n != 0 {
				return fmt.Errorf("passive data segment of %d bytes, allowed 0", n)
			}
			continue
		case mode != 0 && r.err == nil:
			return fmt.Errorf("data segment of mode %d, allowed 0 (active, memory 0)", mode)
		}
		if op := r.byte(); r.err == nil && op != 0x41 {
			return fmt.Errorf("data segment at a computed address (opcode %#x), allowed a constant", op)
		}
		at := r.s32()
		if end := r.byte(); r.err == nil && end != 0x0b {
			return fmt.Errorf("data segment at a computed address (opcode %#x), allowed a constant", end)
		}
		data := r.bytes(r.u32())
		if r.err != nil {
			break
		}
		if at < 0 || int(at)+len(data) > len(memory) {
			return fmt.Errorf("data segment at %d with %d bytes, memory has %d", at, len(data), len(memory))
		}
		copy(memory[at:], data)
	}
	return r.err
}

func lowerCode(r *reader, firstNew uint32) ([]byte, error) {
	n := r.u32()
	out := appendU32(make([]byte, 0, len(r.b)+64), n+uint32(len(remainders)))
	var f []byte
	for i := uint32(0); i < n; i++ {
		in := &reader{b: r.bytes(r.u32())}
		if r.err != nil {
			return nil, fmt.Errorf("function %d: %w", i, r.err)
		}
		f = lowerFunction(in, f[:0], firstNew)
		if in.err != nil {
			return nil, fmt.Errorf("function %d: %w", i, in.err)
		}
		out = append(appendU32(out, uint32(len(f))), f...)
	}
	for _, op := range remainders {
		out = append(out, 7, 0, 0x20, 0, 0x20, 1, op, 0x0b) // no locals; local.get 0; local.get 1; op; end
	}
	return out, nil
}

// lowerTypes copies the n types of a module to out.
func lowerTypes(r *reader, out []byte, n uint32) []byte {
	for ; n > 0 && r.err == nil; n-- {
		if form := r.byte(); form != 0x60 {
			r.fail(fmt.Errorf("type of form %#x, allowed 0x60 (a function)", form))
			break
		}
		out = append(out, 0x60)
		for range 2 { // parameters, results
			list := r.bytes(r.u32())
			out = appendU32(out, uint32(len(list)))
			for _, t := range list {
				out = append(out, lowerType(t))
			}
		}
	}
	return out
}

func lowerType(t byte) byte {
	if t == typeExnref {
		return typeExternref
	}
	return t
}

// lowerFunction copies a function body to out and replaces what lower says.
func lowerFunction(r *reader, out []byte, firstNew uint32) []byte {
	copied := 0 // r.b[:copied] is in out
	replace := func(from int, with ...byte) {
		out = append(append(out, r.b[copied:from]...), with...)
		copied = r.p
	}
	// reference passes over a type, which may be one of exceptions.
	reference := func() {
		if at := r.p; r.byte() == typeExnref {
			replace(at, typeExternref)
		}
	}
	blockType := func() {
		if r.p < len(r.b) && r.b[r.p] == typeExnref {
			reference()
		} else {
			r.s33()
		}
	}
	for i := r.u32(); i > 0 && r.err == nil; i-- {
		r.u32() // how many locals
		reference()
	}
	for r.p < len(r.b) && r.err == nil {
		at := r.p
		switch op := r.byte(); op {
		case 0x02, 0x03, 0x04: // block, loop, if
			blockType()
		case 0x1f: // try_table
			replace(at, 0x02)
			blockType()
			at = r.p
			for n := r.u32(); n > 0 && r.err == nil; n-- {
				if withTag := r.byte() < 2; withTag {
					r.u32()
				}
				r.u32() // label
			}
			replace(at)
		case 0x08: // throw
			r.u32()
			replace(at, 0x00)
		case 0x0a: // throw_ref
			replace(at, 0x00)
		case 0x1c: // select with types
			for n := r.u32(); n > 0 && r.err == nil; n-- {
				reference()
			}
		case 0xd0: // ref.null
			reference()
		default:
			for i, rem := range remainders {
				if op == rem {
					replace(at, appendU32([]byte{0x10}, firstNew+uint32(i))...)
				}
			}
			r.immediates(op)
		}
	}
	if r.err != nil {
		return out
	}
	return append(out, r.b[copied:]...)
}

// Kinds of what follows an opcode.
const (
	unsupported = iota // SIMD, threads
	nothing
	index   // of a label, function, local, global, table or memory
	indices // two of them: call_indirect, loads and stores
	targets // of br_table
	constI32
	constI64
	constF32
	constF64
	prefixed // another opcode, after 0xfc
)

// follows says what follows each opcode that lowerFunction does not read itself, and prefixFollows each after 0xfc.
var follows, prefixFollows = operands(map[[2]byte]byte{
	{0x00, 0x01}: nothing,
	{0x05, 0x05}: nothing,
	{0x0b, 0x0b}: nothing,
	{0x0f, 0x0f}: nothing,
	{0x1a, 0x1b}: nothing,
	{0x45, 0xc4}: nothing,
	{0xd1, 0xd1}: nothing,
	{0x0c, 0x0d}: index,
	{0x10, 0x10}: index,
	{0x20, 0x26}: index,
	{0x3f, 0x40}: index,
	{0xd2, 0xd2}: index,
	{0x11, 0x11}: indices,
	{0x28, 0x3e}: indices,
	{0x0e, 0x0e}: targets,
	{0x41, 0x41}: constI32,
	{0x42, 0x42}: constI64,
	{0x43, 0x43}: constF32,
	{0x44, 0x44}: constF64,
	{0xfc, 0xfc}: prefixed,
}), operands(map[[2]byte]byte{ // 8 and 9 use data segments, which are gone
	{0, 7}:   nothing,                                       // saturating conversions
	{10, 10}: indices, {12, 12}: indices, {14, 14}: indices, // memory.copy, table.init, table.copy
	{11, 11}: index, {13, 13}: index, {15, 17}: index, // memory.fill, elem.drop, table.grow, size, fill
})

// operands spreads ranges of opcodes, first to last.
func operands(ranges map[[2]byte]byte) (table [256]byte) {
	for r, kind := range ranges {
		for op := int(r[0]); op <= int(r[1]); op++ {
			table[op] = kind
		}
	}
	return table
}

// immediates skips what follows an opcode, if lowerFunction does not.
func (r *reader) immediates(op byte) {
	kind := follows[op]
	if kind == prefixed {
		sub := r.u32()
		if sub > 0xff || prefixFollows[sub] == unsupported {
			r.fail(fmt.Errorf("unsupported instruction 0xfc %d", sub))
			return
		}
		kind = prefixFollows[sub]
	}
	switch kind {
	case nothing:
	case index:
		r.u32()
	case indices:
		r.u32()
		r.u32()
	case targets:
		for n := r.u32(); n > 0 && r.err == nil; n-- {
			r.u32()
		}
		r.u32()
	case constI32:
		r.s32()
	case constI64:
		r.s64()
	case constF32:
		r.bytes(4)
	case constF64:
		r.bytes(8)
	default:
		r.fail(fmt.Errorf("unsupported instruction %#x", op))
	}
}

// reader reads the binary format; the first error stays in err and everything after it reads as zero.
type reader struct {
	b   []byte
	p   int
	err error
}

var errTruncated = errors.New("module is cut short")

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) byte() byte {
	if r.err != nil || r.p >= len(r.b) {
		r.fail(errTruncated)
		return 0
	}
	r.p++
	return r.b[r.p-1]
}

func (r *reader) bytes(n uint32) []byte {
	if r.err != nil || uint64(n) > uint64(len(r.b)-r.p) {
		r.fail(errTruncated)
		return nil
	}
	r.p += int(n)
	return r.b[r.p-int(n) : r.p]
}

func (r *reader) rest() []byte { return r.b[r.p:] }

func (r *reader) u32() uint32 {
	v, n := binary.Uvarint(r.b[r.p:])
	if r.err != nil || n <= 0 || n > 5 || v > 1<<32-1 {
		r.fail(errTruncated)
		return 0
	}
	r.p += n
	return uint32(v)
}

func (r *reader) s32() int32 { return int32(r.signed(5)) }
func (r *reader) s33() int64 { return r.signed(5) }
func (r *reader) s64() int64 { return r.signed(10) }

func (r *reader) signed(most int) (v int64) {
	for i := 0; i < most; i++ {
		c := r.byte()
		v |= int64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if s := 7 * (i + 1); s < 64 && c&0x40 != 0 {
				v |= -1 << s
			}
			return v
		}
	}
	r.fail(errors.New("number is too long"))
	return 0
}

func appendU32(b []byte, v uint32) []byte { return binary.AppendUvarint(b, uint64(v)) }
