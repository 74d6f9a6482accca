package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	wirelessPort = "/dev/ttyAMA3"       // the bus of a wireless Reachy Mini
	officialPort = 8000                 // where the official daemon listens, and reachyd too
	officialUnit = "reachy-mini-daemon" // of the wireless robot
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
		all = append(all, portFindings(&a.doctor, p)...)
	}
	if len(ports) > 1 {
		all = append(all, remark(fmt.Sprintf("%d robots are connected", len(ports)), "say which one: reachyd --port "+ports[0])...)
	}
	return all
}

func portFindings(h *doctorHost, p string) []finding {
	holder := h.holder(func(target string) bool { return target == p })
	switch {
	case strings.HasPrefix(holder.name, "reachy-body"):
		return good(fmt.Sprintf("%s, in use by reachy-body", p))
	case holder.pid != 0:
		return wrong(fmt.Sprintf("%s is in use by %s (process %d)", p, holder.name, holder.pid), remedy(holder))
	case unix.Access(h.in(p), unix.R_OK|unix.W_OK) != nil:
		return wrong(p+" may not be opened by this user", "add the user to the group of the port and log in again: sudo usermod -aG dialout $USER")
	}
	return good(p + ", free")
}

func remedy(p process) string {
	if p.official() {
		return "stop the official daemon: sudo systemctl stop " + officialUnit + " (wireless), or end the program that runs it"
	}
	return fmt.Sprintf("end it: kill %d", p.pid)
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
		return wrong(fmt.Sprintf("%s (process %d) listens on port %d: it is the official daemon, which holds the robot", who.name, who.pid, officialPort), remedy(who))
	case who.pid == 0:
		return remark(fmt.Sprintf("somebody listens on port %d, and only root can see who", officialPort), "if that is the official daemon, stop it: sudo systemctl stop "+officialUnit)
	}
	return remark(fmt.Sprintf("%s (process %d) listens on port %d", who.name, who.pid, officialPort), "if reachyd complains about http.listen, give it another port")
}
