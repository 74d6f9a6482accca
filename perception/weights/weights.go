// Package weights uses the numbers of the robot's own networks where they lie in the program: eight bits each, in pages that the kernel
// reads from the program's file when they are wanted and drops when memory is short. Copies of them as floats were half of the heap.
package weights

import (
	"encoding/binary"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
)

// Matrix has rows of numbers: whole steps, each row with a step size of its own.
type Matrix struct {
	Rows, Cols int
	sizes      string // four bytes a row
	steps      string // a byte a number
}

// Bytes is how much data a matrix has, sizes first.
func Bytes(rows, cols int) int { return 4*rows + rows*cols }

// New is the matrix of data, which has as many bytes as Bytes says.
func New(rows, cols int, data string) Matrix {
	return Matrix{Rows: rows, Cols: cols, sizes: data[:4*rows], steps: data[4*rows : Bytes(rows, cols)]}
}

// Size is the step size of a row.
func (m *Matrix) Size(row int) float32 { return float(m.sizes[4*row:]) }

// numbers are the steps as floats: a look-up is quicker than to convert each of them.
var numbers = func() (n [256]float32) {
	for i := range n {
		n[i] = float32(int8(i))
	}
	return n
}()

// Number is a step as a float.
func Number(step byte) float32 { return numbers[step] }

// Add adds a share of a row to x.
func (m *Matrix) Add(row int, share float32, x []float32) {
	share *= m.Size(row)
	steps := m.steps[row*m.Cols:][:len(x)]
	for i := range x {
		x[i] += share * numbers[steps[i]]
	}
}

// Wide writes the matrix as floats into a buffer, which grows when it is too small, and is good until the buffer is used again.
func (m *Matrix) Wide(buffer *[]float32) blas32.General {
	n := m.Rows * m.Cols
	if cap(*buffer) < n {
		*buffer = make([]float32, n)
	}
	data := (*buffer)[:n]
	for r := range m.Rows {
		size, out := m.Size(r), data[r*m.Cols:][:m.Cols]
		steps := m.steps[r*m.Cols:][:len(out)]
		for i := range out {
			out[i] = size * numbers[steps[i]]
		}
	}
	return blas32.General{Rows: m.Rows, Cols: m.Cols, Stride: max(m.Cols, 1), Data: data}
}

// Column is the numbers of a matrix of one column, such as what is added to sums.
func (m *Matrix) Column() []float32 {
	out := make([]float32, m.Rows)
	for i := range out {
		m.Add(i, 1, out[i:][:1])
	}
	return out
}

// Floats are numbers of four bytes each.
func Floats(data string) []float32 {
	out := make([]float32, len(data)/4)
	for i := range out {
		out[i] = float(data[4*i:])
	}
	return out
}

func float(data string) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32([]byte(data[:4])))
}
