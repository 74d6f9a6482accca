package mujoco

import (
	_ "embed" // for the template
	"fmt"
	"math"
	"strings"
	"text/template"

	"github.com/reachyd/reachyd/hal"
)

// The platform, metres; the same numbers as in hal/kinematics, written down once more so that the model is an
// independent check of it.
const (
	armLength   = 0.040
	rodLength   = 0.085
	baseRadius  = 0.038
	baseSpacing = 0.010
	headRadius  = 0.030
	headSpacing = 0.007
	motorHeight = 0.0766333
)

const (
	timestep  = 0.002 // s
	maxTorque = 2.0   // N·m of a servo; with less the passive parts hang, with more the platform flips over
	maxTilt   = 0.70  // rad, range of the head's roll and pitch
)

//go:embed model.xml.tmpl
var modelText string

var modelTemplate = template.Must(template.New("model").Parse(modelText))

// jointNames are the names of the nine driven joints in the model.
var jointNames = [hal.NumJoints]string{
	"yaw_body", "stewart_1", "stewart_2", "stewart_3", "stewart_4", "stewart_5", "stewart_6", "right_antenna", "left_antenna",
}

type legModel struct {
	N              int
	Pos, Axes, Rod string
	Range          string
}

type antennaModel struct {
	Name, Pos, Axis, Centre, Spring, Tip string
}

type eyeModel struct{ Y, Glint float64 }

// ModelXML returns the model as MuJoCo reads it.
func ModelXML(scene Scene, light Light) string {
	legs, height := legModels()
	floor := 0.0
	if scene == Table {
		floor = -0.8
	}
	var b strings.Builder
	err := modelTemplate.Execute(&b, map[string]any{
		"Timestep": timestep, "Torque": maxTorque, "Tilt": maxTilt, "MaxWidth": MaxWidth, "MaxHeight": MaxHeight,
		"Ambient": light.colour(0.42), "Diffuse": light.colour(0.38),
		"Table": scene == Table, "Floor": floor, "Servos": jointNames, "Legs": legs, "HeadHeight": height,
		"Range": [][]float64{{hal.JointLimits[0].Min, hal.JointLimits[0].Max}},
		"Eyes":  []eyeModel{{0.034, 0.027}, {-0.034, -0.041}},
		"Antennas": []antennaModel{
			antenna("right_antenna", hal.Vec3{-0.03676, -0.05219, 0.07202}, hal.Vec3{0.86128, 0.49726, -0.10453}),
			antenna("left_antenna", hal.Vec3{-0.03676, 0.05219, 0.07202}, hal.Vec3{0.86128, -0.49726, -0.10453}),
		},
	})
	if err != nil {
		panic(err) // the template and its data are constants: a test would have seen it
	}
	return b.String()
}

// legModels returns the six legs with all arms at angle 0, and how high the head then stands.
func legModels() (legs []legModel, headHeight float64) {
	for k := range 6 {
		l := leg(k)
		tip := l.motor
		for i := range tip {
			tip[i] += armLength * l.x[i]
		}
		d := hal.Vec3{l.end[0] - tip[0], l.end[1] - tip[1]}
		d[2] = math.Sqrt(rodLength*rodLength - dot(d, d))
		headHeight = motorHeight + d[2]
		lim := hal.JointLimits[int(hal.Stewart1)+k]
		legs = append(legs, legModel{
			N: k + 1, Pos: numbers(l.motor), Axes: numbers(l.x) + " " + numbers(l.y),
			Rod:   numbers(hal.Vec3{dot(d, l.x), dot(d, l.y), dot(d, l.z)}),
			Range: fmt.Sprintf("%.9g %.9g", lim.Min, lim.Max),
		})
	}
	return legs, headHeight
}

// antenna stands as upright as its axis allows at angle 0.
func antenna(name string, pos, axis hal.Vec3) antennaModel {
	up := hal.Vec3{-axis[2] * axis[0], -axis[2] * axis[1], 1 - axis[2]*axis[2]}
	n := math.Sqrt(up[0]*up[0] + up[1]*up[1] + up[2]*up[2])
	at := func(d float64) string { return numbers(hal.Vec3{up[0] / n * d, up[1] / n * d, up[2] / n * d}) }
	return antennaModel{
		Name: name, Pos: numbers(pos), Axis: numbers(axis),
		Centre: at(0.038), Spring: at(0.035), Tip: at(0.13),
	}
}

func numbers(v hal.Vec3) string { return fmt.Sprintf("%.9g %.9g %.9g", v[0], v[1], v[2]) }

func dot(a, b hal.Vec3) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// legFrame is the geometry of one leg: motor and its axes in the body's frame, rod end in the head's.
type legFrame struct{ motor, x, y, z, end hal.Vec3 }

func leg(k int) (l legFrame) {
	base := math.Sqrt(baseRadius*baseRadius - baseSpacing*baseSpacing)
	head := math.Sqrt(headRadius*headRadius - headSpacing*headSpacing)
	sin, cos := math.Sincos(float64(60+120*(k/2)) * math.Pi / 180)
	side := float64(2*(k%2) - 1)
	out, across := hal.Vec3{cos, sin, 0}, hal.Vec3{-sin, cos, 0}
	for i := range 3 {
		l.motor[i] = base*out[i] + side*baseSpacing*across[i]
		l.x[i] = side * across[i]
		l.end[i] = head*out[i] + side*headSpacing*across[i]
		l.z[i] = -out[i]
	}
	l.motor[2] = motorHeight
	l.y[2] = -side
	return l
}
