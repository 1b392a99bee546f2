/* Registers to and from an XSAVE image (Intel SDM volume 1, chapter 13). */
#include "probe.h"

enum { IMAGE_BYTES = 8192, IMAGE_ALIGN = 64 };

void state_to_image(const cst_probe_registers *registers, uint8_t *image);
void state_from_image(const uint8_t *image, cst_probe_registers *registers);
/* An image that puts every component in its initial state. */
void state_clean_image(uint8_t *image);
