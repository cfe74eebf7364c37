import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { countFindings, printFindings, runDrill, say } from "./print-findings.ts";
import { runUpgrade } from "./upgrade.ts";

// `npm run drill:upgrade` runs an earlier commit under load, adds this version, which migrates, and stops the old one. Exits
// with 0 if nothing is lost, duplicated, unbalanced, or undelivered, and no answer is wrong.

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    folder: { type: "string" },
    seconds: { type: "string", default: "10" },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
  },
});
const [secondsEach, seed] = [Number(values.seconds), Number(values.seed)];
let checkout: string | undefined;
await runDrill(async () => {
  if (!(secondsEach > 0) || !Number.isInteger(seed)) throw new Error("--seconds and --seed must be numbers.");
  say("This needs Linux or macOS and the embedded PostgreSQL (npm ci). It starts its own processes on free ports of");
  say("127.0.0.1, in its own folders, and touches nothing else; their logs are in test-results/logs.");
  return drill(values.folder ? resolve(values.folder) : checkOut(values.from ?? chooseCommit()));
});
if (checkout) rmSync(checkout, { recursive: true, force: true });

async function drill(folder: string): Promise<boolean> {
  say(`Seed ${seed}, ${secondsEach} s each.`);
  const { acknowledged, migrations, phases, findings, endings } = await runUpgrade({ folder, seed, secondsEach, say });
  say(`Migrations between the two versions: ${migrations}.`);
  console.table(
    phases.map(({ phase, seconds, requests, deferred, unanswered, medianMs, longestMs, pauseMs }) => ({
      phase,
      seconds,
      requests,
      "503 or 409": deferred,
      "no answer": unanswered,
      "median ms": medianMs,
      "longest ms": longestMs,
      "longest without a booking ms": pauseMs,
    })),
  );
  console.table([
    {
      acknowledged,
      ...countFindings(findings, endings),
    },
  ]);
  return printFindings(findings, endings) && phases.every(({ requests }) => requests > 0);
}

/** The last commit with the previous schema, or the parent commit if that one needs other packages. */
function chooseCommit(): string {
  const newest = globSync("lib/service/storage/migrations/*.sql").sort().at(-1) ?? "";
  const added = git(["log", "-1", "--first-parent", "--diff-filter=A", "--format=%H", "--", newest]).trim();
  if (added && listOtherPackages(`${added}^`).length === 0) return `${added}^`;
  if (added) say(`Versions before ${newest} used different packages, so this starts at the commit before this one.`);
  return "HEAD~1";
}

/** Checks out a commit to a temporary folder, with the packages installed here. */
function checkOut(commit: string): string {
  const hash = git(["rev-parse", "--verify", `${commit}^{commit}`]).trim();
  say(`From ${git(["log", "-1", "--format=%h %s", hash]).trim()}`);
  const others = listOtherPackages(hash);
  if (others.length > 0) {
    throw new Error(
      `That commit uses different packages from those installed here (${others.slice(0, 5).join(", ")}). ` +
        `Check it out in its own folder (git worktree add --detach ../before ${hash}), run npm ci there, and name it: ` +
        "npm run drill:upgrade -- --folder ../before",
    );
  }
  checkout = mkdtempSync(join(tmpdir(), "gangway-upgrade-"));
  const archive = execFileSync("git", ["archive", hash], { maxBuffer: 1024 ** 3 });
  execFileSync("tar", ["-x", "-C", checkout], { input: archive });
  symlinkSync(resolve("node_modules"), join(checkout, "node_modules"));
  return checkout;
}

type Locked = { packages: Record<string, { version?: string; dev?: boolean }> };

/** Packages whose version differs from the one installed here. */
function listOtherPackages(commit: string): string[] {
  const lockFile = git(["show", `${commit}:package-lock.json`]);
  const [before, now] = [lockFile, readFileSync("package-lock.json", "utf8")].map((text) => JSON.parse(text) as Locked);
  return Object.entries(before?.packages ?? {})
    .filter(([path, { dev, version }]) => path !== "" && !dev && now?.packages[path]?.version !== version)
    .map(([path, { version }]) => `${path.replace(/^node_modules\//, "")} ${version}`);
}

function git(parameters: string[]): string {
  try {
    return execFileSync("git", parameters, { encoding: "utf8", stdio: "pipe", maxBuffer: 64 * 1024 * 1024 });
  } catch {
    throw new Error(`git ${parameters.join(" ")} failed: the drill needs the history of this repository.`);
  }
}
