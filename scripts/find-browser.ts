import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";
import { canInstallFromDebian, installFromDebian } from "./debian-packages.ts";

// The headless shell is the same engine without windows: it opens a page in a third of the time.
const installedNames = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];
const installedPaths = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];
// The first that exists: older releases have no separate shell.
const debianPackages = ["chromium-headless-shell", "chromium"];

/**
 * The path of a Chromium or Chrome to test with: an installed one, else Playwright's own, else Debian's, installed now if we
 * are root. Says what it does; throws a one-sentence error if it finds no browser.
 */
export function findBrowser(say: (sentence: string) => void): string {
  const installed = findInstalled();
  if (installed) return installed;
  if (existsSync(chromium.executablePath())) return chromium.executablePath();
  if (canInstallFromDebian()) {
    say("No Chromium found: installing Debian's with apt-get");
    installFromDebian(debianPackages);
    const debian = findInstalled();
    if (debian) return debian;
  }
  throw new Error("The journeys need a browser: install Chromium or Chrome, or run npx playwright install chromium.");
}

function findInstalled(): string | undefined {
  for (const name of installedNames) {
    const { status, stdout } = spawnSync("which", [name], { encoding: "utf8" });
    if (status === 0) return stdout.trim();
  }
  return installedPaths.find((path) => existsSync(path));
}
