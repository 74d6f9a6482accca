package rest

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
)

// statusOf says which status of HTTP an error has; what is missing is StatusInternalServerError. What the robot understands and
// cannot do in the state it is in is a conflict, not a fault of the server.
var statusOf = map[api.Code]int{
	api.CodeBadJSON: http.StatusBadRequest, api.CodeInvalid: http.StatusBadRequest,
	api.CodeUnknownVerb: http.StatusNotFound, api.CodeUnknownTool: http.StatusNotFound, api.CodeUnknownName: http.StatusNotFound,
	api.CodeIDReused: http.StatusConflict, api.CodeNotAvailable: http.StatusConflict, api.CodeUnavailable: http.StatusConflict,
	api.CodeInterrupted: http.StatusConflict, api.CodeCancelled: http.StatusConflict, api.CodeTimeout: http.StatusConflict,
	api.CodeEStop: http.StatusConflict, api.CodeStopped: http.StatusConflict, api.CodeTorqueOff: http.StatusConflict,
	api.CodeFault: http.StatusConflict, api.CodeLease: http.StatusConflict, api.CodeNotApproved: http.StatusConflict,
	api.CodeUnreachable: http.StatusUnprocessableEntity, api.CodeLimit: http.StatusUnprocessableEntity, api.CodeError: http.StatusUnprocessableEntity,
	api.CodeRefuse: http.StatusUnprocessableEntity, api.CodeRefused: http.StatusUnprocessableEntity, api.CodeFailed: http.StatusUnprocessableEntity,
	api.CodePanic: http.StatusUnprocessableEntity, api.CodeBusy: http.StatusTooManyRequests,
	codeTooLarge: http.StatusRequestEntityTooLarge, codeMedia: http.StatusUnsupportedMediaType, codeForbidden: http.StatusForbidden,
	codeUnauthorized: http.StatusUnauthorized, codeMethod: http.StatusMethodNotAllowed, codeRate: http.StatusTooManyRequests,
	codeUpgrade: http.StatusUpgradeRequired,
}

// Codes that only HTTP has.
const (
	codeTooLarge     api.Code = "too_large"
	codeMedia        api.Code = "media_type"
	codeForbidden    api.Code = "forbidden"
	codeUnauthorized api.Code = "unauthorized"
	codeMethod       api.Code = "method"
	codeRate         api.Code = "rate"
	codeUpgrade      api.Code = "upgrade" // a WebSocket is wanted
)

// Status returns the status of HTTP of an error.
func Status(code api.Code) int {
	if s, ok := statusOf[code]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// Fail answers a request with a problem. A Retry-After is added where trying again may help.
func Fail(w http.ResponseWriter, r *http.Request, e *api.Error, result json.RawMessage) {
	p := api.Problem{
		Type: "about:blank", Status: Status(e.Code), Detail: e.Message, Code: e.Code, TraceID: tool.Trace(r.Context()), Errors: e.Fields, Result: result,
	}
	p.Title = http.StatusText(p.Status)
	w.Header().Set("Content-Type", "application/problem+json")
	if p.Status == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "1")
	}
	data, err := json.Marshal(p)
	if err != nil {
		data = []byte(`{"title":` + strconv.Quote(p.Title) + `}`)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(data, '\n')) // a client that is gone has no use for the error
}

// Refuse is Fail with a code and a message.
func Refuse(w http.ResponseWriter, r *http.Request, code api.Code, message string) {
	Fail(w, r, &api.Error{Code: code, Message: message}, nil)
}

// Unauthorized says that a token is needed, or that the one that came is none.
func Unauthorized(w http.ResponseWriter, r *http.Request, message string) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="reachyd"`)
	Refuse(w, r, codeUnauthorized, message)
}

// Forbidden says that a request is not allowed to whoever asked.
func Forbidden(w http.ResponseWriter, r *http.Request, message string) {
	Refuse(w, r, codeForbidden, message)
}

// TooOften says that somebody asks too often, and when to ask again.
func TooOften(w http.ResponseWriter, r *http.Request, seconds int, message string) {
	w.Header().Set("Retry-After", strconv.Itoa(max(1, seconds)))
	Refuse(w, r, codeRate, message)
}
