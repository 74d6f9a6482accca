package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/reachyd/reachyd/cmd/internal/crash"
)

// recent is for how long a crash is worth a word.
const recent = 7 * 24 * time.Hour

// checkCrashes tells of the newest crash of the last days.
func checkCrashes(_ context.Context, a commands) []Finding {
	dir := filepath.Join(a.Host.DataDir, crash.Folder)
	reports, err := crash.List(dir)
	if errors.Is(err, fs.ErrPermission) {
		return remark("only root and the user of the service may see whether something crashed", "sudo reachyctl crashes")
	}
	if err != nil {
		return remark(err.Error(), "look at "+dir)
	}
	if n := len(reports); n > 0 && time.Since(reports[n-1].Time) < recent {
		r := reports[n-1]
		return remark(fmt.Sprintf("%s crashed on %s: %s", r.Program, r.Time.Format(time.DateTime), r.First), "reachyctl crashes show; tell the project")
	}
	return good("none in the last seven days")
}
