// Package servo makes one robot of nine servos on a Dynamixel bus: start-up, one cycle per tick, torque, faults and recovery.
//
// A Robot belongs to one goroutine, the control loop: it alone calls Cycle, SetTorque, Reboot, Health, Faults and
// Report. Close is called when the loop has ended. The only goroutine of the package runs while the bus is lost, and
// brings it back; it touches nothing that the loop uses until the loop takes the result over in a Cycle.
//
// What the loop can rely on:
//   - Cycle takes at most Options.CycleTime and does not allocate while nothing changes; when the bus is lost it returns at once.
//   - SetTorque takes at most Options.TorqueTime, Reboot at most Options.SlowTime.
//   - A goal that is not finite or not within hal.JointLimits is never written.
//   - Torque is switched on only on a goal that was pinned to the freshly read position and read back.
//   - A joint that comes back (after a mute, a restart, a lost bus, a torque switch) approaches the goal of the loop from where
//     it is with Options.CatchUp; it never jumps.
package servo
