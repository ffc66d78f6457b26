"""Hard negatives: for every query, passages that a trained table finds near it and that do not answer it."""

import torch
import torch.nn.functional as F

KEPT, LOOKED, NEAR = 8, 48, 0.95


@torch.no_grad()
def vectors(model, pairs, flat, index):
    out = []
    for part in index.split(65536):
        out.append(F.normalize(model(pairs.bag(flat, part)), dim=-1).to(torch.bfloat16))
    return torch.cat(out)


@torch.no_grad()
def mine(model, pairs, largest=300_000):
    """Fills pairs.negatives: KEPT passages of the same source for each pair. A passage nearer than NEAR of the right one's
    likeness is left out: it often answers too. Where too few are left, passages by chance take their place."""
    model.eval()
    count = len(pairs.group)
    torch.manual_seed(11)
    pairs.negatives = torch.zeros(count, KEPT, dtype=torch.int32, device="cuda")
    for members in pairs.members:
        index = torch.from_numpy(members).cuda()
        pool = index[torch.randperm(len(index), device="cuda")[:largest]]
        found = vectors(model, pairs, pairs.passages, pool)
        for part in index.split(2048):
            asked, right = vectors(model, pairs, pairs.queries, part), vectors(model, pairs, pairs.passages, part)
            near = asked @ found.T
            limit = (asked * right).sum(1, keepdim=True) * NEAR
            near = near.masked_fill(near > limit, -2).masked_fill(pairs.group[part][:, None] == pairs.group[pool][None], -2)
            best = near.topk(min(LOOKED, len(pool)), dim=1)
            chance = torch.rand(best.values.shape, device="cuda").masked_fill(best.values < -1, 2)
            order = chance.argsort(1)[:, :KEPT]
            chosen = pool[best.indices.gather(1, order)].to(torch.int32)
            if chosen.shape[1] < KEPT:
                chosen = chosen[:, torch.arange(KEPT, device="cuda") % chosen.shape[1]]
            by_chance = pool[torch.randint(len(pool), chosen.shape, device="cuda")].to(torch.int32)
            bad = chance.gather(1, order[:, torch.arange(KEPT, device="cuda") % order.shape[1]]) > 1
            pairs.negatives[part] = torch.where(bad, by_chance, chosen)
