package doctor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

const (
	wirelessPort = "/dev/ttyAMA3" // the bus of a wireless Reachy Mini
	// OfficialPort is where the official daemon listens, and reachyd too.
	OfficialPort = 8000
	officialUnit = "reachy-mini-daemon" // of the wireless robot
)

// checkPorts looks for the robot's bus: who may use it, and who does.
func checkPorts(_ context.Context, a commands) []Finding {
	ports := a.Host.UsbPorts()
	if _, err := os.Stat(a.Host.In(wirelessPort)); err == nil {
		ports = append(ports, wirelessPort)
	}
	if len(ports) == 0 {
		return remark("no Reachy Mini is connected (no USB adapter "+strings.ToUpper(host.LiteVendor+":"+host.LiteProduct)+", no "+wirelessPort+")",
			"plug in its USB cable and its power; a simulated robot needs neither")
	}
	var all []Finding
	for _, p := range ports {
		all = append(all, portFindings(&a.Host, p)...)
	}
	if len(ports) > 1 {
		all = append(all, remark(fmt.Sprintf("%d robots are connected", len(ports)), "say which one: reachyd --port "+ports[0])...)
	}
	return all
}

func portFindings(h *host.Host, p string) []Finding {
	holder := h.Holder(func(target string) bool { return target == p })
	switch {
	case strings.HasPrefix(holder.Name, "reachy-body"):
		return good(fmt.Sprintf("%s, in use by reachy-body", p))
	case holder.PID != 0:
		return wrong(fmt.Sprintf("%s is in use by %s (process %d)", p, holder.Name, holder.PID), remedy(holder))
	case unix.Access(h.In(p), unix.R_OK|unix.W_OK) != nil:
		return wrong(p+" may not be opened by this user", "add the user to the group of the port and log in again: sudo usermod -aG dialout $USER")
	}
	return good(p + ", free")
}

func remedy(p host.Process) string {
	switch {
	case p.Daemon():
		return "stop the official daemon: sudo reachyctl doctor " + takeOver + " daemon does this"
	case p.Official():
		return "end it, or the program that began it: " + p.Command()
	}
	return fmt.Sprintf("end it: kill %d", p.PID)
}

// checkOfficialDaemon finds the official daemon, and what it has left.
func checkOfficialDaemon(_ context.Context, a commands) []Finding {
	all := officialRuns(a)
	if there, enabled := a.unit(officialUnit); there && enabled {
		all = append(all, remark("the service "+officialUnit+" begins with the machine, and takes the robot from reachyd then", a.takes("daemon")+" changes that")...)
	}
	return append(all, officialLeft(a)...)
}

// officialRuns finds the official daemon by its port and by its name: it holds the bus, the port and the camera.
func officialRuns(a commands) []Finding {
	inodes := a.Host.Listeners(OfficialPort)
	if len(inodes) == 0 {
		return good("does not run")
	}
	who := a.Host.Holder(func(target string) bool { return slices.Contains(inodes, target) })
	if running := a.Host.Daemons(); who.PID == 0 && len(running) > 0 { // another user's, whose files only root sees
		who = running[0]
	}
	switch {
	case strings.HasPrefix(who.Name, "reachyd"):
		return good(fmt.Sprintf("does not run; port %d is reachyd's", OfficialPort))
	case who.Official():
		return wrong(fmt.Sprintf("%s (process %d) listens on port %d: it is the official daemon, which holds the robot", who.Name, who.PID, OfficialPort),
			remedy(who))
	case who.PID == 0:
		if slices.ContainsFunc(processes(a.Host), func(p process) bool { return p.name == "reachyd" }) {
			return good(fmt.Sprintf("reachyd runs, and somebody listens on port %d, who should be it; only root can see who", OfficialPort))
		}
		return remark(fmt.Sprintf("somebody listens on port %d, and only root can see who", OfficialPort),
			"if that is the official daemon: sudo reachyctl doctor "+takeOver+" daemon")
	}
	return remark(fmt.Sprintf("%s (process %d) listens on port %d", who.Name, who.PID, OfficialPort),
		"if reachyd complains about http.listen, give it another port")
}
