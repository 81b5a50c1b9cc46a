// Every function by keyboard.

const AXES = { 1: "+x", 2: "-x", 3: "+y", 4: "-y", 5: "+z", 6: "-z" };

export function bindKeys(app) {
  const { player } = app;
  const keys = {
    " ": () => player.toggle(),
    ArrowLeft: () => player.step(-1),
    ArrowRight: () => player.step(1),
    Home: () => player.seek(player.start),
    End: () => player.seek(player.end),
    "[": () => player.changeSpeed(-1),
    "]": () => player.changeSpeed(1),
    l: () => {
      player.loop = !player.loop;
      document.getElementById("loop").checked = player.loop;
    },
    f: () => app.view("fit"),
    p: () => app.view("projection"),
    s: () => app.view("side"),
    d: () => app.view("difference"),
    e: () => app.ask("energy"),
    m: () => app.ask("momentum"),
    c: () => document.getElementById("find").focus(),
    b: () => app.chooseNext(),
    o: () => app.follow(),
    t: () => app.trace(),
    n: () => app.toggleMark("names"),
    x: () => app.toggleMark("frames"),
    g: () => app.toggleMark("centres"),
    j: () => app.toggleMark("joints"),
    a: () => app.toggleMark("forces"),
    ",": () => app.stretchForces(0.5),
    ".": () => app.stretchForces(2),
    v: () => app.toggleMark("strain"),
    i: () => app.togglePanel(),
    Escape: () => app.choose(null),
  };
  for (const [key, axis] of Object.entries(AXES)) keys[key] = () => app.view(axis);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches?.("input[type=search], select");
    const onButton = event.key === " " && event.target.matches?.("button, input");
    if (typing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const act = keys[event.key];
    if (!act || onButton) return;
    event.preventDefault();
    act();
  });
}
