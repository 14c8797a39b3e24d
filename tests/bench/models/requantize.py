#!/usr/bin/env python3
"""Writes a GGUF file again with its quantized matrices in another type (Q8_0, Q4_0).

For comparing speeds, not for use: the values went through two quantizations. Needs the Python
package gguf. Usage: requantize.py IN.gguf OUT.gguf Q8_0
"""

import sys

import gguf
import numpy


def copy_key(writer, field):
    value = field.contents()
    kind = field.types[0]
    if kind == gguf.GGUFValueType.ARRAY:
        writer.add_key_value(field.name, value, kind, sub_type=field.types[-1])
    else:
        writer.add_key_value(field.name, value, kind)


def main():
    source, target, name = sys.argv[1:]
    quantization = gguf.GGMLQuantizationType[name]
    reader = gguf.GGUFReader(source)
    architecture = reader.fields["general.architecture"].contents()
    writer = gguf.GGUFWriter(target, architecture, use_temp_file=True)
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name != "general.architecture":
            copy_key(writer, field)
    for tensor in reader.tensors:
        if tensor.tensor_type in (gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.F16):
            writer.add_tensor(tensor.name, numpy.array(tensor.data), raw_dtype=tensor.tensor_type)
            continue
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        writer.add_tensor(tensor.name, gguf.quants.quantize(values, quantization),
                          raw_dtype=quantization)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
