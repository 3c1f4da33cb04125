/* base/huge_page.h - the size of a huge page: of x86-64, and of Arm with pages of 4 KiB. On another
 * system what is aligned and asked for by it gets usual pages. */
#ifndef BASE_HUGE_PAGE_H
#define BASE_HUGE_PAGE_H

enum { HUGE_PAGE = 2 << 20 }; /* bytes */

#endif
