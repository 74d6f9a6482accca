package perception

import (
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/scene"
)

// objects converts what is in view to its public form; nothing is nil.
func objects(found []scene.Detection) []api.Object {
	if found == nil {
		return nil
	}
	public := make([]api.Object, len(found))
	for i, d := range found {
		public[i] = api.Object{
			Name: d.Name, By: d.By, Score: d.Score, Box: api.Box(d.Box), Yaw: d.Yaw, Pitch: d.Pitch,
			ID: d.ID, Colour: d.Colour, Text: d.Text,
		}
		if d.Place != nil {
			public[i].Place = d.Place[:]
		}
	}
	return public
}
