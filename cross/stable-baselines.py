"""Stable-Baselines3 with the settings of reachy-learn, and the table of both. See stable-baselines.sh.

usage: stable-baselines.py ENVIRONMENT SEEDS     lines who,environment,seed,steps,processor seconds,return
       stable-baselines.py table FILE...         what the lines of both say
"""

import csv
import statistics
import sys
import time


def learn(env_id, seed):
    import gymnasium
    import torch
    from stable_baselines3 import PPO, SAC
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import VecNormalize

    torch.set_num_threads(1)

    class Look(BaseCallback):
        """Tries the policy now and then, which does not count as processor time."""

        def __init__(self, every):
            super().__init__()
            self.every, self.next, self.away = every, every, 0.0
            self.began = time.process_time()

        def _on_step(self):
            if self.num_timesteps >= self.next:
                self.look()
            return True

        def look(self):
            spent = time.process_time() - self.began - self.away
            before = time.process_time()
            env, total = gymnasium.make(env_id), 0.0
            for episode in range(20):
                obs, _ = env.reset(seed=1_000_000 + episode)
                ended = False
                while not ended:
                    norm = self.model.get_vec_normalize_env()
                    action, _ = self.model.predict(norm.normalize_obs(obs) if norm else obs, deterministic=True)
                    obs, reward, terminated, truncated, _ = env.step(action)
                    total += float(reward)
                    ended = terminated or truncated
            print(f"Stable-Baselines3,{env_id},{seed},{self.num_timesteps},{spent:.2f},{total / 20:.1f}", flush=True)
            self.next += self.every
            self.away += time.process_time() - before

    if env_id == "CartPole-v1":
        env = VecNormalize(make_vec_env(env_id, n_envs=8, seed=seed), norm_reward=False)
        model = PPO(
            "MlpPolicy", env, seed=seed, n_steps=64, batch_size=128, n_epochs=10, gamma=0.98, gae_lambda=0.9,
            learning_rate=lambda left: 1e-3 * left, device="cpu",
        )
        model.learn(50_000, callback=Look(2_500))
        return
    model = SAC(
        "MlpPolicy", env_id, seed=seed, learning_rate=1e-3, buffer_size=50_000, learning_starts=1000, batch_size=64,
        policy_kwargs={"net_arch": [64, 64]}, device="cpu",
    )
    model.learn(20_000, callback=Look(2_000))


def table(files):
    runs = {}
    for name in files:
        with open(name, newline="") as f:
            for who, env, seed, steps, seconds, value in csv.reader(f):
                runs.setdefault((env, who), {}).setdefault(seed, []).append((int(steps), float(seconds), float(value)))
    for env in sorted({env for env, _ in runs}):
        last = min(r[-1][0] for (e, _), seeds in runs.items() if e == env for r in seeds.values())
        marks = [last * k // 5 for k in range(1, 6)]
        print(f"| {env} | " + " | ".join(f"{m} steps" for m in marks) + " | best look | steps per processor second |")
        print("|---" * (len(marks) + 3) + "|")
        for (e, who), seeds in sorted(runs.items()):
            if e != env:
                continue
            at = [statistics.mean(min(r, key=lambda p: abs(p[0] - m))[2] for r in seeds.values()) for m in marks]
            best = statistics.mean(max(p[2] for p in r) for r in seeds.values())
            speed = sum(r[-1][0] for r in seeds.values()) / sum(r[-1][1] for r in seeds.values())
            print(f"| {who}, {len(seeds)} seeds | " + " | ".join(f"{v:.0f}" for v in at) + f" | {best:.0f} | {speed:.0f} |")
        print()


if sys.argv[1] == "table":
    table(sys.argv[2:])
else:
    for s in range(1, int(sys.argv[2]) + 1):
        learn(sys.argv[1], s)
