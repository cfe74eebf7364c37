import { spawnSync } from "node:child_process";

// `npm run alerts` checks the alert rules and fires each once with Prometheus' own tool, which isn't available from npm.

const folder = "docs/monitoring";

if (spawnSync("promtool", ["--version"]).error) {
  process.stderr.write("This needs promtool, which comes with Prometheus (Debian: the package prometheus).\n");
  process.exit(2);
}
for (const words of [
  ["check", "rules", "alerts.yaml"],
  ["test", "rules", "alerts.test.yaml"],
]) {
  const { status } = spawnSync("promtool", words, { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
