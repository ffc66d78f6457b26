"""Muon for the matrices (each step's update made orthogonal), AdamW for the rest."""

import math

import torch


def orthogonal(updates):
    """Newton-Schulz steps towards the nearest orthogonal matrix."""
    x = updates.bfloat16()
    tall = x.size(-2) > x.size(-1)
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        square = x @ x.mT
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x.mT if tall else x


class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr: float, decay: float, compiled: bool):
        super().__init__(params, {"lr": lr, "decay": decay})
        self.orthogonal = torch.compile(orthogonal, dynamic=False) if compiled else orthogonal

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            by_shape: dict = {}
            for param in group["params"]:
                by_shape.setdefault(param.shape[-2:], []).append(param)
            for shape, params in by_shape.items():
                self._step(group, shape, params)

    def _step(self, group, shape, params):
        updates = []
        for param in params:
            state = self.state[param]
            if "momentum" not in state:
                state["momentum"] = torch.zeros_like(param)
            momentum = state["momentum"].lerp_(param.grad, 0.05)
            updates.append(torch.lerp(param.grad, momentum, 0.95).view(-1, *shape))
        sizes = [len(update) for update in updates]
        made = self.orthogonal(torch.cat(updates)).split(sizes)
        scale = 0.2 * math.sqrt(max(shape))
        for param, update in zip(params, made):
            param.mul_(1 - group["lr"] * group["decay"])
            param.add_(update.view_as(param).to(param.dtype), alpha=-group["lr"] * scale)


def optimizers(model, lr: float, compiled: bool = True) -> list[torch.optim.Optimizer]:
    matrices = [param for name, param in model.named_parameters() if param.ndim >= 2 and name != "embedding"]
    norms = [param for param in model.parameters() if param.ndim == 1]
    rest = [{"params": [model.embedding], "weight_decay": 0.01}, {"params": norms, "weight_decay": 0.0}]
    return [Muon(matrices, lr, 0.1, compiled), torch.optim.AdamW(rest, lr=lr, betas=(0.9, 0.95), fused=True)]
