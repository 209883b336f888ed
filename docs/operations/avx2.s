# The instructions of AVX2 and FMA for docs/machine-files.md: one a region, called as its operation.
# LLVM-MCA-BEGIN add.float
	vaddpd %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN mul.float
	vmulpd %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN fma.float
	vfmadd231pd %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN div.f64
	vdivsd %xmm0, %xmm1, %xmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN div.f64.simd
	vdivpd %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN div.f32
	vdivss %xmm0, %xmm1, %xmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN div.f32.simd
	vdivps %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN sqrt.f64
	vsqrtsd %xmm0, %xmm1, %xmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN sqrt.f64.simd
	vsqrtpd %ymm0, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN sqrt.f32
	vsqrtss %xmm0, %xmm1, %xmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN sqrt.f32.simd
	vsqrtps %ymm0, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN max.float
	vmaxpd %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN compare.float
	vcmppd $1, %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN select.float
	vblendvpd %ymm0, %ymm1, %ymm2, %ymm3
# LLVM-MCA-END
# LLVM-MCA-BEGIN convert
	vcvtsi2sd %eax, %xmm1, %xmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN convert.simd
	vcvtdq2pd %xmm0, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN logic
	andl %eax, %ecx
# LLVM-MCA-END
# LLVM-MCA-BEGIN logic.simd
	vpand %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN logic.float
	vandpd %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN shift
	shll $3, %eax
# LLVM-MCA-END
# LLVM-MCA-BEGIN shift.simd
	vpslld $3, %ymm0, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN popcount.scalar
	popcntl %eax, %ecx
# LLVM-MCA-END
# LLVM-MCA-BEGIN leading_zeros.scalar
	lzcntl %eax, %ecx
# LLVM-MCA-END
# LLVM-MCA-BEGIN trailing_zeros.scalar
	tzcntl %eax, %ecx
# LLVM-MCA-END
# LLVM-MCA-BEGIN byte_swap.scalar
	bswapl %eax
# LLVM-MCA-END
# LLVM-MCA-BEGIN rotate.scalar
	roll $3, %eax
# LLVM-MCA-END
# LLVM-MCA-BEGIN shuffle
	vpshufd $27, %ymm0, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN widen.simd
	vpmovzxbw %xmm0, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN select
	cmovll %eax, %ecx
# LLVM-MCA-END
# LLVM-MCA-BEGIN select.simd
	vpblendvb %ymm0, %ymm1, %ymm2, %ymm3
# LLVM-MCA-END
# LLVM-MCA-BEGIN compare.int
	cmpl %eax, %ecx
# LLVM-MCA-END
# LLVM-MCA-BEGIN compare.int.simd
	vpcmpgtd %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN compare.i64.simd
	vpcmpgtq %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN max.int.simd
	vpmaxsd %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN add.int
	addl %eax, %ecx
# LLVM-MCA-END
# LLVM-MCA-BEGIN add.int.simd
	vpaddd %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN mul.int.scalar
	imull %eax, %ecx
# LLVM-MCA-END
# LLVM-MCA-BEGIN mul.i16.simd
	vpmullw %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN mul.i32.simd
	vpmulld %ymm0, %ymm1, %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN div.int.scalar
	idivl %ecx
# LLVM-MCA-END
# LLVM-MCA-BEGIN div.i64.scalar
	idivq %rcx
# LLVM-MCA-END
# LLVM-MCA-BEGIN load
	movq (%rdi), %rax
# LLVM-MCA-END
# LLVM-MCA-BEGIN load.simd
	vmovupd (%rdi), %ymm0
# LLVM-MCA-END
# LLVM-MCA-BEGIN load.float.scalar
	vmovsd (%rdi), %xmm0
# LLVM-MCA-END
# LLVM-MCA-BEGIN store
	vmovupd %ymm0, (%rdi)
# LLVM-MCA-END
# LLVM-MCA-BEGIN masked_load.simd
	vmaskmovpd (%rdi), %ymm0, %ymm1
# LLVM-MCA-END
# LLVM-MCA-BEGIN masked_store.simd
	vmaskmovpd %ymm0, %ymm1, (%rdi)
# LLVM-MCA-END
# LLVM-MCA-BEGIN gather.f64.simd
	vgatherdpd %ymm0, (%rdi,%xmm1,8), %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN gather.f32.simd
	vgatherdps %ymm0, (%rdi,%ymm1,4), %ymm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN move
	movl %eax, %ecx
# LLVM-MCA-END
# LLVM-MCA-BEGIN move.simd
	vmovapd %ymm0, %ymm1
# LLVM-MCA-END
# LLVM-MCA-BEGIN branch
	jne .
# LLVM-MCA-END
