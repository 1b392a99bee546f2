"""One line for every instruction and operand form that templates use or will soon, in the shorthand of
tests/handmade.py."""

GENERAL_FORMS = """
add g1d, g2d
add g1d, [g0+8]:32
add g1d, @k32:32
add g1d, 0x5a827999
add g3d, 0x5a827999
add g3d, -0x70e44324
add g1, 64
add g1, 128
add g1, -128
sub g1, 4096
add [g0+8]:64, 64
xor g1d, g2d
xor g4, g5
xor g1d, [g0+g1*4+8]:32
xor g1d, [g0+g2*8]:32
and g1d, g2d
and g1d, [g0-8]:32
and g1d, 255
or g1d, g2d
or g1, [g0+300]:64
not g1d
neg g1
mov g1d, g2d
mov g1, g2
mov g1, [g0]:64
mov g1, [g0+1000]:64
mov [g0+16]:64, g1
mov [g0+16]:32, g1d
mov g1d, 17
mov g1d, 0x5a827999
lea g1d, [g2+g3*1+0x5a827999]
lea g1d, [g2+g3*4]
lea g1, [g2+g3*8+64]
lea g1, [g2+64]
lea g1d, [g2+0x6ed9eba1]
lea g1d, [g2-0x70e44324]
rol g1d, 1
rol g1d, 5
rol g9, 30
ror g1d, 2
ror g1, 1
shl g1d, 1
shr g1d, 3
sar g1, 7
bswap g1d
bswap g9
movbe g1d, [g0+4]:32
movbe g9, [g0+4]:64
movbe [g0+4]:32, g1d
rorx g1d, g2d, 6
rorx g1d, [g0+4]:32, 6
rorx g9, g2, 13
andn g1d, g2d, g3d
andn g9d, g2d, [g0+4]:32
adc g1, g2
adc g9, [g0+8]:64
adc g1d, 5
mov rdx, [g0+8]:64~
mulx g1, g2, [g0+8]:64~
mulx g9, g3, g9~
add g1, rdx
test g1, g2
cmp g1, g2
xchg g1d, g2d
movzx g1d, [g0+4]:8
imul g1, g2
mulx g1, g2, g3
crc32 g1, g2
crc32 g9, [g0+8]:64
adc g1, g2
adc g1, 0
"""
SSE_FORMS = """
movdqu v0x, [g1]:128
movdqu v9x, [g1+16]:128
movdqu [g1+512]:128, v9x
movdqa v0x, [g0+64]:128
movdqa v1x, @k128:128
movdqa v1x, v2x
movdqa v9x, v2x
movdqa v1x, v10x
movups v3x, v10x
movaps [g0]:128, v11x
paddd v0x, v1x
paddd v0x, v9x
paddd v0x, @k128:128
paddq v0x, v9x
pxor v0x, [g0+64]:128
por v0x, v1x
pand v8x, v1x
pandn v8x, v1x
pslld v0x, 5
psrld v9x, 27
psrldq v9x, 8
pslldq v1x, 4
pshufb v0x, v1x
pshufb v0x, @k128:128
pshufd v0x, v1x, 0x1b
pshufd v0x, v1x, 0xe1
pshufd v0x, [g0+16]:128, 14
pshuflw v0x, v1x, 0xb1
pshufhw v0x, v1x, 0xb1
punpckldq v0x, v1x
punpckhdq v0x, v1x
punpcklqdq v0x, v1x
punpckhqdq v0x, v9x
unpcklps v0x, v1x
shufps v0x, v1x, 0x88
movd v0x, [g0+4]:32
movd v0x, g1d
movd g1d, v0x
movd [g0+4]:32, v0x
movq v0x, [g0+4]:64
movq v0x, g1
movq g1, v9x
movq [g0+4]:64, v0x
movhlps v0x, v1x
pinsrd v0x, [g0+4]:32, 1
pinsrd v0x, g1d, 3
pinsrq v0x, [g0+8]:64, 1
pextrd [g0+4]:32, v0x, 2
pextrd g1d, v9x, 2
pextrq [g0+8]:64, v0x, 1
palignr v0x, v1x, 8
palignr v0x, [g0+16]:128, 4
pblendw v0x, v1x, 0xf0
aesenc v0x, v1x
aesenc v0x, [g0+64]:128
aesenclast v9x, [g0+224]:128
aesdec v0x, v9x
aesdeclast v0x, [g0+224]:128
aesimc v0x, v1x
aeskeygenassist v0x, v1x, 1
pclmulqdq v0x, v1x, 0x11
sha1rnds4 v0x, v1x, 0
sha1rnds4 v9x, v1x, 3
sha1nexte v1x, v2x
sha1msg1 v1x, v2x
sha1msg2 v1x, v9x
sha256msg1 v1x, v2x
sha256msg2 v9x, v2x
movdqa xmm0, v9x~
paddd xmm0, [g0+64]:128~
sha256rnds2 v1x, v2x, xmm0~
sha256rnds2 v1x, v9x
sha256msg1 v1x, [g0+16]:128
sha1msg1 v1x, [g0+16]:128
"""
AVX2_FORMS = """
vmovdqu v0y, [g1]:256
vmovdqu v0x, [g1+16]:128
vmovdqu [g1+512]:256, v9y
vmovdqa v0y, [g0+64]:256
vmovdqa v1y, @k256:256
vmovdqa v1y, v2y
vmovdqa v9y, v2y
vmovdqa v1y, v10y
vmovdqa v9x, v10x
vmovdqu v1y, v10y
vmovups v1y, v10y
vmovups v1x, [g0+16]:128
vpaddd v0y, v1y, [g0+4000]:256
vpsrld v0y, v1y, 7
vpslld v0y, v9y, 7
vpsrlq v0y, v9y, 7
vpsrldq v0y, v9y, 8
vpshufb v0y, v9y, @k256:256
vpshufb v0y, v1y, v9y
vpunpckldq v0y, v1y, v9y
vpunpckhdq v9y, v1y, v2y
vpunpcklqdq v0y, v1y, v2y
vpunpckhqdq v0y, v9y, v2y
vunpcklps v0y, v1y, v9y
vshufps v0y, v1y, v9y, 0x88
vpshufd v0y, v9y, 0x1b
vinserti128 v0y, v1y, [g0+16]:128, 1
vinserti128 v0y, v1y, v9x, 1
vextracti128 [g0+16]:128, v9y, 1
vextracti128 v1x, v9y, 1
vperm2i128 v0y, v1y, v9y, 0x31
vperm2i128 v0y, v1y, v2y, 0x20
vpbroadcastd v0y, @k32:32
vpbroadcastd v0y, v1x
vbroadcasti128 v0y, [g0+16]:128
vbroadcasti128 v0y, @k128:128
vpalignr v0y, v1y, v9y, 4
vpblendd v0y, v1y, v9y, 0x0f
vpblendd v0x, v1x, v9x, 0x0f
vpermq v0y, v9y, 0x4e
vaesenc v0y, v1y, [g0+64]:256
vaesenc v0y, v1y, v9y
vaesenclast v9y, v1y, v2y
vaesdec v0x, v1x, [g0+64]:128
vaesdeclast v0x, v1x, v9x
vaesimc v0x, v9x
vpinsrd v0x, v1x, [g0+4]:32, 2
vpinsrd v0x, v1x, g1d, 2
vpinsrq v0x, v1x, [g0+8]:64, 1
vpinsrq v0x, v1x, g1, 1
vpextrq [g0+8]:64, v0x, 1
vpextrq g1, v0x, 1
vpextrd [g0+8]:32, v9x, 3
vmovd v0x, [g0+4]:32
vmovd v0x, g1d
vmovq v0x, [g0+4]:64
vmovq v0x, g1
vmovq g1, v9x
vmovq [g0+8]:64, v9x
vmovd [g0+8]:32, v9x
vpandn v0y, v1y, v9y
vpsubd v0y, v1y, v9y
vpsllvd v0y, v1y, v9y
vpclmulqdq v0x, v1x, v9x, 0x11
vzeroupper
"""
AVX512_FORMS = """
vmovdqu64 v0z, [g1]:512
vmovdqu64 v0z, [g1+64]:512
vmovdqu64 v0z, [g1+63]:512
vmovdqu64 [g1+8192]:512, v20z
vmovdqu64 v0y, [g1+32]:256
vmovdqu32 v0z, [g1+64]:512
vmovdqu8 {k0z} v0z, [g1+64]:512
vmovdqu32 {k1} [g1+64]:512, v17z
vmovdqa64 v0z, [g0+64]:512
vmovdqa64 v20z, @k512:512
vmovdqa64 v0z, v20z
vmovdqa64 v20z, v0z
vmovdqa64 v0z, v1z
vmovdqa64 v0y, v17y
vmovdqa32 {k0} v0z, v1z
vmovdqa [g0+16]:128, v3x
vmovdqu v3x, [g0+16]:128
vpaddd v0z, v1z, v20z
vpaddd v0z, v1z, [g0+4096]:512
vpaddd v0z, v1z, @k32:32*16
vpaddq v0z, v1z, @k64:64*8
vpaddd v0z, v1z, [g0+8]:32*16
vpaddd v0y, v1y, [g0+8]:32*8
vpaddd v0x, v1x, [g0+8]:32*4
vpaddd {k1} v0z, v1z, v2z
vpaddd {k1z} v0z, v1z, @k32:32*16
vpxord v0z, v1z, [g0+64]:512
vpxorq v0z, v1z, v31z
vpxord v0x, v1x, v17x
vpandd v0z, v1z, v20z
vporq v0z, v1z, v20z
vpternlogd v0z, v1z, v2z, 0x96
vpternlogd v0z, v1z, v20z, 0xca
vpternlogd v0z, v1z, @k32:32*16, 0xe8
vpternlogd v0z, v1z, [g0+64]:512, 0xe8
vpternlogq v20y, v1y, v2y, 0x96
vprold v0z, v1z, 5
vprold v0z, [g0+64]:512, 30
vprold v0z, [g0+64]:32*16, 30
vprord v20z, v1z, 2
vprolq v20x, v1x, 2
vpsrld v0z, v1z, 10
vpslld v0z, v21z, 10
vpsrld v0z, [g0+64]:512, 10
vpshufb v0z, v1z, v20z
vpshufb v0z, v1z, @k512:512
vpunpckldq v0z, v1z, v20z
vpunpckhdq v0z, v1z, v2z
vpunpcklqdq v0z, v1z, v2z
vpunpckhqdq v0z, v1z, v2z
vpunpckhqdq v0z, v1z, [g0+64]:512
vshufi32x4 v0z, v1z, v20z, 0x88
vshufi32x4 v0z, v1z, v2z, 0xdd
vshufi64x2 v0z, v1z, v2z, 0xdd
vinserti32x4 v0z, v1z, [g1+16]:128, 1
vinserti32x4 v0z, v1z, [g1+13]:128, 3
vinserti32x4 v0z, v1z, v20x, 2
vinserti32x4 v0y, v1y, [g1+16]:128, 1
vinserti64x4 v0z, v1z, [g1+32]:256, 1
vinserti64x2 v0z, v1z, [g1+32]:128, 1
vextracti32x4 [g1+16]:128, v0z, 1
vextracti32x4 [g1+13]:128, v20z, 3
vextracti32x4 v1x, v0z, 2
vextracti64x4 v1y, v0z, 1
vextracti64x4 [g1+32]:256, v0z, 1
vextracti64x2 [g1+32]:128, v0z, 1
vbroadcasti32x4 v0z, [g0+16]:128
vbroadcasti32x4 v0z, @k128:128
vbroadcasti64x4 v0z, [g0+16]:256
vpbroadcastd v0z, @k32:32
vpbroadcastd v0z, g1d
vpbroadcastd v0z, v1x
vpbroadcastq v0z, @k64:64
vpbroadcastq v0z, g9
vpermd v0z, v1z, v20z
vpermq v0z, v1z, 0x4e
vpermb v0z, v1z, v20z
vpermt2d v0z, v1z, v20z
vpermi2q v0z, v1z, @k512:512
valignd v0z, v1z, v20z, 4
valignq v0z, v1z, v20z, 4
vpalignr v0z, v1z, v20z, 4
vpblendmd {k1} v0z, v1z, v2z
vaesenc v0z, v1z, [g0+64]:512
vaesenc v0z, v1z, @k512:512
vaesenc v0z, v1z, v20z
vaesenc v0y, v1y, v20y
vaesenclast v20z, v1z, v2z
vaesdec v0z, v1z, v2z
vaesdeclast v0z, v1z, v2z
vpclmulqdq v0z, v1z, v2z, 0x10
vgf2p8affineqb v0z, v1z, v2z, 0
vpmadd52luq v0z, v1z, v2z
vpshldd v0z, v1z, v2z, 7
vprolvd v0z, v1z, v20z
vpcmpeqd k1, v1z, v2z
vpcmpud k1, v1z, v2z, 2
vptestmd k1, v1z, v2z
kmovq k0, g1
kmovq g1, k0
kmovw k0, g1d
kmovd k0, g1d
kmovq k1, k0
kmovw g1d, k1
kxorq k1, k0, k1
korw k1, k0, k1
knotw k1, k0
kshiftlq k1, k0, 3
vmovq v0x, [g0+8]:64
vmovq v0x, v1x
vmovd v0x, g1d
vpinsrq v0x, v1x, [g0+8]:64, 1
vpinsrq v20x, v1x, [g0+8]:64, 1
vmovq v20x, [g0+8]:64
vmovdqa v0x, v9x
vmovdqa v0y, v9y
vpxor v1x, v2x, v9x
vpaddd v1x, v2x, v9x
vpaddd v1x, v2x, v19x
"""

# ISA -> the lines, the features
FORMS = {
    "scalar": (GENERAL_FORMS, "bmi1,bmi2,movbe"),
    "sse": (SSE_FORMS, "aes,sha,sse4.1"),
    "avx2": (AVX2_FORMS, "avx2,vaes"),
    "avx512": (AVX512_FORMS, "avx512f,vaes"),
}

# three-register instructions that VEX can encode
THREE_REGISTERS = """vpaddb vpaddd vpaddq vpaddsb vpaddsw vpaddusb vpaddusw vpaddw vpand vpandn vpavgb vpavgw vpcmpeqb
vpcmpeqd vpcmpeqw vpcmpgtb vpcmpgtd vpmaddwd vpmaxsw vpmaxub vpminsw vpminub vpmulhuw vpmulhw vpmullw vpmuludq vpor
vpsadbw vpsubb vpsubd vpsubq vpsubw vpxor vandps vandnps vorps vxorps vandpd vorpd vxorpd vpackssdw vpackusdw vpackuswb
vpcmpeqq vpmaxud vpminud vpmulld vpmuldq vpshufb vpunpckhbw vpunpckhdq vpunpckhqdq vpunpckhwd vpunpcklbw vpunpckldq
vpunpcklqdq vpunpcklwd vunpckhps vunpcklps vunpcklpd vunpckhpd vpsignd vphaddd vpmulhrsw vpsllvd vpsrlvd vpermd vaddps
vmulps""".split()
