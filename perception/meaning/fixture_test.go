package meaning

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fakeVocabulary has the signs and letters that there are, and numbers up to the full count.
func fakeVocabulary() []byte {
	lines := []string{"[CLS]", "[SEP]", "[UNK]", "hello", "there", "##s"}
	for c := '!'; c <= '~'; c++ {
		lines = append(lines, string(c))
		lines = append(lines, "##"+string(c))
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	for i := len(lines); i < pieces; i++ {
		lines = append(lines, fmt.Sprintf("piece%d", i))
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// fakePublished is a file as the publisher's, with random weights. All its tensors lie on one another: the file is a third of the size.
var fakePublished = sync.OnceValue(func() []byte {
	random := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, pieces*Size)
	for i := range x {
		x[i] = random.Float32()*0.2 - 0.1
	}
	head := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	for _, s := range slices.Concat(matrices(), vectors()) {
		head[s.name] = entry{Dtype: "F32", Shape: []int64{int64(s.rows), int64(s.cols)}, Offsets: [2]int64{0, int64(s.rows) * int64(s.cols) * 4}}
	}
	return file(head, bytesOf(x))
})

// file is a safetensors file.
func file(head map[string]any, data []byte) []byte {
	h, err := json.Marshal(head)
	if err != nil {
		panic(err)
	}
	for len(h)%8 != 0 {
		h = append(h, ' ')
	}
	n := len(h)
	return slices.Concat([]byte{byte(n), byte(n >> 8), byte(n >> 16), 0, 0, 0, 0, 0}, h, data)
}

// fakeFile is a file as Convert makes it.
var fakeFile = sync.OnceValues(func() ([]byte, error) {
	var b bytes.Buffer
	err := convert(&b, fakePublished(), fakeVocabulary())
	return b.Bytes(), err
})

// fake is a model of random weights, on disk.
func fake(t testing.TB) string {
	t.Helper()
	data, err := fakeFile()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
