package local

import (
	"context"
	"net"
	"net/http"
	"time"
)

// NewServer returns a server on a socket whose requests end with ctx.
func NewServer(ctx context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
}

// Shut ends a server: what is being answered has a second to be finished.
func Shut(srv *http.Server) {
	bounded, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if srv.Shutdown(bounded) != nil {
		srv.Close() //nolint:errcheck // they had their second
	}
}
