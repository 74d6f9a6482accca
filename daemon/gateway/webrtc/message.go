package webrtc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

const (
	// maxMessage is the longest message of a peer, and maxSDP the longest description in it, bytes.
	maxMessage, maxSDP = 64 << 10, 48 << 10
	// maxCandidate is the longest way to a peer, bytes.
	maxCandidate = 512
	// maxName is the longest name that a peer gives itself, bytes.
	maxName = 80
)

// message is what a peer says, in the protocol of GStreamer's signalling server. Over HTTP it is the same.
type message struct {
	Type      string          `json:"type"`
	PeerID    string          `json:"peerId"`
	SessionID string          `json:"sessionId"`
	Meta      json.RawMessage `json:"meta"`
	SDP       *description    `json:"sdp"`
	ICE       *candidate      `json:"ice"`
}

type description struct {
	Type string `json:"type"`
	SDP  string `json:"sdp"`
}

type candidate struct {
	Candidate string  `json:"candidate"`
	Line      *uint16 `json:"sdpMLineIndex"`
	Mid       *string `json:"sdpMid"`
}

// answer is what a peer is told.
type answer struct {
	Type      string       `json:"type"`
	PeerID    string       `json:"peerId,omitempty"`
	SessionID string       `json:"sessionId,omitempty"`
	Producers []producer   `json:"producers,omitempty"`
	SDP       *description `json:"sdp,omitempty"`
	Reason    string       `json:"reason,omitempty"`
	ActiveApp string       `json:"activeApp,omitempty"`
	Details   string       `json:"details,omitempty"`
}

type producer struct {
	ID   string            `json:"id"`
	Meta map[string]string `json:"meta"`
}

const types = "setPeerStatus, list, startSession, peer, endSession"

// parse reads a message; the error names what is wrong with it.
func parse(data []byte) (*message, error) {
	if len(data) > maxMessage {
		return nil, fmt.Errorf("the message has %d bytes; allowed are %d", len(data), maxMessage)
	}
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("the message is not understood: %w", err)
	}
	switch m.Type {
	case "setPeerStatus", "list":
	case "startSession":
		if m.PeerID == "" {
			return nil, errors.New("peerId is missing")
		}
		if m.SDP != nil {
			return nil, errors.New("sdp: the robot makes the offer; startSession brings none")
		}
	case "endSession":
		if m.SessionID == "" {
			return nil, errors.New("sessionId is missing")
		}
	case "peer":
		return &m, m.checkPeer()
	default:
		return nil, fmt.Errorf("type is %.40q; allowed are %s", m.Type, types)
	}
	return &m, nil
}

func (m *message) checkPeer() error {
	switch {
	case m.SessionID == "":
		return errors.New("sessionId is missing")
	case (m.SDP == nil) == (m.ICE == nil):
		return errors.New("sdp or ice is needed, and not both")
	case m.ICE != nil && len(m.ICE.Candidate) > maxCandidate:
		return fmt.Errorf("ice.candidate has %d bytes; allowed are %d", len(m.ICE.Candidate), maxCandidate)
	case m.ICE != nil && m.ICE.Candidate != "" && !strings.HasPrefix(m.ICE.Candidate, "candidate:"):
		return fmt.Errorf("ice.candidate is %.40q; candidate: is its beginning", m.ICE.Candidate)
	case m.SDP != nil && m.SDP.Type != "answer":
		return fmt.Errorf("sdp.type is %.40q; allowed is answer", m.SDP.Type)
	case m.SDP != nil && (m.SDP.SDP == "" || len(m.SDP.SDP) > maxSDP):
		return fmt.Errorf("sdp.sdp has %d bytes; allowed are 1 to %d", len(m.SDP.SDP), maxSDP)
	}
	return nil
}

// name is what a peer calls itself; empty when it does not.
func (m *message) name() string {
	var meta struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(m.Meta, &meta) != nil { // meta may be anything
		return ""
	}
	return meta.Name[:min(len(meta.Name), maxName)]
}
