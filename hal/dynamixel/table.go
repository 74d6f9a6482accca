package dynamixel

import "fmt"

// Instruction says what a packet is.
type Instruction byte

// The instructions of Protocol 2.0 that a robot of X330 servos meets.
const (
	Ping         Instruction = 0x01
	Read         Instruction = 0x02
	Write        Instruction = 0x03
	RegWrite     Instruction = 0x04
	Action       Instruction = 0x05
	FactoryReset Instruction = 0x06
	Reboot       Instruction = 0x08
	Clear        Instruction = 0x10
	Status       Instruction = 0x55
	SyncRead     Instruction = 0x82
	SyncWrite    Instruction = 0x83
	FastSyncRead Instruction = 0x8A
	BulkRead     Instruction = 0x92
	BulkWrite    Instruction = 0x93
	FastBulkRead Instruction = 0x9A
)

// Broadcast addresses all servos.
const Broadcast byte = 0xFE

// MaxID is the highest identifier that a servo can have.
const MaxID byte = 0xFC

// StatusError is the error byte of a status packet: a number in the low seven bits and Alert on top.
// It is an error when the number is not zero; Alert alone does not make the answer wrong.
type StatusError byte

// The numbers of a StatusError, and its Alert bit.
const (
	ErrResultFail  StatusError = 1 // the servo could not carry the instruction out
	ErrInstruction StatusError = 2 // unknown instruction
	ErrCRC         StatusError = 3 // the CRC did not match
	ErrDataRange   StatusError = 4 // value outside the range of the item
	ErrDataLength  StatusError = 5 // fewer bytes than the item has
	ErrDataLimit   StatusError = 6 // value outside the configured limits
	ErrAccess      StatusError = 7 // read-only, write-only, or EEPROM while torque is on

	Alert StatusError = 0x80 // a hardware error is latched: read AddrHardwareError
)

// Number returns the error without the Alert bit; 0 means none.
func (e StatusError) Number() StatusError { return e &^ Alert }

// Alert reports whether the servo has latched a hardware error.
func (e StatusError) Alert() bool { return e&Alert != 0 }

// Error names the error for people.
func (e StatusError) Error() string {
	switch e.Number() {
	case 0:
		return "no error"
	case ErrResultFail:
		return "result fail"
	case ErrInstruction:
		return "unknown instruction"
	case ErrCRC:
		return "CRC mismatch at the servo"
	case ErrDataRange:
		return "value out of range"
	case ErrDataLength:
		return "data too short"
	case ErrDataLimit:
		return "value outside the configured limits"
	case ErrAccess:
		return "access denied (read-only item, or EEPROM while torque is on)"
	}
	return fmt.Sprintf("status error %d", byte(e.Number()))
}

// Control table of the X330 series. Addresses below EEPROMEnd are EEPROM: writable only with torque off.
const (
	AddrModel               = 0   // u16
	AddrFirmware            = 6   // u8
	AddrID                  = 7   // u8
	AddrBaud                = 8   // u8: 9600, 57600, 115200, 1M, 2M, 3M, 4M
	AddrReturnDelay         = 9   // u8, 2 µs
	AddrDriveMode           = 10  // u8
	AddrOperatingMode       = 11  // u8
	AddrShadowID            = 12  // u8
	AddrProtocol            = 13  // u8
	AddrHomingOffset        = 20  // i32, ticks
	AddrMovingThreshold     = 24  // u32
	AddrTemperatureMax      = 31  // u8, °C
	AddrVoltageMax          = 32  // u16, 0.1 V
	AddrVoltageMin          = 34  // u16, 0.1 V
	AddrPWMLimit            = 36  // u16
	AddrCurrentLimit        = 38  // u16, mA
	AddrVelocityLimit       = 44  // u32
	AddrPositionMax         = 48  // u32, ticks
	AddrPositionMin         = 52  // u32, ticks
	AddrStartup             = 60  // u8
	AddrShutdown            = 63  // u8, mask of HardwareError bits that switch the torque off
	EEPROMEnd               = 64  // first address of RAM
	AddrTorque              = 64  // u8
	AddrLED                 = 65  // u8
	AddrStatusReturn        = 68  // u8
	AddrRegistered          = 69  // u8
	AddrHardwareError       = 70  // u8
	AddrVelocityI           = 76  // u16
	AddrVelocityP           = 78  // u16
	AddrPositionD           = 80  // u16
	AddrPositionI           = 82  // u16
	AddrPositionP           = 84  // u16
	AddrFeedForwardAccel    = 88  // u16
	AddrFeedForwardVelocity = 90  // u16
	AddrBusWatchdog         = 98  // u8, 20 ms; 255 (−1) says that it has tripped
	AddrGoalPWM             = 100 // i16
	AddrGoalCurrent         = 102 // i16, mA
	AddrGoalVelocity        = 104 // i32
	AddrProfileAccel        = 108 // u32
	AddrProfileVelocity     = 112 // u32
	AddrGoalPosition        = 116 // i32, ticks
	AddrRealtimeTick        = 120 // u16, ms
	AddrMoving              = 122 // u8
	AddrMovingStatus        = 123 // u8
	AddrPresentPWM          = 124 // i16
	AddrPresentCurrent      = 126 // i16, mA
	AddrPresentVelocity     = 128 // i32, 0.229 rpm
	AddrPresentPosition     = 132 // i32, ticks
	AddrVelocityTraject     = 136 // i32
	AddrPositionTraject     = 140 // i32
	AddrPresentVoltage      = 144 // u16, 0.1 V
	AddrPresentTemp         = 146 // u8, °C
	AddrBackupReady         = 147 // u8
)

// Model numbers.
const (
	ModelXL330M077 uint16 = 1190
	ModelXL330M288 uint16 = 1200
	ModelXC330M288 uint16 = 1240
)

// FullPWM is the PWM limit that the maker sets: all of the supply's voltage.
const FullPWM = 885

// CurrentLimitOf is the current limit in mA that the maker sets for a model, 0 for one that is not known.
func CurrentLimitOf(model uint16) uint16 {
	switch model {
	case ModelXC330M288:
		return 1800
	case ModelXL330M288, ModelXL330M077:
		return 1750
	}
	return 0
}

// FirmwareFastSyncRead is the first firmware of the X330 series that knows FastSyncRead.
const FirmwareFastSyncRead = 46

// ModePosition is the operating mode in which the goal position rules.
const ModePosition = 3

// HardwareError is the set of errors latched at AddrHardwareError; a reboot clears it.
type HardwareError byte

// The bits of HardwareError and of the shutdown mask.
const (
	HardwareVoltage    HardwareError = 1 << 0
	HardwareOverheat   HardwareError = 1 << 2
	HardwareEncoder    HardwareError = 1 << 3
	HardwareElectrical HardwareError = 1 << 4
	HardwareOverload   HardwareError = 1 << 5
)
