package mdns

import (
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// How long others may keep what they are told, seconds: names of hosts, and what offers which service (RFC 6762, 10).
const (
	ttl     = 120
	longTTL = 75 * 60
	// legacyTTL is for those who ask as of a name server.
	legacyTTL = 10
	// flush marks a record of which there is no other; in a question it asks for a direct answer.
	flush = dnsmessage.Class(1 << 15)
)

// zone is what this host tells of itself.
type zone struct {
	name, host string
	services   []Service
	mine       bool // the name is ours
}

const domain = "local"

func (z *zone) target() dnsmessage.Name             { return nameOf(z.host, domain) }
func (z *zone) kind(s *Service) dnsmessage.Name     { return nameOf(s.Type, domain) }
func (z *zone) instance(s *Service) dnsmessage.Name { return nameOf(z.name, s.Type, domain) }
func (z *zone) directory() dnsmessage.Name          { return nameOf("_services._dns-sd._udp", domain) }

func same(a, b dnsmessage.Name) bool                  { return strings.EqualFold(a.String(), b.String()) }
func wants(q dnsmessage.Type, t dnsmessage.Type) bool { return q == t || q == dnsmessage.TypeALL }

func record(name dnsmessage.Name, class dnsmessage.Class, life uint32, body dnsmessage.ResourceBody) dnsmessage.Resource {
	return dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: name, Class: class, TTL: life}, Body: body}
}

// pointers are the records by which a service is found.
func (z *zone) pointers(s *Service) (directory, found dnsmessage.Resource) {
	return record(z.directory(), dnsmessage.ClassINET, longTTL, &dnsmessage.PTRResource{PTR: z.kind(s)}),
		record(z.kind(s), dnsmessage.ClassINET, longTTL, &dnsmessage.PTRResource{PTR: z.instance(s)})
}

// details are where a service is, and what more is known of it.
func (z *zone) details(s *Service) (server, text dnsmessage.Resource) {
	words := s.Text
	if len(words) == 0 {
		words = []string{""}
	}
	return record(z.instance(s), dnsmessage.ClassINET|flush, ttl, &dnsmessage.SRVResource{Target: z.target(), Port: s.Port}),
		record(z.instance(s), dnsmessage.ClassINET|flush, longTTL, &dnsmessage.TXTResource{TXT: words})
}

// hosts are the addresses. Another responder of this host may tell the same, so that they flush nothing.
func (z *zone) hosts(addresses []netip.Addr) (all []dnsmessage.Resource) {
	for _, a := range addresses {
		var body dnsmessage.ResourceBody
		if a.Is4() {
			body = &dnsmessage.AResource{A: a.As4()}
		} else {
			body = &dnsmessage.AAAAResource{AAAA: a.As16()}
		}
		all = append(all, record(z.target(), dnsmessage.ClassINET, ttl, body))
	}
	return all
}

// about returns what answers a question, and what whoever asks will want to know next.
func (z *zone) about(q dnsmessage.Question, addresses func() []netip.Addr) (answers, more []dnsmessage.Resource) {
	for i := range z.services {
		s := &z.services[i]
		directory, found := z.pointers(s)
		server, text := z.details(s)
		switch {
		case same(q.Name, z.directory()) && wants(q.Type, dnsmessage.TypePTR):
			answers = append(answers, directory)
		case same(q.Name, z.kind(s)) && wants(q.Type, dnsmessage.TypePTR):
			answers, more = append(answers, found), append(append(more, server, text), z.hosts(addresses())...)
		case same(q.Name, z.instance(s)):
			if wants(q.Type, dnsmessage.TypeSRV) {
				answers, more = append(answers, server), append(more, z.hosts(addresses())...)
			}
			if wants(q.Type, dnsmessage.TypeTXT) {
				answers = append(answers, text)
			}
		}
	}
	if same(q.Name, z.target()) {
		for _, h := range z.hosts(addresses()) {
			if _, is4 := h.Body.(*dnsmessage.AResource); wants(q.Type, dnsmessage.TypeA) && is4 || wants(q.Type, dnsmessage.TypeAAAA) && !is4 {
				answers = append(answers, h)
			}
		}
	}
	return answers, more
}

// answer returns what a message is answered with, nil for nothing, and whether to the asker alone. legacy says that it was asked as of a
// name server.
func (z *zone) answer(message []byte, addresses func() []netip.Addr, legacy bool) (answer []byte, direct bool) {
	var p dnsmessage.Parser
	head, err := p.Start(message)
	if err != nil || head.Response || head.OpCode != 0 || !z.mine {
		return nil, false
	}
	questions, err := p.AllQuestions()
	if err != nil {
		return nil, false
	}
	known, _ := p.AllAnswers() // what the asker knows already; broken ones are none
	m := dnsmessage.Message{Header: dnsmessage.Header{Response: true, Authoritative: true}}
	direct = true
	for _, q := range questions {
		if !legacy && q.Class&flush == 0 {
			direct = false
		}
		answers, more := z.about(q, addresses)
		for _, a := range answers {
			if !knows(known, &a) {
				m.Answers = append(m.Answers, a)
			}
		}
		m.Additionals = append(m.Additionals, more...)
	}
	if len(m.Answers) == 0 {
		return nil, false
	}
	if legacy {
		m.ID, m.Questions = head.ID, questions
		for _, all := range [][]dnsmessage.Resource{m.Answers, m.Additionals} {
			for i := range all {
				all[i].Header.TTL = min(all[i].Header.TTL, legacyTTL)
				all[i].Header.Class &^= flush
			}
		}
	}
	packed, err := m.Pack()
	if err != nil || len(packed) > maxAnswer {
		return nil, false
	}
	return packed, direct
}

// knows says whether an asker knows a record already, for at least half of its time.
func knows(known []dnsmessage.Resource, r *dnsmessage.Resource) bool {
	ours, isPointer := r.Body.(*dnsmessage.PTRResource)
	for i := range known {
		theirs, ok := known[i].Body.(*dnsmessage.PTRResource)
		if isPointer && ok && same(known[i].Header.Name, r.Header.Name) && same(theirs.PTR, ours.PTR) && known[i].Header.TTL >= r.Header.TTL/2 {
			return true
		}
	}
	return false
}

// probe asks whether somebody has a service of this name.
func (z *zone) probe() []byte {
	m := dnsmessage.Message{}
	for i := range z.services {
		s := &z.services[i]
		server, _ := z.details(s)
		server.Header.Class &^= flush
		m.Questions = append(m.Questions, dnsmessage.Question{Name: z.instance(s), Type: dnsmessage.TypeALL, Class: dnsmessage.ClassINET})
		m.Authorities = append(m.Authorities, server)
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}

// conflict says whether a message tells that another host has a service of this name.
func (z *zone) conflict(message []byte) bool {
	if z.mine {
		return false
	}
	var m dnsmessage.Message
	if m.Unpack(message) != nil || !m.Response {
		return false
	}
	for _, a := range append(m.Answers, m.Additionals...) {
		server, ok := a.Body.(*dnsmessage.SRVResource)
		for i := range z.services {
			if ok && same(a.Header.Name, z.instance(&z.services[i])) && (!same(server.Target, z.target()) || server.Port != z.services[i].Port) {
				return true
			}
		}
	}
	return false
}

// announcement tells everything to everybody, or that it is gone.
func (z *zone) announcement(addresses func() []netip.Addr, gone bool) []byte {
	m := dnsmessage.Message{Header: dnsmessage.Header{Response: true, Authoritative: true}}
	for i := range z.services {
		directory, found := z.pointers(&z.services[i])
		server, text := z.details(&z.services[i])
		m.Answers = append(m.Answers, found, server, text)
		if !gone { // others may offer such a service, too
			m.Answers = append(m.Answers, directory)
		}
	}
	if !gone {
		m.Answers = append(m.Answers, z.hosts(addresses())...)
	}
	for i := range m.Answers {
		if gone {
			m.Answers[i].Header.TTL = 0
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}
