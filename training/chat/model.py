"""A small llama: RMS norms, rotary positions, gated feed-forward, one matrix for both ends."""

import inspect
import math
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Shape:
    vocabulary: int = 16_384
    width: int = 512
    layers: int = 24
    heads: int = 8
    shared_heads: int = 4  # of keys and values
    inner: int = 1_408
    context: int = 4_096
    theta: float = 10_000.0
    epsilon: float = 1e-5
    dropout: float = 0.0  # in training, on what each half of a block adds

    def as_dict(self) -> dict:
        return asdict(self)


def turned(x, cos, sin):
    """Rotary positions on neighbouring pairs, as llama.cpp has them for this architecture."""
    a, b = x[..., 0::2].float(), x[..., 1::2].float()
    c, s = cos[:, None, :], sin[:, None, :]
    return torch.stack((a * c - b * s, a * s + b * c), -1).flatten(-2).to(x.dtype)


def packed_attention():
    """Attention within each document of a packed row: torch's own kernel for lengths that vary."""
    from torch.nn.attention.varlen import varlen_attn

    causal = {"is_causal": True} if "is_causal" in inspect.signature(varlen_attn).parameters else {"window_size": (-1, 0)}

    def attend(q, k, v, starts, longest):
        out = varlen_attn(q, k, v, starts, starts, longest, longest, **causal)
        return out[0] if isinstance(out, tuple) else out

    return attend


def masked_attention(row: int):
    """The same on rows of a fixed length, by a mask that is compiled into the kernel."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    make_mask = torch.compile(create_block_mask)

    def prepare(starts, size):
        documents = torch.searchsorted(starts, torch.arange(size, device=starts.device, dtype=starts.dtype), right=True).view(-1, row)

        def together(batch, head, query, key):
            return (query >= key) & (documents[batch, query] == documents[batch, key])

        return make_mask(together, size // row, None, row, row, device="cuda")

    def attend(q, k, v, mask, longest):
        shaped = [x.view(-1, row, *x.shape[1:]).transpose(1, 2) for x in (q, k, v)]
        return flex_attention(*shaped, block_mask=mask).transpose(1, 2).reshape(q.shape)

    attend.prepare = prepare
    return attend


def whole_attention(row: int):
    """Attention over whole rows of a fixed length, across documents."""

    def attend(q, k, v, starts, longest):
        shaped = [x.view(-1, row, *x.shape[1:]).transpose(1, 2) for x in (q, k, v)]
        out = F.scaled_dot_product_attention(*shaped, is_causal=True)
        return out.transpose(1, 2).reshape(q.shape)

    return attend


class Block(nn.Module):
    def __init__(self, shape: Shape, attend):
        super().__init__()
        width, inner = shape.width, shape.inner
        shared = width // shape.heads * shape.shared_heads
        self.heads, self.shared_heads = shape.heads, shape.shared_heads
        self.epsilon, self.dropout, self.attend = shape.epsilon, shape.dropout, attend
        depth = 0.02 / math.sqrt(2 * shape.layers)
        self.norm1 = nn.Parameter(torch.ones(width))
        self.norm2 = nn.Parameter(torch.ones(width))
        self.query = nn.Parameter(torch.randn(width, width) * 0.02)
        self.key_value = nn.Parameter(torch.randn(2, shared, width) * 0.02)
        self.out = nn.Parameter(torch.randn(width, width) * depth)
        self.gate_up = nn.Parameter(torch.randn(2, inner, width) * 0.02)
        self.down = nn.Parameter(torch.randn(width, inner) * depth)

    def forward(self, x, cos, sin, starts, longest):
        count, width = x.shape
        h = F.rms_norm(x, (width,), self.norm1.to(x.dtype), self.epsilon)
        q = F.linear(h, self.query.to(x.dtype)).view(count, self.heads, -1)
        k, v = F.linear(h, self.key_value.to(x.dtype).view(-1, width)).view(count, 2, self.shared_heads, -1).unbind(1)
        each = self.heads // self.shared_heads
        k = turned(k, cos, sin).repeat_interleave(each, 1)
        y = self.attend(turned(q, cos, sin), k, v.repeat_interleave(each, 1), starts, longest)
        x = x + self.dropped(F.linear(y.reshape(count, width), self.out.to(x.dtype)))
        h = F.rms_norm(x, (width,), self.norm2.to(x.dtype), self.epsilon)
        gate, up = F.linear(h, self.gate_up.to(x.dtype).view(-1, width)).chunk(2, -1)
        return x + self.dropped(F.linear(F.silu(gate) * up, self.down.to(x.dtype)))

    def dropped(self, x):
        return F.dropout(x, self.dropout, self.training) if self.dropout > 0 else x


class Model(nn.Module):
    """Reads one flat row of tokens; `positions` and `starts` tell its documents apart."""

    def __init__(self, shape: Shape, attend):
        super().__init__()
        self.shape = shape
        self.embedding = nn.Parameter(torch.randn(shape.vocabulary, shape.width) * 0.02)
        self.blocks = nn.ModuleList(Block(shape, attend) for _ in range(shape.layers))
        self.norm = nn.Parameter(torch.ones(shape.width))
        half = shape.width // shape.heads
        frequencies = 1 / shape.theta ** (torch.arange(0, half, 2).float() / half)
        angles = torch.arange(shape.context + 1).float()[:, None] * frequencies
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def hidden(self, tokens, positions, starts, longest):
        dtype = torch.bfloat16 if tokens.is_cuda else torch.float32
        x = F.embedding(tokens, self.embedding).to(dtype)
        cos, sin = self.cos[positions], self.sin[positions]
        for block in self.blocks:
            x = block(x, cos, sin, starts, longest)
        return F.rms_norm(x, (x.shape[-1],), self.norm.to(dtype), self.shape.epsilon)

    def forward(self, tokens, positions, starts, longest, targets, weights):
        return self.loss(self.hidden(tokens, positions, starts, longest), targets, weights)

    def loss(self, x, targets, weights):
        logits = F.linear(x, self.embedding.to(x.dtype)).float()
        losses = F.cross_entropy(logits, targets, reduction="none")
        return (losses * weights).sum() / weights.sum()

    def compile_parts(self, **options) -> None:
        """Compiles a block and the loss: all blocks are alike, so that one is enough, in a fraction of the whole model's time."""
        for block in self.blocks:
            block.compile(dynamic=False, **options)
        self.loss = torch.compile(self.loss, dynamic=False, **options)
