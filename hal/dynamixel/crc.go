package dynamixel

// crcTable holds the CRC of each byte for the polynomial x¹⁶+x¹⁵+x²+1 (0x8005), most significant bit first.
var crcTable = func() (t [256]uint16) {
	for i := range t {
		c := uint16(i) << 8
		for range 8 {
			if c&0x8000 != 0 {
				c = c<<1 ^ 0x8005
			} else {
				c <<= 1
			}
		}
		t[i] = c
	}
	return t
}()

// CRC continues crc over data. Start with 0; a packet's CRC covers everything from the header on.
func CRC(crc uint16, data []byte) uint16 {
	for _, b := range data {
		crc = crc<<8 ^ crcTable[byte(crc>>8)^b]
	}
	return crc
}
