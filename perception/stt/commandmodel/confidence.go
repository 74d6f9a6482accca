package commandmodel

// MinConfidence is the least Result.Confidence of a command. It was chosen on the validation voices by train/judge.py
// so that few non-commands pass; the judging voices had no part in it.
const MinConfidence = 0.75
