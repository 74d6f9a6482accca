package program

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/rs/zerolog"
)

// Log is where a program's log goes: w, and where that is systemd's journal each line says how grave it is, in the way that sd-daemon(3) tells.
func Log(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && isJournal(f, os.Getenv("JOURNAL_STREAM")) {
		return journal{w}
	}
	return w
}

// isJournal says whether f is the stream, device:inode, that systemd has connected with the journal: a child may have another.
func isJournal(f *os.File, stream string) bool {
	var st syscall.Stat_t
	return stream != "" && syscall.Fstat(int(f.Fd()), &st) == nil && stream == fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}

type journal struct{ io.Writer }

// WriteLevel implements zerolog.LevelWriter.
func (j journal) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	priority := 6 // info
	switch {
	case level == zerolog.NoLevel:
	case level <= zerolog.DebugLevel:
		priority = 7
	case level == zerolog.WarnLevel:
		priority = 4
	case level == zerolog.ErrorLevel:
		priority = 3
	case level >= zerolog.FatalLevel:
		priority = 2
	}
	if _, err := j.Write(fmt.Appendf(make([]byte, 0, len(line)+3), "<%d>%s", priority, line)); err != nil {
		return 0, err
	}
	return len(line), nil
}
