"""Writes blocks.txt: random blocks of every quantized type, the bytes and what gguf 0.19 (the
format's own Python package) makes of them, and one row that it quantized. Values as hexadecimal
little-endian float32. Run: pip install gguf==0.19 numpy; python3 make_blocks.py blocks.txt"""
import sys, numpy as np, gguf
from gguf import GGMLQuantizationType as T
rng=np.random.default_rng(20261130)
places={'Q4_0':[0],'Q4_1':[0,2],'Q5_0':[0],'Q5_1':[0,2],'Q8_0':[0],'Q2_K':[80,82],'Q3_K':[108],'Q4_K':[0,2],'Q5_K':[0,2],'Q6_K':[208]}
out=open(sys.argv[1],'w')
for name,pl in places.items():
    t=T[name]; bs,ts=gguf.GGML_QUANT_SIZES[t]
    for b in range(2 if bs==256 else 4):
        block=rng.integers(0,256,ts,dtype=np.uint8)
        for p in pl:
            block[p:p+2]=np.frombuffer(np.float16(rng.normal()*0.1).tobytes(),np.uint8)
        v=gguf.quants.dequantize(block.reshape(1,-1),t).astype('<f4').ravel()
        out.write(name+' '+block.tobytes().hex()+' '+v.tobytes().hex()+'\n')
# quantized rows
x=(rng.normal(size=64)*np.exp(rng.normal(size=64))).astype(np.float32)
x[40]=0
for name in ('F16','BF16','Q8_0','Q4_0','Q4_1','Q5_0','Q5_1'):
    q=gguf.quants.quantize(x.reshape(1,-1),T[name])
    out.write('quantize '+name+' '+x.astype('<f4').tobytes().hex()+' '+np.ascontiguousarray(q).tobytes().hex()+'\n')
