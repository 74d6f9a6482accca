// Package motion is the control loop of the robot: it alone owns the servos, turns requests into joint goals a hundred
// times a second, and keeps every goal inside the safety envelope.
//
// # A tick
//
// Emergency stop, requests, streamed target, next goals, one bus cycle (write, then read), forward kinematics, faults,
// publication. What is asked for before a tick is on the bus in that tick. A tick allocates nothing, waits for nobody
// but the bus, and is never made up for when it was missed. While the robot stands the next tick begins as soon as somebody
// asks for something, and those after it keep their distance to it (early.go); while it moves their distance is always the same.
//
// # Who rules
//
// There is one move, one stream, or none. The newest request wins: a move replaces a move (unless it asks to queue), a
// target from a new streamer replaces a move, and a move replaces a stream, whose streamer is then refused with
// CodeLease until that move and what is queued behind it have ended. Of two streamers the first one keeps the lease.
// A move that replaces another begins with the goals and the speed that the other had and lets the speed fade. Offsets
// (breathing, speech, tracking) are added to whatever rules. The emergency stop is above all of it.
//
// # Streams
//
// Targets come early, late, or not at all. Of a stream of 40 Hz and more the speed is told from the newest five, and the
// goals go where the targets will be when the joints have followed; a slower one is followed an interval behind. What jumps
// is gone to as fast as the joints may, and is not passed (track.go).
//
// # Envelope
//
// Three things stand between a wish and the bus. kinematics.NearestHead brings every posture of every tick to the
// nearest one that the arms can hold. The limiter then moves the goals towards it so that each joint keeps its
// position, speed and acceleration limits in every tick, whatever is asked, and can always stop before a position
// limit; the six arms share one pace, so that no rod is pulled against another. The servo driver refuses what is not
// finite. Moves are planned to stay below 90 % of the limits; a request that is too fast is given more time.
//
//	joint          servo        no-load     speed      acceleration  why
//	body_rotation  XC330-M288   10.8 rad/s   3 rad/s    30 rad/s²    turns the whole head: 0.3 kg off its axis
//	stewart_1…6    XL330-M288   10.8 rad/s   6 rad/s    80 rad/s²    half of no-load leaves torque to carry the head
//	antennas       XL330-M077   40 rad/s    12 rad/s   200 rad/s²    light; faster only looks nervous
//
// # Faults
//
// When one of the six arms' servos is missing or has shut itself down, the head holds, moves that need it fail or are
// refused with CodeFault, and body and antennas go on. When the bus is lost all moves fail; when it returns the goals
// stay what they were, except where a joint stands more than 7° from its goal: there the joint's place becomes the goal.
// A reset of the emergency stop follows the same rule, and leaves breathing switched off.
package motion
