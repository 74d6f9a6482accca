package api

import "encoding/json"

// Verb is a command, as it appears in the topic cmd/<verb>.
type Verb string

// The verbs.
const (
	VerbChat            Verb = "chat"
	VerbPlan            Verb = "plan"
	VerbTool            Verb = "tool"
	VerbGoto            Verb = "goto"
	VerbSetTarget       Verb = "set_target"
	VerbStop            Verb = "stop"
	VerbReset           Verb = "reset"
	VerbMotors          Verb = "motors"
	VerbPhoto           Verb = "photo"
	VerbSpeak           Verb = "speak"
	VerbCamera          Verb = "camera"
	VerbTrace           Verb = "trace"
	VerbConfig          Verb = "config"
	VerbConfigList      Verb = "config/list"
	VerbConfigSet       Verb = "config/set"
	VerbDoctor          Verb = "doctor"
	VerbSessionsList    Verb = "sessions/list"
	VerbSessionsShow    Verb = "sessions/show"
	VerbSessionsForget  Verb = "sessions/forget"
	VerbToolsList       Verb = "tools/list"
	VerbToolsShow       Verb = "tools/show"
	VerbToolsNew        Verb = "tools/new"
	VerbToolsCheck      Verb = "tools/check"
	VerbToolsTest       Verb = "tools/test"
	VerbToolsAdd        Verb = "tools/add"
	VerbToolsRun        Verb = "tools/run"
	VerbToolsFiles      Verb = "tools/files"
	VerbToolsReview     Verb = "tools/review"
	VerbToolsDiff       Verb = "tools/diff"
	VerbToolsActivate   Verb = "tools/activate"
	VerbToolsDeactivate Verb = "tools/deactivate"
	VerbToolsRollback   Verb = "tools/rollback"
	VerbToolsExport     Verb = "tools/export"
	VerbToolsImport     Verb = "tools/import"
	VerbFeedback        Verb = "feedback"
	VerbFeedbackList    Verb = "feedback/list"
	VerbFeedbackCorrect Verb = "feedback/correct"
	VerbFeedbackDelete  Verb = "feedback/delete"
	VerbLearned         Verb = "learned"
	VerbLearnedForget   Verb = "learned/forget"
	VerbToolsPs         Verb = "tools/ps"
	VerbToolsKill       Verb = "tools/kill"
	VerbDemonstration   Verb = "demonstration"
	VerbTrain           Verb = "train"
)

// Command says what a verb does and takes.
type Command struct {
	Verb  Verb
	Args  any    // a zero value of the type of the arguments; the limits of each are in the reference
	About string // in one sentence
}

// Commands are all of them, in the order of the reference.
func Commands() []Command { return append([]Command(nil), commands...) }

var commands = []Command{
	{VerbChat, ChatArgs{}, "A turn of conversation: does what the sentence asks for and answers with the reply and the trace."},
	{VerbPlan, PlanArgs{}, "What the built-in planner makes of a sentence; nothing is done."},
	{VerbTool, ToolArgs{}, "Calls a tool by its name, with its arguments and files."},
	{VerbGoto, GotoArgs{}, "Moves head, body and antennas to a pose."},
	{VerbSetTarget, SetTargetArgs{}, "One target of a stream: followed at once within the limits of speed, for as long as targets keep coming."},
	{VerbStop, StopArgs{}, "The emergency stop. It latches: nothing moves until reset."},
	{VerbReset, NoArgs{}, "Releases the emergency stop. Nothing moves by that."},
	{VerbMotors, MotorsArgs{}, "Switches the motors on, holding the present pose, or off."},
	{VerbPhoto, NoArgs{}, "Takes a photo and keeps it."},
	{VerbSpeak, SpeakArgs{}, "Says a text aloud."},
	{VerbCamera, CameraArgs{}, "Publishes pictures on camera/jpeg for a time."},
	{VerbTrace, TraceArgs{}, "All that happened in a turn."},
	{VerbConfig, NoArgs{}, "The settings in force, as annotated YAML without secrets."},
	{VerbConfigList, ConfigListArgs{}, "The settings, each with its value, what it means, what is allowed and when a change takes effect."},
	{VerbConfigSet, ConfigSetArgs{}, "Changes settings, all of them or none, and keeps them over a restart."},
	{VerbDoctor, NoArgs{}, "What of the language model and the web can be reached, and what is missing."},
	{VerbSessionsList, NoArgs{}, "The conversations that are kept, the latest first."},
	{VerbSessionsShow, SessionArgs{}, "What was said in a conversation, and what is remembered of it."},
	{VerbSessionsForget, SessionForgetArgs{}, "Removes a conversation and all that is kept of it."},
	{VerbToolsList, NoArgs{}, "The tools that can be called."},
	{VerbToolsShow, ToolShowArgs{}, "A tool; of a self-made one its source, versions, tests and score."},
	{VerbToolsNew, ToolNewArgs{}, "A template to begin a tool with."},
	{VerbToolsCheck, ToolCheckArgs{}, "Checks the source of a tool without running it."},
	{VerbToolsTest, ToolTestArgs{}, "Runs the test cases of a source in the sandbox."},
	{VerbToolsAdd, ToolAddArgs{}, "Checks, tests and registers a source as a new version, and makes it the active one."},
	{VerbToolsRun, ToolRunArgs{}, "Runs a source once, without registering it."},
	{VerbToolsFiles, ToolFilesArgs{}, "What is in files, as it would be described to a model."},
	{VerbToolsReview, ToolReviewArgs{}, "Lists, approves or rejects the versions that wait for review."},
	{VerbToolsDiff, ToolDiffArgs{}, "What changed between two versions."},
	{VerbToolsActivate, ToolVersionArgs{}, "Makes a version the one that is called."},
	{VerbToolsDeactivate, ToolDeactivateArgs{}, "Makes a tool uncallable; its versions are kept."},
	{VerbToolsRollback, ToolVersionArgs{}, "Goes back to an earlier version."},
	{VerbToolsExport, ToolExportArgs{}, "Writes tools into one text file."},
	{VerbToolsImport, ToolImportArgs{}, "Registers the tools of such a file."},
	{VerbToolsPs, NoArgs{}, "The calls of self-made tools that run, each with its number and how long it has run."},
	{VerbToolsKill, ToolKillArgs{}, "Ends a call of a self-made tool by its number, or all of a tool by its name."},
	{VerbToolsGenerate, ToolGenerateArgs{}, "Writes a tool from a sentence: specification, tests, code, checks, sandbox, registration."},
	{VerbTranscribe, TranscribeArgs{}, "What is said in a recording; nothing is done about it."},
	{VerbSynthesize, SynthesizeArgs{}, "A text as sound, which is not said aloud."},
	{VerbAnalyze, AnalyzeArgs{}, "What is seen in a picture."},
	{VerbPhotosList, NoArgs{}, "The photos that are kept, the newest first."},
	{VerbPhotosShow, PhotoArgs{}, "A photo that is kept."},
	{VerbPhotosDelete, PhotoArgs{}, "Removes a photo."},
	{VerbFacesList, NoArgs{}, "The people whose faces the robot knows by name. No pictures of them are kept."},
	{VerbFacesForget, FaceArgs{}, "Forgets the face of a person."},
	{VerbFacesClear, NoArgs{}, "Forgets the faces of everybody."},
	{VerbMovesList, NoArgs{}, "The poses, gestures, emotions and recorded moves that can be asked for by name."},
	{VerbEventsList, EventsArgs{}, "Events of the past, the oldest first."},
	{VerbTracesList, TracesArgs{}, "The latest turns of all conversations, the newest first, without their details."},
	{
		VerbFeedback,
		FeedbackArgs{},
		"What a person thinks of what the robot did: words, a verdict or a rating. It is stored before it is answered; a stop also stops.",
	},
	{VerbFeedbackList, FeedbackListArgs{}, "Feedback, the newest first, with what it was credited to."},
	{
		VerbFeedbackCorrect,
		FeedbackCorrectArgs{},
		"Says what feedback is worth; the robot learns anew from all of it, and takes the same words as that from now on.",
	},
	{VerbFeedbackDelete, FeedbackIDArgs{}, "Removes feedback, and what was learned from it."},
	{VerbLearned, LearnedArgs{}, "What the robot has learned of how a person likes it to behave, in words, and from which feedback."},
	{VerbLearnedForget, LearnedForgetArgs{}, "Forgets what was learned; the feedback stays."},
	{
		VerbDemonstration,
		DemonstrationArgs{},
		"Records what a person shows the robot, by hand or by commands, takes it from a program, and lists, replays, names, exports, imports and deletes it.",
	},
	{VerbModelsList, NoArgs{}, "The model files that the senses can use, which of them are here, and how far one is that is being fetched."},
	{VerbModelsPull, ModelArgs{}, "Begins to fetch a model from its publisher, or goes on with it; events of the type model tell how far it is. One at a time."},
	{VerbModelsCancel, ModelArgs{}, "Ends the fetching of a model; what has come is kept."},
	{VerbLogs, LogsArgs{}, "The latest lines of reachyd's log, the oldest first."},
	{VerbMQTT, NoArgs{}, "How the robot stands with its MQTT broker."},
	{VerbTrain, TrainArgs{}, "Lets the robot practise a task in simulation: start, stop, status, list, show, curve, evaluate, compare."},
}

// NoArgs are the arguments of a command that takes none.
type NoArgs struct{}

// ToolKillArgs are the arguments of tools/kill: one of the two.
type ToolKillArgs struct {
	Run  int    `json:"run,omitempty"` // number of the call
	Name string `json:"name,omitempty"`
}

// RunningTool is a call of a self-made tool that runs, in the answer of tools/ps.
type RunningTool struct {
	Run        int     `json:"run"`
	Name       string  `json:"name"`
	Version    int     `json:"version"`
	Seconds    float64 `json:"seconds"`              // for which it has run
	Unattended bool    `json:"unattended,omitempty"` // a schedule called it
}

// ChatArgs are the arguments of chat.
type ChatArgs struct {
	Text    string `json:"text"`
	Session string `json:"session,omitempty"`
	Unsure  bool   `json:"unsure,omitempty"` // it was only probably said: the robot asks before it does it
}

// PlanArgs are the arguments of plan.
type PlanArgs struct {
	Text string `json:"text"`
}

// File is a file that comes with a command.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"` // base64 in JSON
}

// ToolArgs are the arguments of tool.
type ToolArgs struct {
	Name  string          `json:"name"`
	Args  json.RawMessage `json:"args,omitempty"` // an object, as the tool's schema has it
	Files []File          `json:"files,omitempty"`
}

// HeadTarget is a target of the head, metres and degrees.
type HeadTarget struct {
	X     *float64 `json:"x,omitempty"`
	Y     *float64 `json:"y,omitempty"`
	Z     *float64 `json:"z,omitempty"`
	Roll  *float64 `json:"roll,omitempty"`
	Pitch *float64 `json:"pitch,omitempty"`
	Yaw   *float64 `json:"yaw,omitempty"`
}

// AntennasTarget is a target of both antennas, degrees.
type AntennasTarget struct {
	Left  float64 `json:"left"`
	Right float64 `json:"right"`
}

// GotoArgs are the arguments of goto. At least one of Head, BodyYaw and Antennas must be there; the others stay.
type GotoArgs struct {
	Head     *HeadTarget     `json:"head,omitempty"`
	BodyYaw  *float64        `json:"body_yaw,omitempty"` // °
	Antennas *AntennasTarget `json:"antennas,omitempty"`
	Duration float64         `json:"duration,omitempty"` // s
	Law      string          `json:"law,omitempty"`
	Queue    bool            `json:"queue,omitempty"`
}

// SetTargetArgs are the arguments of set_target. At least one of Head, BodyYaw and Antennas must be there.
type SetTargetArgs struct {
	Head     *HeadTarget     `json:"head,omitempty"`
	BodyYaw  *float64        `json:"body_yaw,omitempty"` // °
	Antennas *AntennasTarget `json:"antennas,omitempty"`
	Source   string          `json:"source,omitempty"`
}

// StopArgs are the arguments of stop. With nil Category the robot brakes and holds.
type StopArgs struct {
	Category *int   `json:"category,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// MotorsArgs are the arguments of motors.
type MotorsArgs struct {
	On     bool     `json:"on"`
	Joints []string `json:"joints,omitempty"`
}

// SpeakArgs are the arguments of speak.
type SpeakArgs struct {
	Text string `json:"text"`
}

// CameraArgs are the arguments of camera.
type CameraArgs struct {
	Seconds *float64 `json:"seconds,omitempty"`
	Rate    int      `json:"rate,omitempty"` // pictures a second
}

// TraceArgs are the arguments of trace.
type TraceArgs struct {
	Trace string `json:"trace,omitempty"`
}

// SessionForgetArgs are the arguments of sessions/forget.
type SessionForgetArgs struct {
	Session string `json:"session"`
}

// SessionArgs are the arguments of sessions/show.
type SessionArgs struct {
	Session string `json:"session,omitempty"`
}

// FeedbackArgs are the arguments of feedback. One of Text, Verdict and Rating must be there.
type FeedbackArgs struct {
	Text    string `json:"text,omitempty"`
	Verdict string `json:"verdict,omitempty"` // great, good, bad or stop
	Rating  int    `json:"rating,omitempty"`  // 1 … 5
	Episode string `json:"episode,omitempty"` // trace of the turn that it is about
	Session string `json:"session,omitempty"` // whose it is
}

// FeedbackListArgs are the arguments of feedback/list.
type FeedbackListArgs struct {
	Limit int `json:"limit,omitempty"`
}

// FeedbackIDArgs are the arguments of feedback/delete.
type FeedbackIDArgs struct {
	Feedback string `json:"feedback"` // its id
}

// FeedbackCorrectArgs are the arguments of feedback/correct. Without Feedback it is the latest of the session.
type FeedbackCorrectArgs struct {
	Feedback string  `json:"feedback,omitempty"` // its id
	Reward   float64 `json:"reward"`             // −1 … 1
	Session  string  `json:"session,omitempty"`
}

// LearnedArgs are the arguments of learned.
type LearnedArgs struct {
	Session string `json:"session,omitempty"` // who it is
}

// LearnedForgetArgs are the arguments of learned/forget.
type LearnedForgetArgs struct {
	Parameter string `json:"parameter,omitempty"` // all when left out
}
