"""The weights as 8-bit blocks (GGML's Q8_0), in parts on the GPU machine; `python3 export.py` joins them to a GGUF file."""

import argparse
import hashlib
import json
import struct
from pathlib import Path

import numpy as np

PART_BYTES = 14 * 1024 * 1024
# What is committed are parts of the GGUF file: hosts of repositories warn at 50 MB.
COMMITTED_BYTES = 45_000_000
NAME = "atoll-chat"
# Clients that name no temperature ask for 1. So small a model is best at half of that: its outputs are made as much
# sharper, by its last norm.
SHARPER = 2.0


def quantized(matrix: np.ndarray) -> bytes:
    """Blocks of 32 numbers: one scale as float16, 32 small integers."""
    blocks = matrix.reshape(-1, 32)
    scales = (np.abs(blocks).max(1, keepdims=True) / 127).astype(np.float16)
    divisors = scales.astype(np.float32)
    divisors[divisors == 0] = 1
    small = np.clip(np.round(blocks / divisors), -127, 127).astype(np.int8)
    return np.concatenate([scales.view(np.int8), small], 1).tobytes()


def tensors(model):
    """Names as llama.cpp has them."""
    yield "token_embd", model.embedding
    yield "output_norm", model.norm
    for index, block in enumerate(model.blocks):
        yield f"blk.{index}.attn_norm", block.norm1
        yield f"blk.{index}.ffn_norm", block.norm2
        yield f"blk.{index}.attn_q", block.query
        yield f"blk.{index}.attn_k", block.key_value[0]
        yield f"blk.{index}.attn_v", block.key_value[1]
        yield f"blk.{index}.attn_output", block.out
        yield f"blk.{index}.ffn_gate", block.gate_up[0]
        yield f"blk.{index}.ffn_up", block.gate_up[1]
        yield f"blk.{index}.ffn_down", block.down


def save(model, out: Path) -> None:
    """Parts small enough to carry, and what is in them."""
    data, table = bytearray(), []
    for name, tensor in tensors(model):
        plain = tensor.ndim == 1
        table.append({"name": name, "shape": list(tensor.shape), "at": len(data), "type": "F32" if plain else "Q8_0"})
        values = tensor.detach().float().cpu().numpy()
        data += values.tobytes() if plain else quantized(values)
    write_parts(bytes(data), {"shape": model.shape.as_dict(), "tensors": table}, out)


def write_parts(data: bytes, index: dict, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("weights-*.part"):
        old.unlink()
    for number, at in enumerate(range(0, len(data), PART_BYTES)):
        (out / f"weights-{number}.part").write_bytes(data[at : at + PART_BYTES])
    (out / "index.json").write_text(json.dumps({**index, "bytes": len(data)}))


def read_parts(parts: Path) -> tuple[dict, bytes]:
    """What the parts hold, and the parts as one."""
    index = json.loads((parts / "index.json").read_text())
    files = sorted(parts.glob("weights-*.part"), key=lambda file: int(file.stem.split("-")[1]))
    data = b"".join(file.read_bytes() for file in files)
    if len(data) != index["bytes"]:
        raise ValueError(f"{len(data)} of {index['bytes']} bytes in {parts}")
    return index, data


TYPES = {"F32": 0, "Q8_0": 8}
# With these at zero a block adds nothing: a deeper model begins as the one it was made of.
ADDING = ("attn_output", "ffn_down")


def origins(layers: int, grown: int) -> list[tuple[int, bool]]:
    """For each layer of the deeper model the layer it is made of, and whether another one before it was made of the same."""
    sources = [index * layers // grown for index in range(grown)]
    return [(source, index > 0 and sources[index - 1] == source) for index, source in enumerate(sources)]


def load(model, parts: Path) -> None:
    """Weights of an earlier run into a model, which may have more layers."""
    import torch

    index, data = read_parts(parts)
    places = {tensor["name"]: tensor for tensor in index["tensors"]}
    made_of = origins(sum(name.endswith(".attn_q") for name in places), len(model.blocks))
    with torch.no_grad():
        for name, tensor in tensors(model):
            is_copy = False
            if name.startswith("blk."):
                _, layer, leaf = name.split(".")
                source, is_copy = made_of[int(layer)]
                name, is_copy = f"blk.{source}.{leaf}", is_copy and leaf in ADDING
            tensor.copy_(torch.zeros_like(tensor) if is_copy else torch.from_numpy(numbers(data, places[name])).view(tensor.shape))


def numbers(data: bytes, place: dict) -> np.ndarray:
    count = int(np.prod(place["shape"]))
    if place["type"] == "F32":
        return np.frombuffer(data, np.float32, count, place["at"]).copy()
    blocks = np.frombuffer(data, np.uint8, count // 32 * 34, place["at"]).reshape(-1, 34)
    scales = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    return (blocks[:, 2:].view(np.int8) * scales).reshape(-1)


def split(model: Path, out: Path) -> None:
    """A GGUF file of ours back into parts and its tokenizer, to go on from it."""
    data, at = model.read_bytes(), 24
    tensor_count, entry_count = struct.unpack_from("<QQ", data, 8)
    lists = {}
    for _ in range(entry_count):
        key = data[at + 8 : at + 8 + struct.unpack_from("<Q", data, at)[0]].decode()
        kind, begin = after_text(data, at)
        at = after_value(data, kind, begin)
        if kind == 9:
            lists[key] = texts(data, begin)
    table = []
    for _ in range(tensor_count):
        size = struct.unpack_from("<Q", data, at)[0]
        name, at = data[at + 8 : at + 8 + size].decode(), at + 8 + size
        dimensions = struct.unpack_from("<I", data, at)[0]
        shape = struct.unpack_from(f"<{dimensions}Q", data, at + 4)
        kind, offset = struct.unpack_from("<IQ", data, at + 4 + 8 * dimensions)
        at += 16 + 8 * dimensions
        table.append({"name": name.removesuffix(".weight"), "shape": list(shape[::-1]), "at": offset, "type": {0: "F32", 8: "Q8_0"}[kind]})
    body = bytearray(data[at + -at % 32 :])
    norm = next(tensor for tensor in table if tensor["name"] == "output_norm")
    plain = numbers(bytes(body), norm) / SHARPER
    body[norm["at"] : norm["at"] + 4 * len(plain)] = plain.astype(np.float32).tobytes()
    write_parts(bytes(body), {"tensors": table}, out)
    merges = [pair.split(" ") for pair in lists["tokenizer.ggml.merges"]]
    vocabulary = {"tokens": lists["tokenizer.ggml.tokens"], "merges": merges}
    (out / "tokenizer.json").write_text(json.dumps(vocabulary, ensure_ascii=False))


def texts(data: bytes, at: int) -> list[str]:
    """The texts of a list; none when it holds something else."""
    inner, count = struct.unpack_from("<IQ", data, at)
    found, at = [], at + 12
    for _ in range(count if inner == 8 else 0):
        size = struct.unpack_from("<Q", data, at)[0]
        found.append(data[at + 8 : at + 8 + size].decode())
        at += 8 + size
    return found


def after_text(data: bytes, at: int) -> tuple[int, int]:
    """The kind of the value behind a key, and where that value begins."""
    at += 8 + struct.unpack_from("<Q", data, at)[0]
    return struct.unpack_from("<I", data, at)[0], at + 4


def after_value(data: bytes, kind: int, at: int) -> int:
    sizes = {4: 4, 5: 4, 6: 4, 7: 1}
    if kind == 8:
        return at + 8 + struct.unpack_from("<Q", data, at)[0]
    if kind != 9:
        return at + sizes[kind]
    inner, count = struct.unpack_from("<IQ", data, at)
    at += 12
    for _ in range(count):
        at = after_value(data, inner, at)
    return at


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key: str, value) -> bytes:
    """One piece of metadata: text, flag, whole number, fraction, or a list of texts or whole numbers."""
    head = text(key)
    if isinstance(value, str):
        return head + struct.pack("<I", 8) + text(value)
    if isinstance(value, bool):
        return head + struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return head + struct.pack("<II", 4, value)
    if isinstance(value, float):
        return head + struct.pack("<If", 6, value)
    if isinstance(value[0], str):
        return head + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(one) for one in value)
    return head + struct.pack("<IIQ", 9, 5, len(value)) + struct.pack(f"<{len(value)}i", *value)


def metadata(shape: dict, vocabulary: dict, template: str) -> dict:
    tokens = vocabulary["tokens"]
    kinds = [3 if token.startswith(("<|reserved", "<|end", "<|sys", "<|user", "<|ass", "<|tool", "<|fn", "<|pad")) else 5 if token.startswith("<|unused") else 1 for token in tokens]
    return {
        "general.architecture": "llama",
        "general.type": "model",
        "general.name": NAME,
        "general.license": "apache-2.0",
        "general.file_type": 7,
        "llama.context_length": shape["context"],
        "llama.embedding_length": shape["width"],
        "llama.block_count": shape["layers"],
        "llama.feed_forward_length": shape["inner"],
        "llama.attention.head_count": shape["heads"],
        "llama.attention.head_count_kv": shape["shared_heads"],
        "llama.attention.layer_norm_rms_epsilon": float(shape["epsilon"]),
        "llama.rope.freq_base": float(shape["theta"]),
        "llama.rope.dimension_count": shape["width"] // shape["heads"],
        "llama.vocab_size": shape["vocabulary"],
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.merges": [" ".join(pair) for pair in vocabulary["merges"]],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 5,
        "tokenizer.ggml.padding_token_id": 7,
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.ggml.add_space_prefix": False,
        "tokenizer.chat_template": template,
    }


def write_gguf(parts: Path, vocabulary: Path, template: Path, out: Path) -> None:
    index, data = read_parts(parts)
    known = metadata(index["shape"], json.loads(vocabulary.read_text()), template.read_text().rstrip("\n"))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(index["tensors"]), len(known))
    head += b"".join(entry(key, value) for key, value in known.items())
    offset, body = 0, []
    for number, tensor in enumerate(index["tensors"]):
        following = index["tensors"][number + 1]["at"] if number + 1 < len(index["tensors"]) else len(data)
        blob = data[tensor["at"] : following]
        if tensor["name"] == "output_norm":
            blob = (np.frombuffer(blob, np.float32) * SHARPER).astype(np.float32).tobytes()
        shape = tensor["shape"][::-1]
        head += text(tensor["name"] + ".weight") + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        head += struct.pack("<IQ", TYPES[tensor["type"]], offset)
        body.append(blob + b"\0" * (-len(blob) % 32))
        offset += len(body[-1])
    out.write_bytes(head + b"\0" * (-len(head) % 32) + b"".join(body))


def describe(model: Path) -> None:
    """The file in parts, and what is checked when they are joined and loaded."""
    data, parts = model.read_bytes(), []
    for number, at in enumerate(range(0, len(data), COMMITTED_BYTES)):
        parts.append(f"{model.name}.{number + 1}")
        (model.parent / parts[-1]).write_bytes(data[at : at + COMMITTED_BYTES])
    known = {"file": model.name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "parts": parts}
    (model.parent / "model.json").write_text(json.dumps(known, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", type=Path, metavar="GGUF", help="the other way round: a file of ours into parts and its tokenizer")
    parser.add_argument("--parts", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, default=Path(__file__).parent / "tokenizer.json")
    parser.add_argument("--template", type=Path, default=Path(__file__).parent / "template.jinja")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    if asked.split:
        split(asked.split, asked.parts)
        return
    if not asked.out:
        parser.error("--out is needed: the GGUF file to write")
    write_gguf(asked.parts, asked.tokenizer, asked.template, asked.out)
    (asked.out.parent / "encodings.json").write_bytes((asked.parts / "encodings.json").read_bytes())
    describe(asked.out)


if __name__ == "__main__":
    main()
