package files

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/xuri/excelize/v2"
)

const maxBlank = 100_000 // rows of a sheet that have no value; they do not count as cells

// workbook opens an Excel file, after a look at what is packed in it.
func (f *File) workbook(ctx context.Context) (*excelize.File, error) {
	if _, err := f.list(ctx); err != nil {
		return nil, err
	}
	book, err := excelize.OpenReader(bytes.NewReader(f.Data), excelize.Options{
		UnzipSizeLimit: MaxUnpacked, UnzipXMLSizeLimit: MaxUnpacked, // the same, so that nothing is written to the disk
	})
	if err != nil {
		return nil, f.damaged(err)
	}
	return book, nil
}

// sheet gives the rows of a sheet to a table.
func (f *File) sheet(ctx context.Context, book *excelize.File, name string, q Query) (*table, error) {
	rows, err := book.Rows(name)
	if err != nil {
		return nil, f.damaged(err)
	}
	defer rows.Close() //nolint:errcheck // only read
	t := newTable(f)
	size, blank := 0, 0
	for n := 0; rows.Next(); n++ {
		if n%64 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		row, err := rows.Columns(excelize.Options{RawCellValue: false})
		if err != nil {
			return nil, f.damaged(err)
		}
		for len(row) > 0 && row[len(row)-1] == "" {
			row = row[:len(row)-1]
		}
		if len(row) == 0 {
			if blank++; blank > maxBlank {
				return nil, f.limit("rows without a value or more", int64(blank), maxBlank)
			}
			continue
		}
		keep := q.wants(t.seen)
		for _, cell := range row {
			if keep {
				size += len(cell)
			}
		}
		if size > MaxText {
			return nil, f.limit("bytes of text or more (ask for a part of the rows)", int64(size), MaxText)
		}
		if err := t.add(row, keep); err != nil {
			return nil, err
		}
	}
	return t, f.wrap(rows.Error())
}

func (f *File) readExcel(ctx context.Context, q Query) (v any, err error) {
	book, err := f.workbook(ctx)
	if err != nil {
		return nil, err
	}
	defer book.Close() //nolint:errcheck // only read
	sheets := book.GetSheetList()
	if len(sheets) == 0 {
		return nil, f.damaged(errors.New("it has no sheets"))
	}
	if q.Sheet == "" {
		q.Sheet = sheets[0]
	}
	if i, err := book.GetSheetIndex(q.Sheet); err != nil || i < 0 {
		return nil, f.errorf(CodeQuery, "there is no sheet %.80q, allowed are %.300s", q.Sheet, strings.Join(sheets, ", "))
	}
	t, err := f.sheet(ctx, book, q.Sheet, q)
	if err != nil {
		return nil, err
	}
	return t.value(), nil
}
