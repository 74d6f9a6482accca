package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
	"github.com/reachyd/reachyd/toolsandbox/guest/interpreters"
)

func checkHost(_ context.Context, a commands) []Finding {
	memory := host.MemoryBytes(a.Host.In("proc/meminfo"))
	kernel, err := host.FirstLine(a.Host.In("proc/sys/kernel/osrelease"))
	if err != nil {
		kernel = "unknown"
	}
	detail := fmt.Sprintf("%s %s on %s, %d cores, %.1f GiB of memory", runtime.GOOS, kernel, runtime.GOARCH, runtime.NumCPU(), float64(memory)/host.GiB)
	switch {
	case runtime.GOOS != "linux":
		return remark(detail, "the control loop is made for Linux; elsewhere use the simulated robot")
	case memory > 0 && memory < 512*host.MiB:
		return wrong(detail, "reachyd needs at least 512 MiB")
	}
	return append(good(detail), supplyFindings(&a.Host)...)
}

func checkRealtime(_ context.Context, a commands) []Finding {
	if a.Host.Packaged() { // this user's limits say nothing of the service
		return good("given by the unit of the service; what the control loop has got of it stands under body")
	}
	l := a.Host.Limits()
	const lockNeeded = 64 * host.MiB
	var missing []string
	if l.Priority == 0 {
		missing = append(missing, "no real-time priority (RTPRIO 0)")
	}
	if l.Locked < lockNeeded {
		missing = append(missing, fmt.Sprintf("only %d KiB of memory may be locked (MEMLOCK)", l.Locked>>10))
	}
	switch {
	case l.Root:
		return good("the control loop may take real-time priority and lock its memory (root)")
	case len(missing) == 0:
		return good(fmt.Sprintf("the control loop may take real-time priority up to %d and lock its memory", l.Priority))
	}
	return remark(strings.Join(missing, ", ")+": the control loop runs, but a busy host makes it late",
		"run reachyd under its systemd unit, or add LimitRTPRIO=50 and LimitMEMLOCK=infinity to yours")
}

func checkDisk(_ context.Context, a commands) []Finding {
	dir := a.Host.DataDir
	for {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	free, err := a.Host.Free(dir)
	if err != nil {
		return remark(err.Error(), "check that the disk is there")
	}
	detail := fmt.Sprintf("%.1f GiB free for %s", float64(free)/host.GiB, a.Host.DataDir)
	switch {
	case free < 200*host.MiB:
		return wrong(detail, "make room: below 200 MiB the store may stop taking events")
	case free < host.GiB:
		return remark(detail, "make room for models: they need a few hundred MiB each")
	}
	return good(detail)
}

// source says where something comes from: a package where reachyctl came with one, else what builds it.
func source(a commands, pkg, build string) string {
	if a.Host.Packaged() {
		return "install the package " + pkg
	}
	return build
}

func checkPrograms(_ context.Context, a commands) []Finding {
	var all []Finding
	for _, p := range []struct {
		name, use, pkg string
		needed         bool
	}{
		{"reachyd", "the daemon", "reachyd", true},
		{"reachy-body", "the control loop", "reachyd", true},
		{"reachy-sim", "the simulated robot", "reachyd-sim", false},
		{"reachy-sense", "hearing, seeing and speaking", "reachyd-sense", false},
	} {
		where, err := a.Host.Find(p.name)
		switch {
		case err == nil:
			all = append(all, good(p.name+": "+where)...)
		case p.needed:
			all = append(all, wrong(fmt.Sprintf("%s (%s) is neither beside reachyctl nor on PATH", p.name, p.use),
				source(a, p.pkg, "`make build` builds it"))...)
		default:
			all = append(all, remark(fmt.Sprintf("%s (%s) is not installed", p.name, p.use), source(a, p.pkg, "`make build` builds it")+", if that is wanted")...)
		}
	}
	return all
}

func checkLibraries(_ context.Context, a commands) []Finding {
	var all []Finding
	if _, err := a.Host.Find("reachy-sim"); err == nil {
		all = simLibraries(a)
	}
	if path, err := a.Host.Find("espeak-ng"); err == nil {
		return append(all, good("espeak-ng: "+path)...)
	}
	return append(all, remark("espeak-ng (a voice) is not installed", "apt-get install espeak-ng; without it the robot answers in writing only")...)
}

// simLibraries are those of the simulated robot.
func simLibraries(a commands) (all []Finding) {
	for _, l := range []struct{ file, name, use, do string }{
		{"libmujoco.so", "MuJoCo", "physics of the simulated robot", "apt-get install libmujoco-dev; without it a plain servo model moves the simulated robot"},
		{"libEGL.so", "EGL", "pictures of the simulated eye", "apt-get install libegl1 libgl1-mesa-dri; without it the simulated robot is blind"},
	} {
		if path := a.Host.Library(l.file); path != "" {
			all = append(all, good(l.name+": "+path)...)
		} else {
			all = append(all, remark(fmt.Sprintf("%s (%s) is not installed", l.name, l.use), l.do)...)
		}
	}
	return all
}

// checkSandbox looks for the interpreters that self-made tools run in.
func checkSandbox(_ context.Context, a commands) []Finding {
	numpy := interpreters.Installed(interpreters.Numpy.In(a.Host.Cache))
	var all []Finding
	for _, i := range []struct {
		interpreters.Interpreter
		name, without, do string
		dispensable       bool
	}{
		{interpreters.Python, "Python for self-made tools", "no tools in Python", source(a, "reachyd-python", "`make python` builds it (minutes, once)"), numpy},
		{
			interpreters.Numpy, "numpy pack (numpy, Pillow, pandas) for self-made tools", "a subset of numpy and Pillow in its place",
			"`make numpy-pack` fetches it (44 MB), if that is wanted", false,
		},
		{
			interpreters.JavaScript, "JavaScript for self-made tools", "no tools in JavaScript",
			source(a, "reachyd-python", interpreters.JavaScript.Script+" fetches it"), false,
		},
	} {
		where := i.In(a.Host.Cache)
		switch {
		case interpreters.Installed(where):
			all = append(all, good(i.name+": "+where)...)
		case i.dispensable:
			all = append(all, good(i.name+" is not installed; the one with numpy runs all of them")...)
		default:
			all = append(all, remark(fmt.Sprintf("%s is not installed: %s", i.name, i.without), i.do)...)
		}
	}
	return all
}

func checkBody(ctx context.Context, a commands) []Finding {
	sockets := a.Sockets(cli.BodySocket)
	if len(sockets) == 0 {
		if closed(a) != "" {
			return remark("not seen: the service keeps it from strangers", "see access above")
		}
		return remark("no body runs on this machine", "that is right when the robot is another machine's; else start reachyd")
	}
	var all []Finding
	for _, s := range sockets {
		all = append(all, bodyFinding(ctx, s)...)
	}
	return all
}
