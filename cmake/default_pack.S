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
