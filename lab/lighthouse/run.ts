import { chromium } from "@playwright/test";
import { freePort } from "../../scripts/embedded-postgres.ts";
import { ensureBuild } from "../../scripts/ensure-build.ts";
import { findBrowser } from "../../scripts/find-browser.ts";
import { startTestCluster } from "../../scripts/test-cluster.ts";
import { startStack } from "../../scripts/test-stack.ts";
import { installApart } from "../install-apart.ts";
import type { Judgement } from "./judge.ts";

// `npm run lighthouse` tests the public pages on the production build. Don't run anything else at the same time.

const pagesOfHarbor = ["/", "/sign-up", "/sign-in"];
const pagesOfPlainbook = ["/", "/docs", "/status"];

installApart(import.meta.dirname, "Lighthouse", say);
// Imported late, because it needs the package installed above.
const { judge, largestPaintMsMax } = await import("./judge.ts");
await ensureBuild(".next-test", say);
const cluster = await startTestCluster("lighthouse");
const stack = await startStack({ postgresUrl: cluster.url("postgres"), apart: false });
const port = await freePort();
const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const args = [`--remote-debugging-port=${port}`, ...asRoot];
const browser = await chromium.launch({ executablePath: findBrowser(say), args });
let isGood = true;
try {
  const pages = [
    ...pagesOfHarbor.map((path) => ({ name: `Harbor ${path}`, address: stack.partnerUrl + path })),
    ...pagesOfPlainbook.map((path) => ({ name: `Plainbook ${path}`, address: stack.serviceUrl + path })),
  ];
  for (const { name, address } of pages) {
    const { scores, largestPaintMs, failures } = await judgeMedian(address);
    const named = scores.map(({ title, score }) => `${title} ${score}`);
    say(`${name}: ${named.join(", ")}, largest paint after ${(largestPaintMs / 1000).toFixed(2)} s`);
    for (const failure of failures) say(`  ${failure}`);
    isGood &&= scores.every(({ score, goal }) => score >= goal) && largestPaintMs <= largestPaintMsMax;
  }
} finally {
  await browser.close();
  await stack.stop();
  cluster.stop();
}
if (!isGood) process.exitCode = 1;

/** The median of three visits by largest paint, after a request that warms up the server. */
async function judgeMedian(address: string): Promise<Judgement> {
  await fetch(address);
  const first = await judge(address, port);
  const others = [await judge(address, port), await judge(address, port)];
  const [, median = first] = [first, ...others].sort((a, b) => a.largestPaintMs - b.largestPaintMs);
  return median;
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
