package sdk

// uploads are the moves that a client is uploading.
type uploads struct{}
