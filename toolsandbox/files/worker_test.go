package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestCancelled(t *testing.T) {
	gone, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("the caller left"))
	for name, data := range map[string][]byte{
		"a.csv":  []byte(strings.Repeat("1,2\n", 5000)),
		"a.json": []byte("[" + strings.Repeat("1,", 5000) + "1]"),
		"a.xml":  []byte("<a>" + strings.Repeat("<b/>", 5000) + "</a>"),
		"a.xlsx": makeExcel(t, "one"),
		"a.pdf":  textPDF("x"),
		"a.zip":  makeZip(t, entry{"x", "y"}),
		"a.tar":  makeTar(t, entry{"x", "y"}),
	} {
		if _, err := Read(gone, check(t, name, data), Query{}); err == nil || !strings.Contains(err.Error(), "the caller left") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func worker(mode string) *Worker { return &Worker{Command: []string{os.Args[0], mode}} }

func TestWorker(t *testing.T) {
	w := worker("files-worker")
	w.Time = 2 * time.Minute // the race detector and other tests slow it down
	f := check(t, "a.csv", []byte("a,b\n1,2\n"))
	out, err := w.Read(ctx, f, Query{})
	if string(out) != `{"columns":["a","b"],"rows":[[1,2]]}` || err != nil {
		t.Errorf("%s, %v", out, err)
	}
	info, err := w.Describe(ctx, f)
	if err != nil || info.Rows != 1 {
		t.Errorf("%+v, %v", info, err)
	}
	var e *Error
	if _, err = w.Read(ctx, check(t, "a.json", []byte("[")), Query{}); !errors.As(err, &e) || e.Code != CodeDamaged || e.File != "a.json" {
		t.Error(err)
	}
	if _, err = w.Read(ctx, check(t, "a.zip", makeZip(t, entry{"b.json", "["})), Query{Member: "b.json"}); !errors.As(err, &e) || e.File != "b.json" {
		t.Error(err)
	}
	big := []byte("a,b\n" + strings.Repeat("1234567,7654321\n", 100_000))
	if out, err := w.Read(ctx, check(t, "a.csv", big), Query{Count: 2}); string(out) != `{"columns":["a","b"],"rows":[[1234567,7654321],[1234567,7654321]]}` ||
		err != nil {
		t.Errorf("%s, %v", out, err)
	}
	side := 5000
	if raceFactor > 1 {
		side = 1000
	}
	if out, err := w.Read(ctx, check(t, "a.bmp", makeImage(t, BMP, side, side)), Query{Side: maxSide}); len(out) < 4*min(side, maxSide)*min(side, maxSide) ||
		err != nil {
		t.Errorf("the largest image: %d bytes, %v", len(out), err)
	}
}

// Whatever a reader does, it ends.
func TestWorkerLimits(t *testing.T) {
	f := check(t, "a.txt", []byte("x"))
	fails := func(w *Worker, f *File, code Code, says string) {
		t.Helper()
		_, err := w.Read(ctx, f, Query{})
		var e *Error
		if !errors.As(err, &e) || e.Code != code || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %s and %q", err, code, says)
		}
	}
	slow := worker("files-worker-hangs")
	slow.Time = 300 * time.Millisecond
	fails(slow, f, CodeLimit, "longer than 300ms")
	fails(worker("files-worker-hogs"), f, CodeLimit, "of memory")
	fails(worker("files-worker-floods"), f, CodeDamaged, "crashed")
	fails(worker("files-worker-crashes"), f, CodeDamaged, "something unexpected")
	gone, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := worker("files-worker-hangs").Read(gone, f, Query{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	for _, w := range []*Worker{{}, {Command: []string{"/nowhere/at/all"}}} {
		if _, err := w.Read(ctx, f, Query{}); err == nil || errors.As(err, new(*Error)) {
			t.Errorf("%v: not the file's fault", err)
		}
	}

	// Files at which a library would go on for very long, or take very much.
	w := worker("files-worker")
	w.Time = time.Second
	squeezed := inflates(t, "0 0 m 1 ", 300)
	bomb := makePDF("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << >> >>", stream("/Filter /FlateDecode", squeezed))
	t.Logf("a PDF of %d bytes that unpacks to 300 MB", len(bomb))
	fails(w, check(t, "a.pdf", bomb), CodeLimit, "")
}

// Hostile tables of references and page trees.
func TestHostilePDFs(t *testing.T) {
	w := worker("files-worker")
	w.Time = 2 * time.Second // the library goes on for ever at one of them
	circle := makePDF("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R] /Count 5 /Parent 2 0 R >>")
	parents := makePDF("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 2 0 R >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>", stream("", []byte("BT /F1 12 Tf (x) Tj ET")))
	refused(t, "a.pdf", circle, Query{}, CodeDamaged, "pages are nested")
	refused(t, "a.pdf", parents, Query{}, CodeDamaged, "parents")
	bush := []string{"<< /Type /Catalog /Pages 2 0 R >>"} // every level is the next one ten times
	for i := range 9 {
		bush = append(bush, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count 1 >>", strings.Repeat(fmt.Sprintf("%d 0 R ", i+3), 10)))
	}
	refused(t, "a.pdf", makePDF(append(bush, "<< /Type /Page >>")...), Query{}, CodeLimit, "pages")
	before := bytes.Replace(textPDF("x"), []byte("/Root 1 0 R"), []byte("/Root 1 0 R /Prev 9"), 1)
	self := textPDF("x")
	self = bytes.Replace(self, []byte("/Root 1 0 R"), fmt.Appendf(nil, "/Root 1 0 R /Prev %d", bytes.LastIndex(self, []byte("xref\n0"))), 1)
	size := bytes.Replace(textPDF("x"), []byte("/Size 6"), []byte("/Size 2000000000"), 1)
	entries := bytes.Replace(textPDF("x"), []byte("xref\n0 6"), []byte("xref\n2000000000 6"), 1)
	for what, data := range map[string][]byte{"circle of pages": circle, "table before": before, "table before itself": self, "size": size, "entries": entries} {
		_, err := w.Read(ctx, check(t, "a.pdf", data), Query{})
		if err != nil && !errors.As(err, new(*Error)) {
			t.Errorf("%s: %v", what, err)
		}
		t.Logf("%s: %v", what, err)
	}
}
