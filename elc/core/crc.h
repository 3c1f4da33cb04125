/* CRC-32 (IEEE 802.3, reflected, as in zlib and PNG) of payloads and files. */
#ifndef ELC_CORE_CRC_H
#define ELC_CORE_CRC_H

#include "base/crc.h"

/* Continue with the result of the call before; begin with 0. */
static inline uint32_t elc_crc(uint32_t crc, const void *data, size_t bytes)
{
	return crc_ieee(crc, data, bytes);
}

#endif
