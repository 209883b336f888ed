# The instructions on whole registers of AVX-512 that docs/machine-files.md adds to those of avx2.s.
# LLVM-MCA-BEGIN add.float.simd64
	vaddpd %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN mul.float.simd64
	vmulpd %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN fma.float.simd64
	vfmadd231pd %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN div.f64.simd64
	vdivpd %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN div.f32.simd64
	vdivps %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN sqrt.f64.simd64
	vsqrtpd %zmm0, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN sqrt.f32.simd64
	vsqrtps %zmm0, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN max.float.simd64
	vmaxpd %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN compare.float.simd64
	vcmppd $1, %zmm0, %zmm1, %k1
# LLVM-MCA-END
# LLVM-MCA-BEGIN select.float.simd64
	vblendmpd %zmm0, %zmm1, %zmm2 {%k1}
# LLVM-MCA-END
# LLVM-MCA-BEGIN convert.simd64
	vcvtdq2pd %ymm0, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN logic.simd64
	vpandd %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN logic.float.simd64
	vandpd %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN shift.simd64
	vpslld $3, %zmm0, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN shuffle.simd64
	vpshufd $27, %zmm0, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN widen.simd64
	vpmovzxbw %ymm0, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN select.simd64
	vpblendmd %zmm0, %zmm1, %zmm2 {%k1}
# LLVM-MCA-END
# LLVM-MCA-BEGIN compare.int.simd64
	vpcmpgtd %zmm0, %zmm1, %k1
# LLVM-MCA-END
# LLVM-MCA-BEGIN compare.i64.simd64
	vpcmpgtq %zmm0, %zmm1, %k1
# LLVM-MCA-END
# LLVM-MCA-BEGIN max.int.simd64
	vpmaxsd %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN add.int.simd64
	vpaddd %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN mul.i16.simd64
	vpmullw %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN mul.i32.simd64
	vpmulld %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN mul.i64.simd64
	vpmullq %zmm0, %zmm1, %zmm2
# LLVM-MCA-END
# LLVM-MCA-BEGIN load.simd64
	vmovupd (%rdi), %zmm0
# LLVM-MCA-END
# LLVM-MCA-BEGIN store.simd64
	vmovupd %zmm0, (%rdi)
# LLVM-MCA-END
# LLVM-MCA-BEGIN masked_load.simd64
	vmovupd (%rdi), %zmm0 {%k1}
# LLVM-MCA-END
# LLVM-MCA-BEGIN masked_store.simd64
	vmovupd %zmm0, (%rdi) {%k1}
# LLVM-MCA-END
# LLVM-MCA-BEGIN gather.f64.simd64
	vgatherdpd (%rdi,%ymm1,8), %zmm2 {%k1}
# LLVM-MCA-END
# LLVM-MCA-BEGIN gather.f32.simd64
	vgatherdps (%rdi,%zmm1,4), %zmm2 {%k1}
# LLVM-MCA-END
# LLVM-MCA-BEGIN move.simd64
	vmovapd %zmm0, %zmm1
# LLVM-MCA-END
