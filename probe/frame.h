/* What enter.S and call.c share: the offsets inside struct probe_frame. */
#define BEFORE 0
#define AFTER 128
#define FLAGS 256
#define FLAGS_AFTER 264
#define USE_AFTER 272
#define KNOWS_USE 280
#define COMPONENTS 288
#define CODE 296
#define IMAGE_BEFORE 304
#define IMAGE_AFTER 312
#define IMAGE_CLEAN 320
#define OWN_STACK 328
#define OWN_MXCSR 336
#define OWN_X87_CONTROL 340

#ifndef __ASSEMBLER__
#include <stdint.h>

struct probe_frame {
    uint64_t before[16], after[16];
    uint64_t flags, flags_after, use_after, knows_use, components;
    const uint8_t *code;
    uint8_t *image_before, *image_after, *image_clean;
    uint64_t own_stack;
    uint32_t own_mxcsr;
    uint16_t own_x87_control;
};

extern struct probe_frame cst_probe_frame;
extern const uint8_t cst_probe_landing[] __attribute__((visibility("hidden"))),
    cst_probe_end[] __attribute__((visibility("hidden")));
void cst_probe_enter(void);
#endif
