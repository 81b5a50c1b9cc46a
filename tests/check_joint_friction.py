"""Friction inside joints as the published code finds it, written a second time, and what the program's own answer is to it.

    check_joint_friction.py MBSIM ORACLE FOLDER

The published passes (RM 2.11, Algorithm 8) solve for the joints' forces with the friction held, then for the friction with the joints'
forces held. The published run of scene 27 (ORACLE) has two things that the text has not:

  1. its passes end where the square of the relative change of the joints' forces is below 1e-3, which is after one
     pass in nearly every step;
  2. its last velocity has J' M J' q' twice: the text's line 26 adds it with f_r, and again with the joints' forces,
     of which J' f_alpha = -J' M J' q' is left.

With both, this file gives the published run to 1e-9 of its size. With neither, the program's first step is a fixed point of the passes:
one more of them changes nothing. FOLDER is for the program's run. Needs numpy; without it the last line says that the check was left out.
"""
import csv
import json
import os
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("joint friction: left out, there is no numpy")
    sys.exit(0)

PUBLISHED = 1e-9   # of the largest coordinate
FIXED = 1e-9       # of the first step's velocity
RADIUS, HEIGHT = 0.5, 1.0
AXIS = 2           # of the joints, in their own frames


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def inverse(E):
    F = np.eye(4)
    F[:3, :3] = E[:3, :3].T
    F[:3, 3] = -E[:3, :3].T @ E[:3, 3]
    return F


def adjoint(E):
    A = np.zeros((6, 6))
    A[:3, :3] = A[3:, 3:] = E[:3, :3]
    A[3:, :3] = skew(E[:3, 3]) @ E[:3, :3]
    return A


def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    E = np.eye(4)
    E[:2, :2] = [[c, -s], [s, c]]
    return E


class Chain:
    """Bodies one after the other, each on a joint about z. Twists are the bodies' own, (angular, linear)."""

    def __init__(self, oracle):
        links = oracle["links"]
        self.h, self.gravity = oracle["step"], np.array(oracle["gravity"], float)
        self.n = len(links)
        self.base = [np.array(link["joint_in_parent_joint_frame"]) for link in links]
        self.body = [np.array(link["body_in_joint_frame"]) for link in links]
        self.mass = [link["mass"] for link in links]
        self.M = np.concatenate([np.r_[link["principal_inertia"], [link["mass"]] * 3] for link in links])
        self.mu = oracle["extra"]["mu_internal"]
        self.N, self.T = places()

    def look(self, q):
        """Frames of joints and bodies, and J."""
        joint, body, J = [], [], np.zeros((6 * self.n, self.n))
        E = np.eye(4)
        for i in range(self.n):
            E = E @ self.base[i] @ turn(q[i])
            joint.append(E)
            body.append(E @ self.body[i])
            if i:
                J[6 * i:6 * i + 6] = adjoint(inverse(body[i]) @ body[i - 1]) @ J[6 * i - 6:6 * i]
            J[6 * i:6 * i + 6, i] += adjoint(inverse(self.body[i]))[:, AXIS]
        return joint, body, J

    def forces(self, body, phi):
        """Gravity and the velocity terms of the bodies."""
        f = np.zeros(6 * self.n)
        for i in range(self.n):
            w, v, M = phi[6 * i:6 * i + 3], phi[6 * i + 3:6 * i + 6], self.M[6 * i:6 * i + 6]
            f[6 * i:6 * i + 3] = -np.cross(w, M[:3] * w)
            f[6 * i + 3:6 * i + 6] = -np.cross(w, M[3:] * v) + self.mass[i] * body[i][:3, :3].T @ self.gravity
        return f

    def drift(self, q, v):
        """The rate of J times v, by differences."""
        e = 1e-5
        return (self.look(q + e * v)[2] - self.look(q - e * v)[2]) @ v / (2 * e)

    def rows(self, joint, body, i, W):
        """Wrenches on body i in its joint's frame, and their opposites on the body before, as rows over all twists."""
        R = np.zeros((len(W), 6 * self.n))
        R[:, 6 * i:6 * i + 6] = W @ adjoint(inverse(joint[i]) @ body[i])
        if i:
            R[:, 6 * i - 6:6 * i] = -W @ adjoint(inverse(joint[i]) @ body[i - 1])
        return R

    def shared_out(self, body, f):
        """What each joint does to its body, of what all joints do to the bodies, from the last body to the first."""
        F = f.reshape(self.n, 6).copy()
        for i in range(self.n - 1, 0, -1):
            F[i - 1] += adjoint(inverse(body[i]) @ body[i - 1]).T @ F[i]
        return F


def places():
    """Normals and tangents of a cylinder's two ends, four places each, as wrenches: (16 x 6), (8 x 6)."""
    N, T = [], []
    for end in (-1, 1):
        for out in ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)):
            out, up = np.array(out, float), np.array([0, 0, 1.0])
            p = RADIUS * out + end * HEIGHT / 2 * up
            N += [np.r_[np.cross(p, d), d] for d in (-out, -end * up)]
            T += [np.r_[np.cross(p, np.cross(up, out)), np.cross(up, out)]]
    return np.array(N), np.array(T)


def boxed(H, b, most, x):
    """min 1/2 x'Hx - b'x, |x| <= most, by an active set: along what is free as far as the bounds let it; then the worst bound is left."""
    x = np.clip(x, -most, most)
    held = np.abs(x) >= most
    close = 1e-12 * np.abs(b).max()
    for _ in range(1000):
        free = ~held
        way = np.zeros(len(x))
        way[free] = np.linalg.lstsq(H[np.ix_(free, free)], (b - H @ x)[free], rcond=1e-13)[0]
        room = np.full(len(x), np.inf)
        ahead = free & (way != 0)
        room[ahead] = (np.sign(way) * most - x)[ahead] / way[ahead]
        first = np.argmin(room)
        if room[first] < 1:
            x += max(room[first], 0) * way
            x[first] = np.sign(way[first]) * most[first]
            held[first] = True
            continue
        x += way
        pull = np.where(held, -(b - H @ x) * np.sign(x), -np.inf)
        if not (pull > close).any():
            return x
        held[np.argmax(pull)] = False
    raise SystemExit("joint friction: no friction was found that its bounds let be")


class Step:
    """One step from (q, v), friction's wrenches on the bodies being kept from pass to pass."""

    def __init__(self, chain, q, v, regular=1e-6):
        self.chain, self.regular = chain, regular  # of the loads: the published number, or none: the least of them
        self.joint, self.body, self.J = chain.look(q)
        self.M, self.phi = chain.M, self.J @ v
        self.f = chain.forces(self.body, self.phi)
        self.bias = self.M * chain.drift(q, v)
        self.Mr = self.J.T @ (self.M[:, None] * self.J)
        self.tangents = np.vstack([chain.rows(self.joint, self.body, i, chain.T) for i in range(chain.n)])
        self.H = self.tangents / self.M @ self.tangents.T
        self.beta = np.zeros(len(self.H))

    def velocity(self, rubbing):
        momentum = self.J.T @ (self.M * self.phi + self.chain.h * (self.f + rubbing - self.bias))
        return np.linalg.solve(self.Mr, momentum)

    def joints(self, rubbing, v):
        """What the joints do to the bodies."""
        free = self.phi + self.chain.h * (self.f + rubbing) / self.M
        return self.M * (self.J @ v - free) / self.chain.h

    def most(self, forces):
        """The largest impulse along each tangent, by the places' normals."""
        chain, h, most = self.chain, self.chain.h, []
        F = chain.shared_out(self.body, forces)
        for i in range(chain.n):
            N, w = chain.rows(self.joint, self.body, i, chain.N), np.zeros(6 * chain.n)
            w[6 * i:6 * i + 6] = F[i]
            if i:
                w[6 * i - 6:6 * i] = -adjoint(inverse(self.body[i]) @ self.body[i - 1]).T @ F[i]
            root = np.sqrt(self.M)
            if self.regular:
                a = np.linalg.solve(N / self.M @ N.T + self.regular * np.eye(16), h * N @ (w / self.M))
            else:
                a = np.linalg.lstsq((N / root).T, h * w / root, rcond=1e-10)[0]
            most += list(chain.mu * (np.abs(a[0::2]) + np.abs(a[1::2])))
        return np.array(most)

    def rub(self, forces):
        """The friction that the joints' forces let be, as wrenches on the bodies."""
        h = self.chain.h
        push = self.tangents @ (self.phi + h * (self.f + forces) / self.M)
        self.beta = boxed(self.H, push, self.most(forces), self.beta)
        return -self.tangents.T @ self.beta / h


def published_step(chain, q, v, rubbing):
    step, before = Step(chain, q, v), None
    for _ in range(100):
        end = step.velocity(rubbing)
        forces = step.joints(rubbing, end)
        if before is not None:
            change = forces - before
            if change @ (change / step.M) < 1e-3 * (forces @ (forces / step.M)):
                break
        before = forces
        rubbing = step.rub(forces)
    end = end - chain.h * np.linalg.solve(step.Mr, step.J.T @ step.bias)
    return q + chain.h * end, end, rubbing


def check_published(oracle):
    chain = Chain(oracle)
    q, v, rubbing = np.zeros(chain.n), np.zeros(chain.n), np.zeros(6 * chain.n)
    size = np.max([np.abs(sample["q"]) for sample in oracle["samples"]], axis=0)
    wanted = {sample["step"]: np.array(sample["q"]) for sample in oracle["samples"]}
    far = 0
    for step in range(1, oracle["steps"] + 1):
        q, v, rubbing = published_step(chain, q, v, rubbing)
        if step in wanted:
            far = max(far, np.max(np.abs(q - wanted[step]) / size))
    print("joint friction: the published run, of its size within %.1e (%.0e)" % (far, PUBLISHED))
    return far <= PUBLISHED


def run(mbsim, oracle, folder):
    """The program's velocities after the first step, its own passes taken to their end."""
    rubbing = {"coefficient": oracle["extra"]["mu_internal"], "radius": RADIUS, "length": HEIGHT, "tolerance": 1e-12, "passes": 1000}
    bodies = []
    for i, link in enumerate(oracle["links"]):
        joint = {"type": "revolute", "axis": link["axis"], "in_body": {"position": [-5, 0, 0]}, "friction": rubbing,
                 "in_parent": {"position": [5, 0, 0]} if i else {"rotation": {"axis": [1, 0, 0], "angle": "=pi/4"}}}
        if i:
            joint["parent"] = link["parent"]
        bodies.append({"name": link["body"], "shape": {"type": "box", "size": link["sides"]}, "density": 1, "joint": joint})
    scene = {"description": "friction inside two hinges", "mbsim": 1, "gravity": oracle["gravity"], "solver": {"type": "redmax"},
             "integrator": "symplectic", "time": {"step": oracle["step"], "steps": 1}, "bodies": bodies,
             "output": {"channels": ["joint.velocity"]}}
    name = os.path.join(folder, "hinges")
    with open(name + ".json", "w") as file:
        json.dump(scene, file)
    subprocess.run([mbsim, "run", "--quiet", name + ".json", "-o", name + ".mbt"], check=True)
    table = subprocess.run([mbsim, "export", "--format", "csv", name + ".mbt", "-o", "-"], check=True, capture_output=True, text=True)
    last = list(csv.reader(table.stdout.splitlines()))[-1]
    return np.array([float(x) for x in last[1:]])


def check_own(mbsim, oracle, folder):
    """The program's answer has the first hinge slip and the second one stick. As friction of places: what slips is at its bound, and what
    sticks any that makes up the torque; that one pass leaves it as it is tells that it solves both problems."""
    chain, v = Chain(oracle), run(mbsim, oracle, folder)
    step = Step(chain, np.zeros(chain.n), np.zeros(chain.n), 0)
    torque = (step.Mr @ v) / chain.h - step.J.T @ step.f
    rubbing, most = np.zeros(6 * chain.n), np.ones(len(step.H))
    for _ in range(200):  # loads depend on how places share the torque, which they do by their loads
        share = np.zeros(len(step.H))
        for i in range(chain.n):
            mine = slice(8 * i, 8 * i + 8)
            share[mine] = torque[i] / RADIUS * most[mine] / np.sum(most[mine])
        rubbing = step.tangents.T @ share
        forces = step.joints(rubbing, v)
        most = step.most(forces)
    step.beta = -chain.h * share
    again = step.velocity(step.rub(forces))
    far = np.max(np.abs(again - v)) / np.max(np.abs(v))
    slips = torque[0] * chain.h / (RADIUS * most[:8].sum())
    print("joint friction: one more pass after the program's first step, %.1e of it (%.0e); the hinge that slips has %.9f of its bound"
          % (far, FIXED, slips))
    return far <= FIXED and abs(slips - 1) < 1e-9 and v[0] < -0.1 and abs(v[1]) < 1e-9


def main():
    mbsim, name, folder = sys.argv[1:]
    with open(name) as file:
        oracle = json.load(file)
    fine = [check_published(oracle), check_own(mbsim, oracle, folder)]
    sys.exit(0 if all(fine) else 1)


main()
