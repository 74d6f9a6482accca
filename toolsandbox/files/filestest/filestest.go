// Package filestest makes small files of the types that are hard to write by hand, and a tool that reads one, for tests.
package filestest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// Excel makes a workbook of one sheet.
func Excel(t testing.TB, sheet string, rows ...[]any) []byte {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close() //nolint:errcheck // in memory
	if err := book.SetSheetName("Sheet1", sheet); err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if err := book.SetSheetRow(sheet, fmt.Sprintf("A%d", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// PDF makes a document with one line of text on each page. The text has no brackets and backslashes.
func PDF(pages ...string) []byte {
	var kids strings.Builder
	objects := make([]string, 0, 3+2*len(pages))
	objects = append(objects, "<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for _, text := range pages {
		page, content := len(objects)+1, fmt.Sprintf("BT /F1 12 Tf 20 250 Td (%s) Tj ET", text)
		fmt.Fprintf(&kids, "%d 0 R ", page)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", page+1),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(pages))

	var b, table bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	for i, o := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	begins := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%s", len(objects)+1, table.String())
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, begins)
	return b.Bytes()
}

// Bomb makes a zip archive with a member that unpacks to so many bytes of nothing.
func Bomb(t testing.TB, unpacked int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("zeros.txt")
	if err == nil {
		_, err = w.Write(make([]byte, unpacked))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// SumColumn is a tool that sums a column of a table that comes with the call.
const SumColumn = `import reachy


def sum_column(column: str) -> float:
    """Sums a column of the table that comes with the call.

    Args:
        column: name of the column.

    Returns:
        The sum.
    """
    given = reachy.files()
    if len(given) != 1:
        raise ValueError(f"one table is needed, not {len(given)}")
    table = reachy.read_file(name=given[0]["name"])
    if column not in table["columns"]:
        raise ValueError(f"there is no column {column}")
    at = table["columns"].index(column)
    return float(sum(row[at] for row in table["rows"] if row[at] is not None))
`
