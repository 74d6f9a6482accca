package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	liteVendor, liteProduct = "1a86", "55d3"       // the USB serial adapter of a Reachy Mini Lite
	wirelessPort            = "/dev/ttyAMA3"       // the bus of a wireless Reachy Mini
	officialPort            = 8000                 // where the official daemon listens, and reachyd too
	officialUnit            = "reachy-mini-daemon" // of the wireless robot
)

// checkPorts looks for the robot's bus: who may use it, and who does.
func checkPorts(_ context.Context, a *app) []finding {
	ports := a.doctor.usbPorts()
	if _, err := os.Stat(a.doctor.in(wirelessPort)); err == nil {
		ports = append(ports, wirelessPort)
	}
	if len(ports) == 0 {
		return remark("no Reachy Mini is connected (no USB adapter "+strings.ToUpper(liteVendor+":"+liteProduct)+", no "+wirelessPort+")",
			"plug in its USB cable and its power; a simulated robot needs neither")
	}
	var all []finding
	for _, p := range ports {
		all = append(all, a.doctor.port(p)...)
	}
	if len(ports) > 1 {
		all = append(all, remark(fmt.Sprintf("%d robots are connected", len(ports)), "say which one: reachyd --port "+ports[0])...)
	}
	return all
}

func (h *doctorHost) port(p string) []finding {
	holder := h.holder(func(target string) bool { return target == p })
	switch {
	case strings.HasPrefix(holder.name, "reachy-body"):
		return good(fmt.Sprintf("%s, in use by reachy-body", p))
	case holder.pid != 0:
		return wrong(fmt.Sprintf("%s is in use by %s (process %d)", p, holder.name, holder.pid), holder.remedy())
	case unix.Access(h.in(p), unix.R_OK|unix.W_OK) != nil:
		return wrong(p+" may not be opened by this user", "add the user to the group of the port and log in again: sudo usermod -aG dialout $USER")
	}
	return good(p + ", free")
}

// usbPorts lists the serial ports of USB adapters that are those of a Reachy Mini Lite.
func (h *doctorHost) usbPorts() []string {
	entries, err := os.ReadDir(h.in("sys/class/tty"))
	if err != nil {
		return nil
	}
	var ports []string
	for _, e := range entries {
		device, err := filepath.EvalSymlinks(h.in("sys/class/tty", e.Name(), "device"))
		if err != nil {
			continue
		}
		// The device is an interface of the USB device, or a port of it: its identifiers are one or two levels up.
		const levels = 4
		for range levels {
			vendor, err := firstLine(filepath.Join(device, "idVendor"))
			if err != nil {
				device = filepath.Dir(device)
				continue
			}
			product, err := firstLine(filepath.Join(device, "idProduct"))
			if err == nil && vendor == liteVendor && product == liteProduct {
				ports = append(ports, "/dev/"+e.Name())
			}
			break
		}
	}
	return ports
}

// process is somebody who uses something; the zero value is nobody, or nobody whom we may see.
type process struct {
	pid     int
	name    string
	command string
}

// official reports whether this is the official daemon.
func (p process) official() bool {
	return strings.Contains(p.command, "reachy_mini") || strings.Contains(p.command, "reachy-mini")
}

func (p process) remedy() string {
	if p.official() {
		return "stop the official daemon: sudo systemctl stop " + officialUnit + " (wireless), or end the program that runs it"
	}
	return fmt.Sprintf("end it: kill %d", p.pid)
}

// holder finds the process that has something open. Without being root it sees this user's processes only.
func (h *doctorHost) holder(is func(target string) bool) process {
	entries, err := os.ReadDir(h.in("proc"))
	if err != nil {
		return process{}
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		fds, err := os.ReadDir(h.in("proc", e.Name(), "fd"))
		if err != nil {
			continue
		}
		for _, fd := range fds {
			target, err := os.Readlink(h.in("proc", e.Name(), "fd", fd.Name()))
			if err == nil && is(target) {
				return h.process(pid)
			}
		}
	}
	return process{}
}

func (h *doctorHost) process(pid int) process {
	p := process{pid: pid, name: "an unknown program"}
	dir := h.in("proc", strconv.Itoa(pid))
	if name, err := firstLine(filepath.Join(dir, "comm")); err == nil {
		p.name = name
	}
	if command, err := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil {
		p.command = strings.TrimSpace(strings.ReplaceAll(string(command), "\x00", " "))
	}
	return p
}

// checkOfficialDaemon finds the official daemon by its port and by its name: it holds the bus, the port and the camera.
func checkOfficialDaemon(_ context.Context, a *app) []finding {
	inodes := a.doctor.listeners(officialPort)
	if len(inodes) == 0 {
		return good("does not run")
	}
	who := a.doctor.holder(func(target string) bool { return slices.Contains(inodes, target) })
	switch {
	case strings.HasPrefix(who.name, "reachyd"):
		return good(fmt.Sprintf("does not run; port %d is reachyd's", officialPort))
	case who.official():
		return wrong(fmt.Sprintf("%s (process %d) listens on port %d: it is the official daemon, which holds the robot", who.name, who.pid, officialPort), who.remedy())
	case who.pid == 0:
		return remark(fmt.Sprintf("somebody listens on port %d, and only root can see who", officialPort), "if that is the official daemon, stop it: sudo systemctl stop "+officialUnit)
	}
	return remark(fmt.Sprintf("%s (process %d) listens on port %d", who.name, who.pid, officialPort), "if reachyd complains about http.listen, give it another port")
}

// listeners returns the sockets that listen on a TCP port, as they appear among a process's open files.
func (h *doctorHost) listeners(port int) []string {
	const listening, fields = "0A", 10
	var all []string
	for _, table := range []string{"proc/net/tcp", "proc/net/tcp6"} {
		f, err := os.Open(h.in(table))
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			columns := strings.Fields(lines.Text())
			if len(columns) < fields || columns[3] != listening {
				continue
			}
			_, number, _ := strings.Cut(columns[1], ":")
			if b, err := hex.DecodeString(number); err == nil && len(b) == 2 && int(b[0])<<8|int(b[1]) == port {
				all = append(all, "socket:["+columns[9]+"]")
			}
		}
		f.Close() //nolint:errcheck // only read
	}
	return all
}
