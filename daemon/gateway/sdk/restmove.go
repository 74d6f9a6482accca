package sdk

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strconv"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/moves"
)

// Moves are the recorded moves. *moves.Library is one.
type Moves interface {
	// List returns the moves of a dataset, and Get one of them. The error wraps fs.ErrNotExist when there is no such.
	List(dataset string) ([]string, error)
	Get(dataset, name string) (*moves.Move, error)
}

// restSource is who streams the targets of the REST interface.
const restSource = "sdk-rest"

var errNoMoves = wrong(http.StatusNotFound, "there are no recorded moves here")

var moveRoutes = []route{
	{"GET /api/move/running", "the moves that run", func(g *Gateway, _ *http.Request) (any, error) { return g.moves.ids(), nil }},
	{"POST /api/move/goto", "move to a pose: head_pose, antennas, body_yaw, duration, interpolation", restGoto},
	{"POST /api/move/set_target", "one target of a stream: target_head_pose, target_antennas, target_body_yaw", func(g *Gateway, r *http.Request) (any, error) {
		var in fullTarget
		if err := decode(r, &in); err != nil {
			return nil, err
		}
		return g.restTarget(r.Context(), &in)
	}},
	{"POST /api/move/stop", "stop a move: uuid", restStop},
	{"POST /api/move/play/wake_up", "motors on, head up", func(g *Gateway, r *http.Request) (any, error) {
		return g.restMove(r.Context(), hal.Request{Verb: hal.VerbWake})
	}},
	{"POST /api/move/play/goto_sleep", "head down, motors off", func(g *Gateway, r *http.Request) (any, error) {
		return g.restMove(r.Context(), hal.Request{Verb: hal.VerbSleep})
	}},
	{"GET /api/move/recorded-move-datasets/list/{dataset...}", "the moves of a dataset", func(g *Gateway, r *http.Request) (any, error) {
		if g.Moves == nil {
			return nil, errNoMoves
		}
		names, err := g.Moves.List(r.PathValue("dataset"))
		return names, notFound(err)
	}},
	{"POST /api/move/play/recorded-move-dataset/{path...}", "play DATASET/MOVE; speed=0.1 to 4, mirror=true", func(g *Gateway, r *http.Request) (any, error) {
		dataset, name := cutLast(r.PathValue("path"))
		req, err := g.recorded(dataset, name)
		if err != nil {
			return nil, err
		}
		query := switches{query: r.URL.Query()}
		speed := 1.0
		if text := query.query.Get("speed"); text != "" {
			if speed, err = strconv.ParseFloat(text, 64); err != nil {
				return nil, invalid("speed is %.20q; allowed is a number", text)
			}
		}
		mirror := query.on("mirror", false)
		if query.err != nil {
			return nil, query.err
		}
		if req.Recording, err = moves.At(req.Recording, speed, mirror); err != nil {
			return nil, invalid("%v", err)
		}
		return g.restMove(r.Context(), req)
	}},
}

// recorded is the request that plays a recorded move.
func (g *Gateway) recorded(dataset, name string) (hal.Request, error) {
	if g.Moves == nil {
		return hal.Request{}, errNoMoves
	}
	m, err := g.Moves.Get(dataset, name)
	if err != nil {
		return hal.Request{}, notFound(err)
	}
	return hal.Request{Verb: hal.VerbPlay, Name: m.Name, Recording: m.Recording}, nil
}

func notFound(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return wrong(http.StatusNotFound, "%v", err)
	}
	return err
}

// cutLast splits a path at its last slash.
func cutLast(path string) (before, last string) {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[:i], path[i+1:]
		}
	}
	return "", path
}

type moveID struct {
	UUID string `json:"uuid"`
}

// restMove begins a move that belongs to nobody's connection.
func (g *Gateway) restMove(ctx context.Context, req hal.Request) (any, error) {
	id, err := g.perform(ctx, req, func(string, string) {})
	if err != nil {
		return nil, err
	}
	return moveID{id}, nil
}

func restGoto(g *Gateway, r *http.Request) (any, error) {
	var in struct {
		Head     *pose    `json:"head_pose"`
		Antennas numbers  `json:"antennas"`
		BodyYaw  *float64 `json:"body_yaw"`
		Duration *float64 `json:"duration"`
		Method   string   `json:"interpolation"`
	}
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	if in.Duration == nil {
		return nil, invalid("duration is missing")
	}
	req, err := gotoRequest(&taskReq{Antennas: in.Antennas, BodyYaw: in.BodyYaw, Duration: *in.Duration, Method: in.Method, pose: in.Head})
	if err != nil {
		return nil, invalid("%v", err)
	}
	return g.restMove(r.Context(), req)
}

func restStop(g *Gateway, r *http.Request) (any, error) {
	var in moveID
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	if !g.moves.has(in.UUID) {
		return nil, wrong(http.StatusNotFound, "no move %.60q is running", in.UUID)
	}
	g.hold(in.UUID)
	return map[string]string{"message": "Stopped move with UUID: " + in.UUID}, nil
}

// fullTarget is one target of the REST interface.
type fullTarget struct {
	Head     *pose    `json:"target_head_pose"`
	Antennas numbers  `json:"target_antennas"`
	BodyYaw  *float64 `json:"target_body_yaw"`
}

// restTarget streams one target. While a move runs it is ignored, as the official daemon does.
func (g *Gateway) restTarget(ctx context.Context, in *fullTarget) (any, error) {
	req := hal.Request{Verb: hal.VerbTarget, BodyYaw: in.BodyYaw, Source: restSource}
	head, err := in.Head.head()
	if err == nil && in.Antennas != nil {
		req.Antennas, err = antennasOf(in.Antennas)
	}
	if err != nil {
		return nil, invalid("%v", err)
	}
	if head != nil {
		req.Head = head.Goal()
	}
	if req.Head == nil && req.Antennas == nil && req.BodyYaw == nil {
		return map[string]string{"status": "ok"}, nil // as the official daemon: nothing is asked, nothing is done
	}
	if g.moves.any() {
		return map[string]string{"status": "ignored", "reason": "move_running"}, nil
	}
	a, err := g.do(ctx, req)
	var refused *refusal
	if errors.As(err, &refused) && refused.Code == hal.CodeLease {
		return map[string]string{"status": "ignored", "reason": refused.Reason}, nil
	}
	if err != nil {
		return nil, err
	}
	if g.Arbiter != nil {
		g.Arbiter.Streams(restSource)
	}
	if a.Outcome == hal.Clamped {
		return map[string]any{"status": "ok", "clamped": a.Changes}, nil
	}
	return map[string]string{"status": "ok"}, nil
}
