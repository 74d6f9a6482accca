package rest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// route is one thing that can be asked for.
type route struct {
	method string
	path   string // below Prefix; {name} is a parameter
	tag    string
	verb   api.Verb  // the command behind it; empty for what handle does in another way
	scope  api.Scope // the verb's when empty
	about  string    // the verb's when empty
	// body is a zero value of the type of the request, where it is not the arguments of the verb; media are its types where it is not
	// JSON; optional says that it may be left out.
	body     any
	media    []string
	optional bool
	// answer is a zero value of the type of the answer, nil for any JSON; answers is its type of media where it is not JSON.
	answer  any
	answers string
	// missing is the parameter whose value, when it is refused, names something that is not there.
	missing string
	// fixed are arguments of the verb that the path stands for; with them takes are those others that it has. named are arguments that
	// are called otherwise here.
	fixed map[string]any
	takes []string
	named map[string]string
	// shape makes the answer of the result of the verb.
	shape   func(result json.RawMessage) (any, error)
	handle  func(a *API, rt *route, w http.ResponseWriter, r *http.Request)
	upgrade bool   // a WebSocket
	also    string // another path of it, where clients look for it; not below Prefix

	params   []param
	segments []string // of the path
}

// param is a parameter in the path or in the query.
type param struct {
	name, in string
	required bool
	schema   tool.Schema
}

// pattern is the path as net/http has it.
func (rt *route) pattern() string { return Prefix + rt.path }

// placeholder returns the name of the parameter that a part of a path is.
func placeholder(segment string) (name string, ok bool) {
	if ok = strings.HasPrefix(segment, "{"); ok {
		name = strings.Trim(segment, "{}")
	}
	return name, ok
}

// routes are all of them, in the order of the document.
var routes = sync.OnceValue(func() []*route {
	all := table()
	for _, rt := range all {
		rt.complete()
	}
	return all
})

// complete fills in what follows from the verb.
func (rt *route) complete() {
	schema := tool.Object(nil)
	if rt.verb != "" {
		schema, _, _ = command.Describe(string(rt.verb))
		for _, c := range api.Commands() {
			if c.Verb == rt.verb && rt.about == "" {
				rt.about = c.About
			}
		}
		if rt.scope == "" {
			rt.scope = api.ScopeOf(rt.verb)
		}
	}
	inPath := map[string]bool{}
	rt.segments = strings.Split(rt.pattern(), "/")
	for _, segment := range rt.segments {
		name, is := placeholder(segment)
		if !is {
			continue
		}
		inPath[name] = true
		p, known := schema.Properties[name]
		if !known {
			p = tool.Text("", 128)
		}
		rt.params = append(rt.params, param{name, "path", true, p})
	}
	if rt.handle == nil {
		rt.handle = (*API).command
	}
	if rt.method != http.MethodGet && rt.method != http.MethodDelete {
		rt.optional = rt.optional || rt.body == nil && rt.media == nil && len(rt.restOf(schema).Required) == 0
		return
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if !inPath[name] && rt.has(name) {
			rt.params = append(rt.params, param{name, "query", slices.Contains(schema.Required, name), schema.Properties[name]})
		}
	}
}

// has says whether an argument of the verb can be given here.
func (rt *route) has(name string) bool {
	_, set := rt.fixed[name]
	return !set && (rt.fixed == nil || slices.Contains(rt.takes, name))
}

// restOf is the part of a verb's arguments that comes in the body.
func (rt *route) restOf(s tool.Schema) tool.Schema {
	rest := tool.Schema{Type: tool.TypeObject, Properties: map[string]tool.Schema{}, Open: s.Open}
	elsewhere := func(name string) bool {
		return !rt.has(name) || slices.ContainsFunc(rt.params, func(p param) bool { return p.name == name })
	}
	for name, p := range s.Properties {
		if !elsewhere(name) {
			rest.Properties[name] = p
		}
	}
	for here, name := range rt.named {
		rest.Properties[here] = rest.Properties[name]
		delete(rest.Properties, name)
	}
	rest.Required = slices.DeleteFunc(slices.Clone(s.Required), elsewhere)
	return rest
}

// methodsOf lists the methods that a path has.
func methodsOf(path string) string {
	given := strings.Split(path, "/")
	var methods []string
	for _, rt := range routes() {
		fits := slices.EqualFunc(rt.segments, given, func(pattern, segment string) bool {
			_, any := placeholder(pattern)
			return pattern == segment || any && segment != ""
		})
		if fits && !slices.Contains(methods, rt.method) {
			methods = append(methods, rt.method)
		}
	}
	return strings.Join(methods, ", ")
}

const (
	get   = http.MethodGet
	post  = http.MethodPost
	patch = http.MethodPatch
	del   = http.MethodDelete
)

func table() []*route {
	return slices.Concat(talking(), seeing(), toolRoutes(), learning(), training(), demonstrations(), robot(), past())
}

func talking() []*route {
	return []*route{
		{
			method: post, path: "/chat", tag: "Talk", verb: api.VerbChat, body: api.ChatRequest{}, answer: api.ChatAnswer{}, handle: (*API).chat,
			about: "Says something to the robot. With stream, or Accept: text/event-stream, the answer comes as server-sent events: token, " +
				"tool_call, tool_result, handoff, and at the end done with this answer, or error with a Problem.",
		},
		{method: get, path: "/sessions", tag: "Talk", verb: api.VerbSessionsList, answer: api.SessionList{}},
		{
			method: get, path: "/session/{session}", tag: "Talk", verb: api.VerbSessionsShow, answer: api.SessionInfo{}, missing: "session",
			about: "A conversation.", handle: (*API).session,
		},
		{
			method: get, path: "/session/{session}/history", tag: "Talk", verb: api.VerbSessionsShow, answer: api.History{}, missing: "session",
			about: "What was said in a conversation.", handle: (*API).history,
		},
		{method: del, path: "/session/{session}", tag: "Talk", verb: api.VerbSessionsForget, answer: api.Forgotten{}, missing: "session"},
		{method: post, path: "/plan", tag: "Talk", verb: api.VerbPlan},
		{
			method: post, path: "/voice/stt", tag: "Voice", scope: api.ScopeTalk, media: []string{"audio/*", "application/octet-stream"}, body: []byte{},
			answer: api.Transcription{}, handle: (*API).stt,
			about: "What is said in a recording: WAV, FLAC, Ogg Opus or MP3, of any rate; as the body, or as audio or file of a form.",
		},
		{
			method: post, path: "/voice/tts", tag: "Voice", verb: api.VerbSynthesize, answers: "audio/wav", handle: (*API).tts,
			about: "A text as sound; nothing is heard at the robot.",
		},
		{method: post, path: "/voice/speak", tag: "Voice", verb: api.VerbSpeak},
		{
			method: get, path: "/ws/voice", tag: "Voice", scope: api.ScopeTalk, upgrade: true, handle: (*API).voice,
			about: "A WebSocket to talk over. In: sound as binary messages, 16 kHz, 16 bits, one channel, little endian. Out: objects {type, data}: " +
				"listening, speech_started, partial, transcription, response, audio (base64 WAV), interrupted (by who speaks: the sound is to end), error. " +
				"The query session names the conversation.",
		},
		{
			method: get, path: "/ws/live_feedback", also: "/ws/live_feedback", tag: "Learning", scope: api.ScopeTalk, upgrade: true,
			handle: (*API).liveFeedback,
			about:  "A WebSocket that takes one word a message: great, good, bad or stop; it answers {status, reward}. stop also stops the robot.",
		},
	}
}

func seeing() []*route {
	return []*route{
		{
			method: post, path: "/vision/analyze", tag: "Vision", scope: api.ScopeTalk, body: api.AnalyzeArgs{}, answer: api.Analysis{}, handle: (*API).analyze,
			about: "What is seen in a picture: JSON with the picture in base64, the picture itself (image/jpeg or image/png, the question as the query prompt), " +
				"or a form with image and prompt.",
		},
		{method: post, path: "/vision/capture", tag: "Vision", verb: api.VerbPhoto, answer: api.CaptureAnswer{}, handle: (*API).capture},
		{method: get, path: "/photos", tag: "Vision", verb: api.VerbPhotosList, answer: api.PhotoList{}},
		{method: get, path: "/photos/{name}", tag: "Vision", verb: api.VerbPhotosShow, answers: "image/jpeg", handle: (*API).photo},
		{method: del, path: "/photos/{name}", tag: "Vision", verb: api.VerbPhotosDelete, answer: api.PhotoArgs{}},
		{method: get, path: "/faces", tag: "Vision", verb: api.VerbFacesList, answer: api.FaceList{}},
		{method: del, path: "/faces", tag: "Vision", verb: api.VerbFacesClear, answer: api.ForgottenFaces{}},
		{method: del, path: "/faces/{name}", tag: "Vision", verb: api.VerbFacesForget, answer: api.ForgottenFaces{}},
		{
			method: get, path: "/camera.jpg", tag: "Vision", scope: api.ScopeRead, answers: "image/jpeg", handle: (*API).camera,
			about: "What the camera sees now.",
		},
		{method: post, path: "/camera", tag: "Vision", verb: api.VerbCamera},
	}
}

func toolRoutes() []*route {
	const tag = "Tools"
	return []*route{
		{method: get, path: "/tools", tag: tag, verb: api.VerbToolsList, answer: api.ToolInfos{}, handle: (*API).tools},
		{
			method: post, path: "/tools/execute", tag: tag, verb: api.VerbTool, scope: api.ScopeRead, body: api.ExecuteRequest{}, answer: api.ExecuteAnswer{},
			handle: (*API).execute, about: "Calls a tool. What moves the robot needs the scope move, what people wrote tools, the others talk.",
		},
		{method: get, path: "/tools/running", tag: tag, verb: api.VerbToolsPs},
		{method: post, path: "/tools/kill", tag: tag, verb: api.VerbToolsKill},
		{
			method: post, path: "/tools/generate", tag: tag, verb: api.VerbToolsGenerate, handle: (*API).generate,
			about: "Writes a tool from a sentence: specification, tests, code, checks, sandbox, registration; with Accept: text/event-stream each " +
				"step is told as it begins.",
		},
		{method: get, path: "/tools/{name}", tag: tag, verb: api.VerbToolsShow},
		{method: get, path: "/tools/{name}/diff", tag: tag, verb: api.VerbToolsDiff},
		{method: post, path: "/tools/{name}/activate", tag: tag, verb: api.VerbToolsActivate},
		{method: post, path: "/tools/{name}/deactivate", tag: tag, verb: api.VerbToolsDeactivate},
		{method: post, path: "/tools/{name}/rollback", tag: tag, verb: api.VerbToolsRollback},
		{method: post, path: "/tools/add", tag: tag, verb: api.VerbToolsAdd},
		{method: post, path: "/tools/new", tag: tag, verb: api.VerbToolsNew},
		{method: post, path: "/tools/check", tag: tag, verb: api.VerbToolsCheck},
		{method: post, path: "/tools/test", tag: tag, verb: api.VerbToolsTest},
		{method: post, path: "/tools/run", tag: tag, verb: api.VerbToolsRun},
		{method: post, path: "/tools/files", tag: tag, verb: api.VerbToolsFiles},
		{method: post, path: "/tools/review", tag: tag, verb: api.VerbToolsReview},
		{method: post, path: "/tools/export", tag: tag, verb: api.VerbToolsExport},
		{method: post, path: "/tools/import", tag: tag, verb: api.VerbToolsImport},
	}
}

func learning() []*route {
	const tag = "Learning"
	return []*route{
		{
			method: post, path: "/feedback", tag: tag, verb: api.VerbFeedback, answer: api.FeedbackAnswer{}, shape: processed,
			named: map[string]string{"episode_id": "episode", "feedback_text": "text"},
		},
		{method: get, path: "/feedback", tag: tag, verb: api.VerbFeedbackList},
		{method: post, path: "/feedback/correct", tag: tag, verb: api.VerbFeedbackCorrect},
		{method: del, path: "/feedback/{feedback}", tag: tag, verb: api.VerbFeedbackDelete},
		{method: get, path: "/learned", tag: tag, verb: api.VerbLearned},
		{method: post, path: "/learned/forget", tag: tag, verb: api.VerbLearnedForget},
	}
}

// acts is a route for one action of a verb that has several, with those arguments of it that the action takes. What is got needs the
// scope read only.
func acts(method, path string, verb api.Verb, action, about string, takes ...string) *route {
	scope := api.Scope("")
	if method == get {
		scope = api.ScopeRead
	}
	return &route{
		method: method, path: path, tag: "Learning", verb: verb, scope: scope, about: about, fixed: map[string]any{"action": action}, takes: takes,
	}
}

func training() []*route {
	const verb = api.VerbTrain
	status := acts(get, "/training/status", verb, "status", "What is practised, and how it goes.")
	status.answer, status.shape = api.TrainingStatus{}, trainingStatus
	curve := acts(get, "/training/curve", verb, "curve", "How a run went; the present or latest one when run is left out.", "run")
	curve.answer = api.TrainingCurve{}
	show := acts(get, "/training/runs/{run}", verb, "show", "A run.", "run")
	show.missing = "run"
	return []*route{
		status,
		acts(post, "/training/start", verb, "start", "Begins to practise a task in simulation, or goes on with a run.",
			"task", "algorithm", "model", "person", "run", "episodes", "seed", "on_robot", "from_demo", "imitate"),
		acts(post, "/training/consent", verb, "consent", "Answers whether the robot itself may move to practise.", "consent", "answer"),
		acts(post, "/training/stop", verb, "stop", "Ends what is practised; the run can be gone on with."),
		curve,
		acts(get, "/training/runs", verb, "list", "All runs."),
		show,
		acts(post, "/training/evaluate", verb, "evaluate", "Tries the best policy of a run against what the robot does without it.",
			"run", "model", "tries", "held_out"),
		acts(post, "/training/compare", verb, "compare", "Tries two runs on the same episodes.", "run", "other", "model", "tries", "held_out"),
	}
}

func demonstrations() []*route {
	const verb = api.VerbDemonstration
	add := acts(post, "/demonstration", verb, "add", "Keeps what a program shows: targets as of robot/goto, one after the other. Nothing moves.",
		"name", "task", "actions")
	add.named, add.answer, add.shape = map[string]string{"task_description": "task"}, api.DemonstrationAnswer{}, kept
	show := acts(get, "/demonstrations/{name}", verb, "show", "A demonstration with the joints of each frame, radians.", "name")
	show.missing = "name"
	return []*route{
		add,
		acts(get, "/demonstrations", verb, "list", "The demonstrations that are kept."),
		acts(post, "/demonstrations/record", verb, "record", "Begins to record; shown by hand, the motors let go at once.", "name", "how", "task"),
		acts(post, "/demonstrations/stop", verb, "stop", "Ends the recording and keeps it; the motors hold again."),
		acts(post, "/demonstrations/import", verb, "import", "Takes in what export wrote.", "name", "data"),
		show,
		acts(post, "/demonstrations/{name}/replay", verb, "replay", "Lets the robot do what it was shown, within its limits.", "name"),
		acts(post, "/demonstrations/{name}/name", verb, "name", "Makes a move of a demonstration.", "name", "as"),
		acts(get, "/demonstrations/{name}/export", verb, "export", "A demonstration as a zip file in LeRobot's layout, base64.", "name"),
		acts(del, "/demonstrations/{name}", verb, "delete", "Deletes a demonstration; a move that was made of it stays.", "name"),
	}
}

func robot() []*route {
	const tag = "Robot"
	return []*route{
		{method: get, path: "/health", tag: tag, scope: api.ScopeRead, answer: api.Health{}, handle: (*API).health, about: "How the robot is, in short."},
		{
			method: get, path: "/robot/state", tag: tag, scope: api.ScopeRead, answer: api.State{}, handle: document(func(a *API) []byte { return a.State() }),
			about: "Where the robot is and how it is, as on MQTT.",
		},
		{
			method: get, path: "/robot/telemetry", tag: tag, scope: api.ScopeRead, answer: api.Telemetry{},
			handle: document(func(a *API) []byte { return a.Telemetry() }), about: "The health of the robot, as on MQTT.",
		},
		{
			method: get, path: "/robot/geometry", tag: tag, scope: api.ScopeRead, answer: kinematics.Geometry{},
			handle: func(_ *API, _ *route, w http.ResponseWriter, r *http.Request) { reply(w, r, kinematics.Platform()) },
			about:  "What a drawing of the robot needs, metres.",
		},
		{method: post, path: "/robot/goto", tag: tag, verb: api.VerbGoto, answer: api.MoveResult{}},
		{method: post, path: "/robot/target", tag: tag, verb: api.VerbSetTarget, answer: api.MoveResult{}},
		{method: post, path: "/robot/stop", tag: tag, verb: api.VerbStop, answer: api.MoveResult{}},
		{method: post, path: "/robot/reset", tag: tag, verb: api.VerbReset, answer: api.MoveResult{}},
		{method: post, path: "/robot/motors", tag: tag, verb: api.VerbMotors, answer: api.MoveResult{}},
		{method: get, path: "/robot/moves", tag: tag, verb: api.VerbMovesList, answer: api.MoveList{}},
		{
			method: get, path: "/ws/target", tag: tag, scope: api.ScopeMove, upgrade: true, handle: (*API).targets,
			about: "A WebSocket for a stream of targets: objects {head, body_yaw, antennas} as of robot/target. Refusals and changes are told, once each " +
				"until they change. One stream has the robot at a time, until it is silent.",
		},
		{
			method: get, path: "/ws/live", tag: tag, scope: api.ScopeRead, upgrade: true, handle: (*API).live,
			about: "A WebSocket that tells everything as it happens: objects {type: state | telemetry | event, data}.",
		},
	}
}

func past() []*route {
	const tag = "Past and settings"
	return []*route{
		{
			method: get, path: "/events", tag: tag, scope: api.ScopeRead, answers: "text/event-stream", handle: (*API).events,
			about: "Events as they happen, as server-sent events. The header Last-Event-ID or the query after resumes behind an event; types, with commas, " +
				"selects.",
		},
		{
			method: get, path: "/ws/events", tag: tag, scope: api.ScopeRead, upgrade: true, handle: (*API).eventSocket,
			about: "Events as they happen, one a message. The queries after and types are as of events.",
		},
		{method: get, path: "/events/list", tag: tag, verb: api.VerbEventsList, answer: api.EventList{}},
		{method: get, path: "/traces", tag: tag, verb: api.VerbTracesList},
		{method: get, path: "/traces/{trace}", tag: tag, verb: api.VerbTrace, missing: "trace"},
		{method: get, path: "/models", tag: tag, verb: api.VerbModelsList, answer: api.ModelList{}},
		{method: post, path: "/models/pull", tag: tag, verb: api.VerbModelsPull, answer: api.ModelFetch{}},
		{method: post, path: "/models/cancel", tag: tag, verb: api.VerbModelsCancel, answer: api.ModelArgs{}},
		{method: get, path: "/logs", tag: tag, verb: api.VerbLogs, answer: api.LogList{}},
		{method: get, path: "/mqtt", tag: tag, verb: api.VerbMQTT, answer: api.MQTTState{}},
		{method: get, path: "/doctor", tag: tag, verb: api.VerbDoctor},
		{method: get, path: "/config", tag: tag, verb: api.VerbConfig},
		{method: get, path: "/config/list", tag: tag, verb: api.VerbConfigList, answer: api.SettingList{}, missing: "key"},
		{method: patch, path: "/config", tag: tag, verb: api.VerbConfigSet, answer: api.ConfigChange{}},
	}
}
