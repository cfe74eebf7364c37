import { chromium } from "@playwright/test";
import { freePort } from "../scripts/embedded-postgres.ts";
import { ensureBuild } from "../scripts/ensure-build.ts";
import { findBrowser } from "../scripts/find-browser.ts";
import { installApart } from "../scripts/install-apart.ts";
import { startTestCluster } from "../scripts/test-cluster.ts";
import { startStack } from "../scripts/test-stack.ts";
import { judge } from "./judge.ts";

// Lighthouse on the pages that anybody can open, on the production build: `npm run lighthouse`, with nothing else running.

const paths = ["/", "/sign-up", "/sign-in"];

installApart(import.meta.dirname, "Lighthouse", say);
await ensureBuild(".next-test", say);
const cluster = await startTestCluster("lighthouse");
const stack = await startStack({ postgresUrl: cluster.url("postgres"), apart: false });
const port = await freePort();
const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const args = [`--remote-debugging-port=${port}`, ...asRoot];
const browser = await chromium.launch({ executablePath: findBrowser(say), args });
let isGood = true;
try {
  for (const path of paths) {
    const { scores, failures } = await judge(stack.partnerUrl + path, port);
    say(`${path}: ${scores.map(({ title, score }) => `${title} ${score}`).join(", ")}`);
    for (const failure of failures) say(`  ${failure}`);
    isGood &&= scores.every(({ score, goal }) => score >= goal);
  }
} finally {
  await browser.close();
  await stack.stop();
  cluster.stop();
}
if (!isGood) process.exitCode = 1;

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
