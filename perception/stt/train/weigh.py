"""Chooses the weights of the features of which the confidence of a command is made: weigh.py FEATURES

FEATURES is what commandmodel/eval -features prints: whether the candidate was the one that was said, and its features. It is a logistic
regression, so that the confidence is about how often such a candidate is right.
"""

import sys

import torch


def main():
    rows = [[float(x) for x in line.split()] for line in open(sys.argv[1])]
    table = torch.tensor(rows, dtype=torch.float64)
    right, features = table[:, 0], table[:, 1:]
    weights = torch.zeros(features.shape[1], dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=500, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(features @ weights, right) + 1e-4 * (weights ** 2).sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    print(", ".join(f"{w:.2f}" for w in weights.tolist()), f"  loss {closure().item():.4f}, {len(rows)} candidates")


if __name__ == "__main__":
    main()
