/* The default pack as read-only data. CST_DEFAULT_PACK is the path of the file, given by the build. */
    .section .rodata.cst_default_pack, "a", @progbits
    .balign 64
    .globl cst_default_pack
    .hidden cst_default_pack
    .type cst_default_pack, @object
cst_default_pack:
    .incbin CST_DEFAULT_PACK
    .globl cst_default_pack_end
    .hidden cst_default_pack_end
cst_default_pack_end:
    .size cst_default_pack, . - cst_default_pack
    .byte 0
    .section .note.GNU-stack, "", @progbits
/* IBT and SHSTK: the linker marks the library only when every input is marked (x86-64 psABI, program property). */
    .section .note.gnu.property, "a", @note
    .balign 8
    .long 4, 16, 5
    .asciz "GNU"
    .long 0xc0000002, 4, 3, 0
