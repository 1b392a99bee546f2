/* void cst_probe_enter(void): the call itself, with all of its state in cst_probe_frame (frame.h has its layout). A
 * fault in the called code ends at cst_probe_landing too, with the registers of the moment. The stack of the called
 * code is touched by nothing but the call. */
#include "frame.h"
    .intel_syntax noprefix
    .text
    .globl cst_probe_enter
    .hidden cst_probe_enter
    .globl cst_probe_landing
    .hidden cst_probe_landing
    .globl cst_probe_end
    .hidden cst_probe_end
    .hidden cst_probe_frame
    .type cst_probe_enter, @function

#define FRAME(offset) [rip + cst_probe_frame + (offset)]

cst_probe_enter:
    endbr64
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    sub rsp, 8
    stmxcsr FRAME(OWN_MXCSR)
    fnstcw FRAME(OWN_X87_CONTROL)
    mov FRAME(OWN_STACK), rsp
    mov rdi, FRAME(IMAGE_BEFORE)
    mov eax, FRAME(COMPONENTS)
    xor edx, edx
    xrstor64 [rdi]
    mov rax, FRAME(BEFORE)
    .set n, 1
    .irp register, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
        .ifnc \register, rsp
            mov \register, FRAME(BEFORE + 8 * n)
        .endif
        .set n, n + 1
    .endr
    lea rsp, FRAME(FLAGS)
    popfq
    mov rsp, FRAME(BEFORE + 8 * 4)
    call FRAME(CODE)
cst_probe_landing:
    .set n, 0
    .irp register, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
        mov FRAME(AFTER + 8 * n), \register
        .set n, n + 1
    .endr
    mov rsp, FRAME(OWN_STACK)
    pushfq
    pop FRAME(FLAGS_AFTER)
    cld
    cmp qword ptr FRAME(KNOWS_USE), 0
    je 1f
    mov ecx, 1
    xgetbv
    mov FRAME(USE_AFTER), eax
    mov FRAME(USE_AFTER + 4), edx
1:  mov rdi, FRAME(IMAGE_AFTER)
    mov eax, FRAME(COMPONENTS)
    xor edx, edx
    xsave64 [rdi]
    mov rdi, FRAME(IMAGE_CLEAN)
    xrstor64 [rdi]
    fldcw FRAME(OWN_X87_CONTROL)
    ldmxcsr FRAME(OWN_MXCSR)
    add rsp, 8
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret
cst_probe_end:
    .size cst_probe_enter, . - cst_probe_enter
    .section .note.GNU-stack, "", @progbits
