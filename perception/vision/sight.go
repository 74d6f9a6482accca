package vision

import (
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/perception/scene"
)

// sight is from where and through which lens a picture was taken.
type sight struct {
	lens camera.Intrinsics
	head hal.Pose // when the picture was taken
	// measured is false when nobody knows how the head stood: it is taken to be neutral then, and nothing has a place.
	measured bool
}

const (
	pi      = math.Pi
	degrees = 180 / pi
)

// direct gives a detection its direction. It reports false for a point that the lens cannot have seen.
func (s *sight) direct(d *scene.Detection) bool {
	u, v := d.Box.Center()
	ray, err := s.lens.Ray(u, v, &s.head)
	if err != nil {
		return false
	}
	d.Yaw, d.Pitch = camera.Direction(ray)
	return true
}

// maxTable is how far away something on the table can be, m.
const maxTable = 1.5

// onTable returns where the ray through a point of the picture meets the plane at a height over the table, and the
// distance from the eye. It reports false when it does not, or too far away.
func (s *sight) onTable(u, v, height float64) (place hal.Vec3, distance float64, ok bool) {
	if !s.measured {
		return place, 0, false
	}
	ray, err := s.lens.Ray(u, v, &s.head)
	if err != nil || ray[2] > -0.02 {
		return place, 0, false
	}
	eye := s.lens.EyeAt(&s.head)
	distance = (height - eye[2]) / ray[2]
	if !(distance > 0 && distance < maxTable) {
		return place, 0, false
	}
	for i := range place {
		place[i] = eye[i] + distance*ray[i]
	}
	return place, distance, true
}

// extent returns the angles that a box spans from side to side and from top to bottom, rad: unlike pixels they are not
// stretched away from the middle of the picture.
func (s *sight) extent(b scene.Box) (across, down float64, ok bool) {
	u, v := b.Center()
	x0, y0, x1, y1 := float64(b.X), float64(b.Y), float64(b.X+b.W), float64(b.Y+b.H)
	var rays [4]hal.Vec3
	for i, at := range [4][2]float64{{x0, v}, {x1, v}, {u, y0}, {u, y1}} {
		var err error
		if rays[i], err = s.lens.Ray(at[0], at[1], &s.head); err != nil {
			return 0, 0, false
		}
	}
	return angleBetween(rays[0], rays[1]) / degrees, angleBetween(rays[2], rays[3]) / degrees, true
}

// off is the angle between the middle of the picture and a detection, degrees.
func (s *sight) off(d *scene.Detection) float64 {
	mid, err := s.lens.Ray(s.lens.CenterX, s.lens.CenterY, &s.head)
	if err != nil {
		return 180
	}
	return angleBetween(mid, rayTo(d.Yaw, d.Pitch))
}

// ahead is the direction in which the middle of the picture lies, degrees.
func (s *sight) ahead() (yaw, pitch float64) {
	mid, err := s.lens.Ray(s.lens.CenterX, s.lens.CenterY, &s.head)
	if err != nil {
		mid = s.head.R.Apply(axis)
	}
	return camera.Direction(mid)
}

// rayTo is the unit vector of a direction in degrees.
func rayTo(yaw, pitch float64) hal.Vec3 {
	sy, cy := math.Sincos(yaw / degrees)
	sp, cp := math.Sincos(pitch / degrees)
	return hal.Vec3{cp * cy, cp * sy, -sp}
}

// angleBetween two unit vectors, degrees.
func angleBetween(a, b hal.Vec3) float64 {
	return math.Acos(max(-1, min(1, a[0]*b[0]+a[1]*b[1]+a[2]*b[2]))) * degrees
}
