// Package vision finds faces, things, motion and codes in what the robot's eye sees, follows faces, and looks at things.
//
// Eyes puts it together: a camera, the body, and whatever detectors this host has. A picture is unpacked in Go, where a
// damaged one is an error; OpenCV (package cv) only ever gets pixels of ours. Directions are those of the world, with
// the head where it was when the picture was taken: that is why nothing here swings although pictures are old.
package vision
