package sdk

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// What becomes of a job, in the official daemon's words.
const (
	jobGoes   = "in_progress"
	jobDone   = "done"
	jobFailed = "failed"
)

// maxJobs is how many jobs are remembered; then the oldest is forgotten.
const maxJobs = 64

// job is something that goes on after the answer to the request that began it.
type job struct {
	Command string   `json:"command"`
	Status  string   `json:"status"`
	Logs    []string `json:"logs"`
}

// jobs are those that were begun.
type jobs struct {
	mu    sync.Mutex
	list  map[string]*job
	order []string
}

// add begins a job and returns its id.
func (j *jobs) add(command string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.list == nil {
		j.list = map[string]*job{}
	}
	for len(j.order) >= maxJobs {
		delete(j.list, j.order[0])
		j.order = j.order[1:]
	}
	id := newUUID()
	j.list[id], j.order = &job{Command: command, Status: jobGoes, Logs: []string{}}, append(j.order, id)
	return id
}

// end notes how a job ended; why is empty when it did what it should.
func (j *jobs) end(id, why string, logs ...string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	is := j.list[id]
	if is == nil {
		return
	}
	is.Status, is.Logs = jobDone, append(is.Logs, logs...)
	if why != "" {
		is.Status, is.Logs = jobFailed, append(is.Logs, why)
	}
}

func (j *jobs) get(id string) (job, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	is := j.list[id]
	if is == nil {
		return job{}, false
	}
	out := *is
	out.Logs = slices.Clone(is.Logs)
	return out, true
}

// jobSocket and an id are where a page follows a job.
const jobSocket = "/api/apps/ws/apps-manager/"

// jobPeriod is how often a job that is followed is looked at.
const jobPeriod = 200 * time.Millisecond

// streamJob tells how a job goes on until it has ended: each line of its log, and after these the job with them.
func streamJob(ctx context.Context, g *Gateway, conn *websocket.Conn, query url.Values) {
	ctx = conn.CloseRead(ctx)
	tick := time.NewTicker(jobPeriod)
	defer tick.Stop()
	for told := 0; ; {
		is, known := g.jobs.get(query.Get("id"))
		if !known {
			_ = put(ctx, conn, map[string]string{"error": "Job ID not found"}) // it is the last word in any case
			_ = conn.Close(websocket.StatusNormalClosure, "")
			return
		}
		news := is.Logs[told:]
		for _, line := range news {
			if write(ctx, conn, []byte(line)) != nil {
				return
			}
		}
		over := is.Status != jobGoes
		if len(news) > 0 || over {
			told, is.Logs = len(is.Logs), news
			if put(ctx, conn, is) != nil {
				return
			}
		}
		if over {
			_ = conn.Close(websocket.StatusNormalClosure, "") // a client that is gone needs none
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func restJob(g *Gateway, r *http.Request) (any, error) {
	is, known := g.jobs.get(r.PathValue("id"))
	if !known {
		return nil, wrong(http.StatusNotFound, "there is no job %.60q; the newest %d are remembered", r.PathValue("id"), maxJobs)
	}
	return is, nil
}
