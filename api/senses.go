package api

import "encoding/json"

// Verbs of the senses, and of what is kept of the past.
const (
	VerbTranscribe    Verb = "transcribe"
	VerbSynthesize    Verb = "synthesize"
	VerbAnalyze       Verb = "analyze"
	VerbPhotosList    Verb = "photos/list"
	VerbPhotosShow    Verb = "photos/show"
	VerbPhotosDelete  Verb = "photos/delete"
	VerbFacesList     Verb = "faces/list"
	VerbFacesForget   Verb = "faces/forget"
	VerbFacesClear    Verb = "faces/clear"
	VerbMovesList     Verb = "moves/list"
	VerbEventsList    Verb = "events/list"
	VerbTracesList    Verb = "traces/list"
	VerbToolsGenerate Verb = "tools/generate"
)

// TranscribeArgs are the arguments of transcribe.
type TranscribeArgs struct {
	Audio []byte `json:"audio"` // a recording: WAV, FLAC, Ogg Opus or MP3
}

// Transcription is what was said in a recording.
type Transcription struct {
	Transcription string  `json:"transcription"` // empty when nothing was understood
	Confidence    float64 `json:"confidence"`    // 0…1, of the least sure sentence
	Duration      float64 `json:"duration"`      // of the recording, s
	Message       string  `json:"message"`       // what became of it, for a person
}

// SynthesizeArgs are the arguments of synthesize.
type SynthesizeArgs struct {
	Text  string `json:"text"`
	Voice string `json:"voice,omitempty"`
}

// Sound is a text as sound.
type Sound struct {
	Audio []byte `json:"audio"` // WAV, one channel, 16 bits
	Voice string `json:"voice"` // whose it is
}

// AnalyzeArgs are the arguments of analyze.
type AnalyzeArgs struct {
	Image  []byte `json:"image"` // JPEG or PNG
	Prompt string `json:"prompt,omitempty"`
}

// SeenObject is one thing in a picture.
type SeenObject struct {
	Name       string  `json:"name"`
	Confidence float64 `json:"confidence"` // 0…1; scores of different detectors do not compare
	Box        Box     `json:"box"`
}

// Analysis is what was seen in a picture.
type Analysis struct {
	Description string       `json:"description"` // in words
	Objects     []SeenObject `json:"objects"`
	SceneType   string       `json:"scene_type"` // dark, empty, person, things or code
}

// PhotoArgs name a kept photo.
type PhotoArgs struct {
	Name string `json:"name"`
}

// KeptPhoto is a photo in a list.
type KeptPhoto struct {
	Name  string `json:"name"`
	Taken Time   `json:"taken"`
	Bytes int64  `json:"bytes"`
}

// PhotoList are the photos that are kept, the newest first.
type PhotoList struct {
	Photos []KeptPhoto `json:"photos"`
}

// ShownPhoto is a photo with its picture.
type ShownPhoto struct {
	Name  string `json:"name"`
	Image []byte `json:"image"` // JPEG
}

// FaceArgs name a person whose face is known.
type FaceArgs struct {
	Name string `json:"name"`
}

// KnownFace is a person whose face is known.
type KnownFace struct {
	Name    string `json:"name"`
	Learned Time   `json:"learned"` // the last time
	Samples int    `json:"samples"` // from how many pictures; none of them is kept
}

// FaceList are the people whose faces are known, by name.
type FaceList struct {
	Faces []KnownFace `json:"faces"`
}

// ForgottenFaces are the names of those whose faces were forgotten.
type ForgottenFaces struct {
	Forgotten []string `json:"forgotten"`
}

// MoveList are the moves that can be played by their names.
type MoveList struct {
	Poses    []string `json:"poses"`    // for the tool goto_pose
	Gestures []string `json:"gestures"` // for the tool gesture
	Emotions []string `json:"emotions"` // for the tool express_emotion
	Recorded []string `json:"recorded"` // for the tool play_move
}

// EventsArgs are the arguments of events/list.
type EventsArgs struct {
	After *int   `json:"after,omitempty"` // an ID; without it the newest are listed
	Limit int    `json:"limit,omitempty"`
	Types []Type `json:"types,omitempty"`
}

// EventList are events, the oldest first.
type EventList struct {
	Events []Event `json:"events"`
	Last   uint64  `json:"last"` // the ID of the newest event that there is
}

// TracesArgs are the arguments of traces/list.
type TracesArgs struct {
	Limit int `json:"limit,omitempty"`
}

// ToolGenerateArgs are the arguments of tools/generate.
type ToolGenerateArgs struct {
	Description string          `json:"description"`
	TestCases   json.RawMessage `json:"test_cases,omitempty"` // as those of tools/test; the tool must pass all of them
	Author      string          `json:"author,omitempty"`
}
