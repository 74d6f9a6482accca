// Package dynamixel speaks the Dynamixel Protocol 2.0: a codec that serves both ends of the line, the ports that
// carry it, and a Bus that is the client's end.
//
// The codec (crc.go, encode.go, parser.go, table.go) knows nothing of ports and is used by virtual servos too. Nothing in
// it allocates once its buffers have grown to their working size.
package dynamixel
