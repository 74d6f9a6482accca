package api

// Scope is what a token of HTTP allows.
type Scope string

// The scopes. Each allows what it says and nothing else, but ScopeAdmin, which allows everything.
const (
	ScopeRead  Scope = "read"  // look: state, events, camera, conversations, tools, settings; nothing moves and nothing is changed
	ScopeTalk  Scope = "talk"  // say something to the robot, as a person beside it could, who can ask it to move
	ScopeMove  Scope = "move"  // move it directly, reset it after a stop, switch its motors
	ScopeTools Scope = "tools" // call, write, test, switch and delete tools
	ScopeAdmin Scope = "admin" // everything, also reviews of tools, training, tokens and settings
)

// Scopes lists them all.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeTalk, ScopeMove, ScopeTools, ScopeAdmin} }

// scopes says which scope a command needs. What is missing needs ScopeAdmin.
var scopes = map[Verb]Scope{
	VerbChat: ScopeTalk, VerbPlan: ScopeRead, VerbTool: ScopeTools, VerbGoto: ScopeMove, VerbSetTarget: ScopeMove, VerbStop: ScopeTalk,
	VerbReset: ScopeMove, VerbMotors: ScopeMove, VerbPhoto: ScopeTalk, VerbSpeak: ScopeTalk, VerbCamera: ScopeRead, VerbTrace: ScopeRead,
	VerbConfig: ScopeRead, VerbConfigList: ScopeRead, VerbConfigSet: ScopeAdmin,
	VerbDoctor: ScopeRead, VerbSessionsList: ScopeRead, VerbSessionsShow: ScopeRead, VerbSessionsForget: ScopeTalk,
	VerbToolsList: ScopeRead, VerbToolsShow: ScopeRead, VerbToolsNew: ScopeRead, VerbToolsCheck: ScopeTools, VerbToolsTest: ScopeTools,
	VerbToolsAdd: ScopeTools, VerbToolsRun: ScopeTools, VerbToolsFiles: ScopeTools, VerbToolsReview: ScopeAdmin, VerbToolsDiff: ScopeRead,
	VerbToolsActivate: ScopeTools, VerbToolsDeactivate: ScopeTools, VerbToolsRollback: ScopeTools, VerbToolsExport: ScopeRead,
	VerbToolsImport: ScopeTools, VerbFeedback: ScopeTalk, VerbFeedbackList: ScopeRead, VerbFeedbackCorrect: ScopeTalk,
	VerbFeedbackDelete: ScopeTalk, VerbLearned: ScopeRead, VerbLearnedForget: ScopeTalk,
	VerbToolsPs: ScopeRead, VerbToolsKill: ScopeTools,
	VerbTranscribe: ScopeTalk, VerbSynthesize: ScopeTalk, VerbAnalyze: ScopeTalk, VerbPhotosList: ScopeRead, VerbPhotosShow: ScopeRead,
	VerbModelsList: ScopeRead, VerbMQTT: ScopeRead,
	VerbFacesList: ScopeRead, VerbFacesForget: ScopeTalk, VerbFacesClear: ScopeTalk,
	VerbPhotosDelete: ScopeTalk, VerbMovesList: ScopeRead, VerbEventsList: ScopeRead, VerbTracesList: ScopeRead, VerbToolsGenerate: ScopeTools,
}

// ScopeOf returns the scope that a command needs.
func ScopeOf(v Verb) Scope {
	if s, ok := scopes[v]; ok {
		return s
	}
	return ScopeAdmin
}
