import type { Profiler } from "node:inspector";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

export type CpuProfile = Profiler.Profile;

/** Shares between 0 and 1, by name. */
export type Costs = ReadonlyMap<string, number>;

export type ProfileSummary = {
  /** Of the total time. The other shares are of the busy time. */
  idleShare: number;
  /** Self time by npm package, Node module, or project folder. */
  groups: Costs;
  functions: Costs;
  /** By project function, including its synchronous calls. */
  ours: Costs;
};

export function summarizeProfile({ nodes, samples = [], timeDeltas = [] }: CpuProfile): ProfileSummary {
  const selfTimes = new Map<number, number>();
  samples.forEach((id, index) => {
    addTo(selfTimes, id, timeDeltas[index] ?? 0);
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parentOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const [groups, functions, ours] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  let [total, idle] = [0, 0];
  for (const [id, time] of selfTimes) {
    const node = byId.get(id);
    // Ignore the recorder's own cost.
    if (!node || node.callFrame.url === "node:inspector") continue;
    total += time;
    if (node.callFrame.functionName === "(idle)") {
      idle += time;
      continue;
    }
    const index = placeOf(node.callFrame);
    addTo(groups, groupOf(index), time);
    addTo(functions, nameOf(node.callFrame), time);
    for (const name of oursAbove(id)) addTo(ours, name, time);
  }
  const busy = total - idle;
  return {
    idleShare: idle / total,
    groups: sharesOf(groups, busy),
    functions: sharesOf(functions, busy),
    ours: sharesOf(ours, busy),
  };

  // Count each function once per stack.
  function oursAbove(id: number): ReadonlySet<string> {
    const names = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parentOf.get(at)) {
      const frame = byId.get(at)?.callFrame;
      if (frame && /^(?:lib|server)\//.test(placeOf(frame))) names.add(nameOf(frame));
    }
    return names;
  }
}

export function topCosts(costs: Costs, count: number): { name: string; share: number }[] {
  const sorted = [...costs].sort(([, left], [, right]) => right - left);
  return sorted.slice(0, count).map(([name, share]) => ({ name, share }));
}

function nameOf(frame: Profiler.Profile["nodes"][number]["callFrame"]): string {
  const index = placeOf(frame);
  const name = frame.functionName || "(anonymous)";
  return index === "" ? name : `${name}  ${index}:${frame.lineNumber + 1}`;
}

// Project files from the root, package files from the package name, anything else as is.
function placeOf({ url }: { url: string }): string {
  if (!url.startsWith("file:")) return url;
  const path = relative(process.cwd(), fileURLToPath(url)).replaceAll("\\", "/");
  return /node_modules\/(?!.*node_modules\/)(.*)$/.exec(path)?.[1]?.replace(/^/, "npm:") ?? path;
}

function groupOf(index: string): string {
  if (index === "") return "V8 and native code";
  if (index.startsWith("npm:")) return /^npm:(@[^/]+\/[^/]+|[^/]+)/.exec(index)?.[1] ?? index;
  if (index.startsWith("node:")) return index.replace(/^(node:internal\/[^/]+).*/, "$1");
  return index.split("/").slice(0, -1).join("/");
}

function sharesOf(times: ReadonlyMap<string, number>, whole: number): Costs {
  return new Map([...times].map(([name, time]) => [name, time / whole]));
}

function addTo<Key>(times: Map<Key, number>, key: Key, time: number): void {
  times.set(key, (times.get(key) ?? 0) + time);
}
