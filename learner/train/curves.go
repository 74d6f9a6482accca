package train

import (
	"bytes"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// CSV returns the curve as a table with a header.
func (r *Run) CSV() []byte {
	var b bytes.Buffer
	b.WriteString("episode,steps,return,human,success,unsafe,entropy,eval_success,eval_low,eval_high,eval_return,eval_merit\n")
	for _, p := range r.Curve {
		fmt.Fprintf(&b, "%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g", p.Episode, p.Steps, p.Return, p.Human, p.Success, p.Unsafe, p.Entropy)
		if e := p.Eval; p.Evaluated {
			fmt.Fprintf(&b, ",%.6g,%.6g,%.6g,%.6g,%.6g\n", e.Success, e.SuccessLow, e.SuccessHigh, e.Return, e.Merit)
		} else {
			b.WriteString(",,,,,\n")
		}
	}
	return b.Bytes()
}

// series is a line of a panel.
type series struct {
	name   string
	shade  color.RGBA
	value  func(Point) (y float64, there bool)
	points bool
}

var (
	blue   = color.RGBA{31, 119, 180, 255}
	orange = color.RGBA{255, 127, 14, 255}
	green  = color.RGBA{44, 160, 44, 255}
	grey   = color.RGBA{120, 120, 120, 255}
)

// PNG returns a picture of the curves: returns, successes, how good the successes are, and what people said.
func (r *Run) PNG() ([]byte, error) {
	merit := "time until done, s"
	if r.task.Unit != "s" {
		merit = r.task.Unit
	}
	evaluated := func(of func(Report) float64) func(Point) (float64, bool) {
		return func(p Point) (float64, bool) { return of(p.Eval), p.Evaluated }
	}
	always := func(of func(Point) float64) func(Point) (float64, bool) {
		return func(p Point) (float64, bool) { return of(p), true }
	}
	panels := []struct {
		title   string
		classic float64
		lines   []series
	}{
		{"return of an episode", r.Classic.Return, []series{
			{"training", blue, always(func(p Point) float64 { return p.Return }), false},
			{"evaluation", orange, evaluated(func(e Report) float64 { return e.Return }), true},
		}},
		{"success", r.Classic.Success, []series{
			{"last 50 of training", blue, always(func(p Point) float64 { return p.Success }), false},
			{"evaluation", orange, evaluated(func(e Report) float64 { return e.Success }), true},
		}},
		{merit, r.Classic.Merit, []series{{"evaluation", orange, evaluated(func(e Report) float64 { return e.Merit }), true}}},
		{"what people said, −1…1", 0, []series{{"people", green, always(func(p Point) float64 { return p.Human }), false}}},
	}
	canvas := vgimg.New(vg.Points(900), vg.Points(560))
	dc := draw.New(canvas)
	tiles := draw.Tiles{Rows: 2, Cols: 2, PadX: vg.Points(14), PadY: vg.Points(14), PadTop: vg.Points(8), PadRight: vg.Points(12)}
	for i, panel := range panels {
		p := plot.New()
		p.Title.Text = panel.title
		p.X.Label.Text = "episode"
		for _, s := range panel.lines {
			if err := addSeries(p, s, r.Curve); err != nil {
				return nil, err
			}
		}
		if i < 3 && r.Classic.Episodes > 0 {
			line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: panel.classic}, {X: float64(r.Settings.Episodes), Y: panel.classic}})
			if err != nil {
				return nil, err
			}
			line.Color, line.Dashes = grey, []vg.Length{vg.Points(4), vg.Points(3)}
			p.Add(line)
			p.Legend.Add(classical, line)
		}
		p.Add(plotter.NewGrid())
		p.Draw(tiles.At(dc, i%2, i/2))
	}
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(&b)
	return b.Bytes(), err
}

func addSeries(p *plot.Plot, s series, curve []Point) error {
	var xys plotter.XYs
	for _, c := range curve {
		if y, ok := s.value(c); ok {
			xys = append(xys, plotter.XY{X: float64(c.Episode), Y: y})
		}
	}
	if len(xys) == 0 {
		return nil
	}
	line, dots, err := plotter.NewLinePoints(xys)
	if err != nil {
		return err
	}
	line.Color, dots.Color, dots.Radius = s.shade, s.shade, vg.Points(2)
	p.Add(line)
	if s.points {
		p.Add(dots)
	}
	p.Legend.Add(s.name, line)
	return nil
}
