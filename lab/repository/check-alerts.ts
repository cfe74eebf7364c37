import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { canInstallFromDebian, installFromDebian } from "../../scripts/debian-packages.ts";

// `npm run alerts` checks the alert rules and fires each once with Prometheus' own tool, which isn't available from npm, then
// runs five incidents (lab/monitoring). `ALERTS_REPORT` names a file for their results.

const folder = "docs/monitoring";

if (!hasPromtool() && canInstallFromDebian()) installFromDebian(["prometheus"]);
if (!hasPromtool()) {
  process.stderr.write("This needs promtool, which comes with Prometheus (Debian: apt-get install prometheus).\n");
  process.exit(2);
}
for (const words of [
  ["check", "rules", "alerts.yaml"],
  ["test", "rules", "alerts.test.yaml"],
]) {
  const { status } = spawnSync("promtool", words, { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
const report = process.env["ALERTS_REPORT"];
const reporters = report ? ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`] : [];
const incidents = spawn("vitest", ["run", "--project", "alerts", ...reporters], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => incidents.kill());
const [code] = (await once(incidents, "exit")) as [number | null];
process.exit(code ?? 1);

function hasPromtool(): boolean {
  return !spawnSync("promtool", ["--version"]).error;
}
