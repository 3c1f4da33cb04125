/* base/crc.h - two checksums of 32 bits, by ISA-L where it is there: the same values with and
 * without it. */
#ifndef BASE_CRC_H
#define BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Both begin with 0 and continue with the result of the call before. */
/* CRC-32 of IEEE 802.3, zlib and PNG */
uint32_t crc_ieee(uint32_t crc, const void *data, size_t bytes);
/* CRC-32C of iSCSI and SSE 4.2 */
uint32_t crc_castagnoli(uint32_t crc, const void *data, size_t bytes);

#endif
