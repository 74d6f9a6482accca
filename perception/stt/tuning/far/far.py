"""On a machine with a GPU, without network, from the root of the repository: far.py CARRIED speak|train (see carry.sh)
With HEAR_WHAT=wake it is the network of the wake phrase that is trained (perception/wake/train), with HEAR_WHAT=both the command model
(perception/stt/train) beside the tuning."""
import glob, os, pickle, shutil, signal, struct, subprocess, sys, time
import numpy as np

CARRIED, MODE = os.path.abspath(sys.argv[1]), sys.argv[2]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pack

HOME = os.environ.get("HEAR_HOME", "/var/tmp/hear")
SECONDS = float(os.environ.get("HEAR_SECONDS", 60))
OUT = os.environ.get("OUT", "/tmp/out") + "/hear"
CORES = int(os.environ.get("HEAR_CORES", os.cpu_count()))
BEGUN = time.time()
WAKE, BOTH = (os.environ.get("HEAR_WHAT") == w for w in ("wake", "both"))
SRC = HOME + "/src/perception/" + ("wake/train" if WAKE else "stt/tuning")
VOICES, DATA, RUN = HOME + "/voices", HOME + "/data", HOME + "/run"
COMMANDS = HOME + "/commands"  # recordings for the command model
for d in (VOICES + "/kokoro", DATA + "/train", DATA + "/validation", COMMANDS + "/train", COMMANDS + "/validation", COMMANDS + "/run", RUN, OUT, HOME + "/tools"):
    os.makedirs(d, exist_ok=True)
log = open(f"{OUT}/{MODE}.log", "a")

def say(*a):
    print(f"{time.time() - BEGUN:6.1f}", *a, file=log, flush=True)
    print(f"{time.time() - BEGUN:6.1f}", *a, flush=True)

def unpack():
    shutil.rmtree(HOME + "/src", ignore_errors=True)
    for d in ("perception/stt/train", "perception/stt/tuning", "perception/wake/train", "perception/language/frames/sentences", "agents/planner/testdata"):
        shutil.copytree(d, f"{HOME}/src/{d}")
    for f in glob.glob(CARRIED + "/*.tar.xz"):
        subprocess.run(["tar", "xJf", f, "-C", HOME + "/tools"], check=True)
    if os.path.exists(CARRIED + "/kokoro.bin"):
        import onnx
        from onnx import numpy_helper
        a = pack.load(CARRIED + "/kokoro.bin")
        m = onnx.ModelProto.FromString(a.pop("").tobytes())
        for t in m.graph.initializer:
            t.CopyFrom(numpy_helper.from_array(np.array(a[t.name]), t.name))
        onnx.save(m, VOICES + "/kokoro.onnx")
        for name, rows in pack.load(CARRIED + "/styles.bin").items():
            full = np.repeat(rows, 6, axis=0)
            full = np.concatenate([full, np.repeat(full[-1:], 510 - len(full), axis=0)])
            full.astype("<f4").tofile(f"{VOICES}/kokoro/{name}.bin")
        shutil.copy(CARRIED + "/vocab.json", VOICES)
    if os.path.exists(CARRIED + "/whisper.bin"):
        a = pack.load(CARRIED + "/whisper.bin")
        header = a.pop("header")
        with open(HOME + "/base.bin", "wb") as f:
            f.write(b"lmgg" + struct.pack("<11i", *header))
            filters = a.pop("filters")
            f.write(struct.pack("<2i", *filters.shape) + filters.tobytes())
            words, lengths = a.pop("words").tobytes(), a.pop("lengths")
            f.write(struct.pack("<i", len(lengths)))
            at = 0
            for n in lengths.tolist():
                f.write(struct.pack("<i", n) + words[at:at + n])
                at += n
            rows, used, rest = a.pop("rows"), a.pop("embedding.used"), a.pop("embedding.rest")
            e = np.zeros((len(used) + len(rest), used.shape[1]), np.float32)
            mask = np.zeros(len(e), bool)
            mask[rows] = True
            e[mask], e[~mask] = used, rest
            a["decoder.token_embedding.weight"] = e
            for name, x in a.items():
                f.write(struct.pack("<3i", x.ndim, len(name), 0) + struct.pack(f"<{x.ndim}i", *x.shape[::-1]) + name.encode() + x.astype("<f4").tobytes())

ENV = dict(os.environ, PATH=HOME + "/tools/bin:" + os.environ["PATH"], LD_LIBRARY_PATH=HOME + "/tools/lib:" + os.environ.get("LD_LIBRARY_PATH", ""),
           ESPEAK_DATA_PATH=HOME + "/tools", COMMAND_MODEL_CACHE=VOICES, FORTUNES=HOME + "/tools/fortunes", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True",
           PYTHONPATH=HOME + "/src/perception/stt/train" + ":" + os.environ.get("PYTHONPATH", ""), PYTHONDONTWRITEBYTECODE="1")
seed = [int(time.time() * 10) % 10 ** 8]

def speak(part, which, count, seconds, commands=False):
    seed[0] += 1
    out = f"{COMMANDS if commands else DATA}/{which}/{part}-{seed[0]}.npz"
    return subprocess.Popen([sys.executable, "speak.py", part, which, str(count), str(seed[0]), out, str(seconds)], cwd=HOME + "/src/perception/stt/train" if commands else SRC, env=ENV,
                            stdout=open(f"{OUT}/{MODE}.out", "a"), stderr=open(f"{OUT}/{MODE}.err", "a"))

def keep(checkpoint, out, age):
    """What is worth keeping of a checkpoint, if what was kept is so old: the mean of the weights if there is one, else the weights, in 16 bits."""
    if not os.path.exists(checkpoint) or os.path.exists(out) and time.time() - os.path.getmtime(out) < age:
        return
    shutil.copy(checkpoint, checkpoint + ".copy")
    subprocess.run([sys.executable, "-c", f"""import os, torch
c = torch.load('{checkpoint}.copy', map_location='cpu')
if 'mean' in c: del c['model']
else: c['model'] = {{k: v.half() for k, v in c['model'].items()}}
del c['optimiser']
torch.save(c, '{out}.new')
os.replace('{out}.new', '{out}')"""])

def have(part, which="train"):
    return len(glob.glob(f"{DATA}/{which}/{part}-*.npz"))

def wait(jobs, until):
    for j in jobs:
        try:
            j.wait(max(0.1, until - time.time()))
        except subprocess.TimeoutExpired:
            j.kill()
            say("killed", j.args[3:6])

def listing():
    n = {}
    for f in glob.glob(DATA + "/*/*.npz") + glob.glob(COMMANDS + "/*/*.npz"):
        if ".tmp." not in f:
            d = np.load(f)
            k = f.split("/")[-3] + " " + f.split("/")[-2] + " " + os.path.basename(f).split("-")[0]
            c, s = n.get(k, (0, 0))
            n[k] = (c + len(d["ends"]), s + len(d["pcm"]) / 16000)
    for k, (c, s) in sorted(n.items()):
        say(k, c, "clips", round(s / 60, 1), "minutes")

unpack()
say("unpacked", os.listdir(VOICES)[:5], CORES, "cores")
kokoro = os.path.exists(VOICES + "/kokoro.onnx")
GPU = int(os.environ.get("HEAR_GPU_SPEAKERS", 9))  # each holds up to 6 GB

if MODE == "speak":
    until = BEGUN + SECONDS
    left = until - time.time() - 12
    held = (2000, left) if WAKE else (250, min(20, left))
    jobs = [speak("kokoro", "validation", *held)] + [speak("kokoro", "train", 3000, left, BOTH and k % 2 == 0) for k in range(GPU)]
    if BOTH:
        jobs += [speak(part, "validation", *held, True) for part in ("kokoro", "espeak")]
    jobs += [speak("espeak", "validation", *held)] + [speak("espeak", "train", 1500, left, BOTH and k % 2 == 0) for k in range(max(1, CORES - GPU - 2))]
    wait(jobs, until)
    listing()
elif WAKE:
    seconds = lambda: BEGUN + SECONDS - float(os.environ.get("HEAR_TAIL", 40)) - time.time()
    first = min(25, SECONDS * 0.1)
    wait([speak(("flite", "espeak")[k % 2], "train", 3000, first) for k in range(CORES)], time.time() + first + 10)
    listing()
    t = subprocess.Popen([sys.executable, "train.py", "--data", DATA, "--out", OUT, "--minutes", f"{seconds() / 60:.2f}"] + os.environ.get("HEAR_ARGS", "").split(),
                         cwd=SRC, env=dict(ENV, OMP_NUM_THREADS="2"), stdout=open(OUT + "/train.log", "a"), stderr=subprocess.STDOUT)
    more, begun, turns = [], time.time(), 0
    while t.poll() is None and seconds() > -10:
        time.sleep(1)
        more = [j for j in more if j.poll() is None]
        if time.time() - begun < SECONDS * 0.55 and len(more) < CORES - 3:
            turns += 1  # a few speak on the GPU
            if kokoro and turns < 10:
                more.append(speak("kokoro", "validation" if turns == 1 else "train", 3000, 110))
            else:
                more.append(speak(("espeak", "flite")[turns % 2], "train", 900, 30))
    if t.poll() is None:
        say("killed the training")
        t.kill()
    for j in more:
        j.kill()
    listing()
    print(open(OUT + "/train.log").read()[-4000:])
    with open(OUT + "/judge.log", "w") as f:
        subprocess.run([sys.executable, "judge.py", OUT + "/net.pt", DATA + "/validation", OUT + "/judge.npz"], cwd=SRC, env=ENV, stdout=f, stderr=subprocess.STDOUT, timeout=90)
    print(open(OUT + "/judge.log").read()[-3000:])
else:
    if have("kokoro") == 0:
        say("nothing by Kokoro here: is it the machine that spoke?")
    first = float(os.environ.get("HEAR_FIRST", min(40, SECONDS * 0.1)))
    jobs = [speak("flite", "train", 1500, first, BOTH and k % 2 == 0) for k in range(CORES // 2)] + [speak("espeak", "train", 1500, first, BOTH and k % 2 == 0) for k in range(max(1, CORES // 4))]
    if have("espeak", "validation") == 0:
        jobs.append(speak("espeak", "validation", 150, first))
    if have("kokoro", "validation") == 0 and kokoro:
        jobs.append(speak("kokoro", "validation", 150, first))
    wait(jobs, time.time() + first + 20)
    listing()
    minutes = (BEGUN + SECONDS - time.time() - float(os.environ.get("HEAR_TAIL", 35))) / 60
    args = [sys.executable, "tune.py", "--start", "whisper-tuning.bin.gz", "--base", HOME + "/base.bin", "--data", DATA, "--out", RUN, "--minutes", f"{minutes:.2f}", "--save", "30"] + os.environ.get("HEAR_ARGS", "").split()
    t = subprocess.Popen(args, cwd=SRC, env=dict(ENV, OMP_NUM_THREADS="4"), stdout=open(OUT + "/tune.log", "a"), stderr=subprocess.STDOUT)
    c = None
    if BOTH:
        c = subprocess.Popen([sys.executable, "train.py", "--data", COMMANDS, "--out", COMMANDS + "/run", "--minutes", f"{minutes:.2f}", "--check", "3", "--held", "400", "--save", "45"] + os.environ.get("HEAR_COMMANDS", "").split(),
                             cwd=HOME + "/src/perception/stt/train", env=dict(ENV, OMP_NUM_THREADS="2"), stdout=open(OUT + "/commands.log", "a"), stderr=subprocess.STDOUT)
    more, begun, turns = [], time.time(), 0
    while t.poll() is None or (c and c.poll() is None):
        time.sleep(1)
        # Speaking goes on in the first half, not on the GPU.
        more = [j for j in more if j.poll() is None]
        if time.time() - begun < minutes * 60 * 0.5 and len(more) < CORES - 5:
            turns += 1
            if BOTH and turns <= 4:  # a few speak on the GPU
                more.append(speak("kokoro", "train", 3000, min(120, minutes * 25), turns % 2 == 0))
            else:
                more.append(speak(("espeak", "flite")[turns % 2], "train", 600, 25, BOTH and turns % 4 < 2))
        keep(COMMANDS + "/run/checkpoint.pt", OUT + "/commands.pt", 45)
        keep(RUN + "/checkpoint.pt", OUT + "/changes.pt", 45)
        if time.time() > BEGUN + SECONDS + 25:
            say("killed the training")
            for p in filter(None, (t, c)):
                p.kill()
    keep(RUN + "/checkpoint.pt", OUT + "/changes.pt", 0)
    keep(COMMANDS + "/run/checkpoint.pt", OUT + "/commands.pt", 0)
    for j in more:
        j.kill()
    listing()
    for p in ("tune", "commands"):
        if os.path.exists(f"{OUT}/{p}.log"):
            print(open(f"{OUT}/{p}.log").read()[-4000:])
for f in ("out", "err"):
    p = f"{OUT}/{MODE}.{f}"
    if os.path.exists(p):
        open(f"{OUT}/{MODE}.log", "a").write(open(p).read()[-3000:])
        os.remove(p)
say("done")
