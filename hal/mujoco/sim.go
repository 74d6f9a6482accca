//go:build mujoco

package mujoco

/*
#cgo CFLAGS: -O2 -Wall
#cgo LDFLAGS: -lmujoco -lm -ldl
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/virtual"
)

// Built reports whether this program contains MuJoCo.
const Built = true

// The position loop of every servo.
const (
	servoKp = 10.0 // N·m/rad
	servoKv = 0.1  // N·m·s/rad
)

// maxContacts is how many touching pairs Truth can report.
const maxContacts = 32

// Sim is the robot and its surroundings in MuJoCo. It is a virtual.Plant, and its methods may be called from any goroutine.
type Sim struct {
	start hal.Joints
	view  *viewer

	mu     sync.Mutex
	closed bool
	m      *C.mjModel
	d      *C.mjData
	// Views on MuJoCo's memory: reading and writing them costs no call.
	qpos, qvel, ctrl, force, gain, bias, limit []float64

	driven  [hal.NumJoints]driven
	head    [6]int // where in qpos: x, y, z, yaw, pitch, roll
	rods    [6]rod
	height  float64 // of the head's frame with all head joints at 0
	objects []object
	bodies  []string // names by number

	dog      watchdog
	rest     rest
	good     hal.Joints // the last at which the platform stood as it should
	reseated func(why string)
	steps    uint64
	flips    uint64
	// reseatedAt is the step at which the platform was last put together anew.
	reseatedAt uint64
	warnings   C.long
	text       [C.SHIM_TEXT]C.char
	pairs      [2 * maxContacts]C.int
}

// driven says where a driven joint is in MuJoCo's arrays, and the sign of its angle there.
type driven struct {
	qpos, dof, actuator int
	sign                float64
}

// rod is one ball joint and the orientation of its rod at angle 0 in the arm's frame.
type rod struct {
	qpos int
	rest hal.Mat3
}

type object struct {
	name      string
	qpos, dof int
}

// Open loads the model and puts the robot to o.Start.
func Open(o Options) (*Sim, error) {
	if o.Scene == "" {
		o.Scene = Table
	}
	s := &Sim{start: o.Start, good: o.Start, reseated: o.Reseated}
	if s.reseated == nil {
		s.reseated = func(string) {}
	}
	if C.shim_selftest(&s.text[0]) != 1 {
		return nil, errors.New("mujoco: its errors cannot be caught")
	}
	if have, want := int(C.mj_version()), int(C.mjVERSION_HEADER); have != want {
		return nil, fmt.Errorf("mujoco: the library is version %d, this program was built for %d", have, want)
	}
	xml := ModelXML(o.Scene, o.Light)
	text := C.CString(xml)
	defer C.free(unsafe.Pointer(text))
	if s.m = C.shim_load(text, C.int(len(xml)), &s.text[0]); s.m == nil {
		return nil, fmt.Errorf("mujoco: load the model: %s", s.message())
	}
	if s.d = C.shim_data(s.m, &s.text[0]); s.d == nil {
		defer C.mj_deleteModel(s.m)
		return nil, fmt.Errorf("mujoco: make the state: %s", s.message())
	}
	if err := s.find(); err != nil {
		s.free()
		return nil, err
	}
	s.view = newViewer(s)
	s.warnings = C.shim_warnings()
	s.Reset(&virtual.Motions{})
	return s, nil
}

func (s *Sim) message() string { return C.GoString(&s.text[0]) }

func (s *Sim) free() {
	C.mj_deleteData(s.d)
	C.mj_deleteModel(s.m)
}

// Close frees everything, once. The plant stands still afterwards.
func (s *Sim) Close() error {
	s.view.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.free()
	}
	return nil
}

func view(p *C.mjtNum, n C.int) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(p)), int(n))
}

func ints(p *C.int, n C.int) []C.int { return unsafe.Slice(p, int(n)) }

func (s *Sim) id(kind C.int, name string) (int, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	if i := int(C.mj_name2id(s.m, kind, text)); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("mujoco: the model has no %q", name)
}

// find looks everything up that is used later.
func (s *Sim) find() error {
	m, d := s.m, s.d
	s.qpos, s.qvel, s.ctrl = view(d.qpos, m.nq), view(d.qvel, m.nv), view(d.ctrl, m.nu)
	s.force = view(d.actuator_force, m.nu)
	s.gain, s.bias = view(m.actuator_gainprm, C.mjNGAIN*m.nu), view(m.actuator_biasprm, C.mjNBIAS*m.nu)
	s.limit = view(m.actuator_forcerange, 2*m.nu)
	at, dof := ints(m.jnt_qposadr, m.njnt), ints(m.jnt_dofadr, m.njnt)
	joint := func(name string) (q, v int, err error) {
		i, err := s.id(C.mjOBJ_JOINT, name)
		if err != nil {
			return 0, 0, err
		}
		return int(at[i]), int(dof[i]), nil
	}
	var err error
	for j, name := range jointNames {
		g := &s.driven[j]
		g.sign = 1
		if hal.Joint(j) >= hal.RightAntenna {
			g.sign = -1 // the model's antennas turn the other way round
		}
		if g.qpos, g.dof, err = joint(name); err != nil {
			return err
		}
		if g.actuator, err = s.id(C.mjOBJ_ACTUATOR, name); err != nil {
			return err
		}
	}
	for i, name := range [...]string{"head_x", "head_y", "head_z", "head_yaw", "head_pitch", "head_roll"} {
		if s.head[i], _, err = joint(name); err != nil {
			return err
		}
	}
	quats := view(m.body_quat, 4*m.nbody)
	for k := range s.rods {
		if s.rods[k].qpos, _, err = joint(fmt.Sprintf("passive_%d", k+1)); err != nil {
			return err
		}
		body, err := s.id(C.mjOBJ_BODY, fmt.Sprintf("rod_%d", k+1))
		if err != nil {
			return err
		}
		s.rods[k].rest = matrix([4]float64(quats[4*body : 4*body+4]))
	}
	_, s.height = legModels()
	addresses, first := ints(m.name_bodyadr, m.nbody), ints(m.body_jntadr, m.nbody)
	kinds := ints(m.jnt_type, m.njnt)
	for b := range int(m.nbody) {
		name := C.GoString((*C.char)(unsafe.Add(unsafe.Pointer(m.names), int(addresses[b]))))
		s.bodies = append(s.bodies, name)
		if j := first[b]; j >= 0 && kinds[j] == C.mjJNT_FREE {
			s.objects = append(s.objects, object{name, int(at[j]), int(dof[j])})
		}
	}
	return nil
}

// Step implements virtual.Plant.
func (s *Sim) Step(dt float64, drive *virtual.Drives, out *virtual.Motions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.rest.look(s, drive)
	for j := range drive {
		d := drive[j]
		if k := j - int(hal.Stewart1); s.rest.lies && k >= 0 && k < len(s.rest.at) {
			d = virtual.Drive{On: true, Position: s.rest.at[k], Limit: 1}
		}
		s.setDrive(&s.driven[j], &d)
	}
	n := max(1, int(math.Round(dt/timestep)))
	failed := C.shim_step(s.m, s.d, C.int(n), &s.text[0]) != 0
	s.steps += uint64(n)
	switch {
	case failed || C.shim_blown(s.d) != 0:
		s.again("the physics became unstable")
	case s.dog.flipped(s, dt):
		s.again("the head snapped into another assembly")
	case s.dog.wrong == 0:
		s.good = s.joints()
	}
	s.motions(out)
}

// again puts the platform together where it last stood as it should, and tells so: it is no move that a robot could make.
// Where that does not last it is put to neutral.
func (s *Sim) again(why string) {
	s.flips++
	const soon = 2 / timestep
	if s.reseatedAt != 0 && s.steps-s.reseatedAt < soon {
		neutral, err := kinematics.Inverse(hal.IdentityPose, 0)
		if err == nil { // the neutral pose has a solution
			copy(s.good[hal.Stewart1:hal.RightAntenna], neutral[hal.Stewart1:hal.RightAntenna])
		}
	}
	s.reseatedAt = s.steps
	s.reseat()
	s.reseated(why)
}

// setDrive gives one actuator the gains of what its servo does.
func (s *Sim) setDrive(g *driven, d *virtual.Drive) {
	gain, bias := s.gain[C.mjNGAIN*g.actuator:], s.bias[C.mjNBIAS*g.actuator:]
	gain[0], bias[1], bias[2] = 0, 0, 0
	s.ctrl[g.actuator] = 0
	full := maxTorque * max(0, min(1, d.Limit))
	s.limit[2*g.actuator], s.limit[2*g.actuator+1] = -full, full
	switch {
	case !d.On:
	case d.ByTorque:
		gain[0] = 1
		s.ctrl[g.actuator] = g.sign * d.Torque
	default:
		kp := servoKp * d.Gain()
		gain[0], bias[1], bias[2] = kp, -kp, -servoKv
		s.ctrl[g.actuator] = g.sign * d.Position
	}
}

// motions reports the joints as the servos see them.
func (s *Sim) motions(out *virtual.Motions) {
	for j := range out {
		g := &s.driven[j]
		out[j] = virtual.Motion{
			Position: g.sign * s.qpos[g.qpos],
			Velocity: g.sign * s.qvel[g.dof],
			Torque:   g.sign * s.force[g.actuator],
		}
		if s.rest.lies && headJoints.Has(hal.Joint(j)) {
			out[j].Torque = 0 // the shell carries the head, not the servo
		}
	}
}

// Reset implements virtual.Plant: everything goes back to where it was after Open; the counters stay.
func (s *Sim) Reset(out *virtual.Motions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	C.shim_reset(s.m, s.d, &s.text[0])
	s.seat(&s.start)
	s.motions(out)
}

// reseat takes a robot apart that was put together wrongly, and puts it together where it last stood as it should; everything
// else stays.
func (s *Sim) reseat() {
	joints := s.joints()
	for _, v := range joints {
		if math.IsNaN(v) {
			joints = s.good
		}
	}
	copy(joints[hal.Stewart1:hal.RightAntenna], s.good[hal.Stewart1:hal.RightAntenna])
	kept := make([]float64, 7*len(s.objects))
	for i, o := range s.objects {
		copy(kept[7*i:7*i+7], s.qpos[o.qpos:])
	}
	C.shim_reset(s.m, s.d, &s.text[0])
	for i, o := range s.objects {
		if q := kept[7*i : 7*i+7]; !math.IsNaN(q[0] + q[1] + q[2] + q[3]) {
			copy(s.qpos[o.qpos:o.qpos+7], q)
		}
	}
	s.seat(&joints)
}

// seat puts all joints, the head and the rods where the given angles have them, at rest.
func (s *Sim) seat(joints *hal.Joints) {
	for j := range joints {
		s.qpos[s.driven[j].qpos] = s.driven[j].sign * joints[j]
	}
	pose, _, err := kinematics.Forward(joints, hal.IdentityPose)
	if err != nil {
		pose = hal.IdentityPose // not a pose of this robot; the constraints will pull it together
	}
	back := hal.RotZ(-joints[hal.BodyYaw])
	local := hal.Pose{R: back.Mul(pose.R), T: back.Apply(pose.T)}
	h := local.Head()
	for i, v := range [...]float64{h.X, h.Y, h.Z + neutralHeight - s.height, h.Yaw, h.Pitch, h.Roll} {
		s.qpos[s.head[i]] = v
	}
	local.T[2] += neutralHeight
	for k := range s.rods {
		q := aim(k, joints[int(hal.Stewart1)+k], &local, &s.rods[k].rest)
		copy(s.qpos[s.rods[k].qpos:s.rods[k].qpos+4], q[:])
	}
	s.dog, s.rest = watchdog{}, rest{}
	C.shim_forward(s.m, s.d, &s.text[0])
}

func (s *Sim) joints() (joints hal.Joints) {
	for j := range joints {
		joints[j] = s.driven[j].sign * s.qpos[s.driven[j].qpos]
	}
	return joints
}

// localHead is the head's pose relative to neutral in the body's frame.
func (s *Sim) localHead() hal.Head {
	var v [6]float64
	for i, at := range s.head {
		v[i] = s.qpos[at]
	}
	return hal.Head{X: v[0], Y: v[1], Z: v[2] + s.height - neutralHeight, Yaw: v[3], Pitch: v[4], Roll: v[5]}
}

// headPose is the head's pose relative to neutral in the world.
func (s *Sim) headPose() hal.Pose {
	local := s.localHead().Pose()
	yaw := hal.RotZ(s.qpos[s.driven[hal.BodyYaw].qpos])
	return hal.Pose{R: yaw.Mul(local.R), T: yaw.Apply(local.T)}
}

// Truth reports what is really so.
func (s *Sim) Truth() Truth {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Truth{}
	}
	t := Truth{
		Time: float64(s.steps) * timestep, Steps: s.steps, Head: s.headPose().Head(), Joints: s.joints(),
		Flips: s.flips, Closure: float64(C.shim_closure(s.m, s.d)), Warnings: uint64(C.shim_warnings() - s.warnings),
		Objects: []Object{}, Contacts: [][2]string{},
	}
	t.BodyYaw = t.Joints[hal.BodyYaw]
	for _, o := range s.objects {
		q := s.qpos[o.qpos : o.qpos+7]
		t.Objects = append(t.Objects, Object{o.name, hal.Vec3(q[:3]), [4]float64(q[3:7])})
	}
	for i := range int(C.shim_contacts(s.m, s.d, &s.pairs[0], maxContacts)) {
		a, b := s.bodies[s.pairs[2*i]], s.bodies[s.pairs[2*i+1]]
		t.Contacts = append(t.Contacts, [2]string{min(a, b), max(a, b)})
	}
	return t
}

// MoveObject puts an object somewhere, at rest; a nil quaternion keeps its orientation.
func (s *Sim) MoveObject(name string, position hal.Vec3, quaternion *[4]float64) error {
	for i, v := range position {
		if !(math.Abs(v) <= 3) {
			return fmt.Errorf("position[%d] = %v: allowed is −3…3 m", i, v)
		}
	}
	var q [4]float64
	if quaternion != nil {
		q = *quaternion
		norm := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
		if !(norm > 1e-3 && norm < 1e3) {
			return fmt.Errorf("quaternion = %v: it must have a length", q)
		}
		for i := range q {
			q[i] /= norm
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the simulation is closed")
	}
	var names []string
	for _, o := range s.objects {
		names = append(names, o.name)
		if o.name != name {
			continue
		}
		copy(s.qpos[o.qpos:], position[:])
		if quaternion != nil {
			copy(s.qpos[o.qpos+3:], q[:])
		}
		clear(s.qvel[o.dof : o.dof+6])
		C.shim_forward(s.m, s.d, &s.text[0])
		return nil
	}
	return fmt.Errorf("object %q is unknown; known are %v", name, names)
}

// push pulls at the head with a force in newtons, until it is called again.
func (s *Sim) push(force hal.Vec3) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	head, err := s.id(C.mjOBJ_BODY, "head")
	if err != nil {
		return err
	}
	copy(view(s.d.xfrc_applied, 6*s.m.nbody)[6*head:], force[:])
	return nil
}

var _ virtual.Plant = (*Sim)(nil)
