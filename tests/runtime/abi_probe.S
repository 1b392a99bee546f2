/* void cst_probe(fn, before, after, level): loads every register from `before`, calls fn, stores every register to
 * `after`. Both point at 16 general, 32 vector (64 bytes each) and 8 mask registers. level: 0 SSE, 1 AVX, 2 AVX-512. */
    .intel_syntax noprefix
    .text
    .globl cst_probe
    .type cst_probe, @function

/* 32 bytes of shadow space for Win64 kernels lie at the bottom. */
    .set FN, 32
    .set AFTER, 40
    .set LEVEL, 48
    .set RAX_AFTER, 56

    .macro each_vector instruction, register, count, load
        .set i, 0
        .rept \count
            .if \load
                one_load \instruction, \register, %i
            .else
                one_store \instruction, \register, %i
            .endif
            .set i, i + 1
        .endr
    .endm
    .altmacro
    .macro one_load instruction, register, number
        \instruction \register&\number, [rax + 128 + 64 * \number]
    .endm
    .macro one_store instruction, register, number
        \instruction [rax + 128 + 64 * \number], \register&\number
    .endm
    .macro masks load
        .irp n, 1, 2, 3, 4, 5, 6, 7
            .if \load
                kmovq k\n, [rax + 128 + 2048 + 8 * \n]
            .else
                kmovq [rax + 128 + 2048 + 8 * \n], k\n
            .endif
        .endr
    .endm

cst_probe:
    endbr64
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    sub rsp, 72
    mov [rsp + FN], rdi
    mov [rsp + AFTER], rdx
    mov [rsp + LEVEL], rcx
    mov rax, rsi
    cmp rcx, 1
    jb 1f
    je 2f
    each_vector vmovdqu64, zmm, 32, 1
    masks 1
    jmp 3f
1:  each_vector movdqu, xmm, 16, 1
    jmp 3f
2:  each_vector vmovdqu, ymm, 16, 1
3:  mov rcx, [rax + 8 * 1]
    mov rdx, [rax + 8 * 2]
    mov rbx, [rax + 8 * 3]
    mov rbp, [rax + 8 * 5]
    mov rsi, [rax + 8 * 6]
    mov rdi, [rax + 8 * 7]
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    mov r\n, [rax + 8 * \n]
    .endr
    mov rax, [rax]
    call [rsp + FN]
    mov [rsp + RAX_AFTER], rax
    mov rax, [rsp + AFTER]
    mov [rax + 8 * 1], rcx
    mov [rax + 8 * 2], rdx
    mov [rax + 8 * 3], rbx
    mov [rax + 8 * 5], rbp
    mov [rax + 8 * 6], rsi
    mov [rax + 8 * 7], rdi
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    mov [rax + 8 * \n], r\n
    .endr
    mov rcx, [rsp + RAX_AFTER]
    mov [rax], rcx
    mov rcx, [rsp + LEVEL]
    cmp rcx, 1
    jb 1f
    je 2f
    each_vector vmovdqu64, zmm, 32, 0
    masks 0
    vzeroupper
    jmp 3f
1:  each_vector movdqu, xmm, 16, 0
    jmp 3f
2:  each_vector vmovdqu, ymm, 16, 0
    vzeroupper
3:  add rsp, 72
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret
    .size cst_probe, . - cst_probe
    .section .note.GNU-stack, "", @progbits
