import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { memoize } from "../lib/kit/memoize.ts";
import type { App } from "./app-paths.ts";

const icons: Record<App, () => Buffer> = {
  partner: memoize(() => readIcon("partner")),
  service: memoize(() => readIcon("service")),
};

/** Answers `/favicon.ico`, for which browsers ask on every page that names no icon: one that is no page at all included. */
export function answerIcon(response: ServerResponse, app: App): void {
  response.writeHead(200, {
    "content-type": "image/svg+xml",
    "cache-control": "public, max-age=86400",
    "x-content-type-options": "nosniff",
  });
  response.end(icons[app]());
}

function readIcon(app: App): Buffer {
  return readFileSync(new URL(`../public/${app}/icon.svg`, import.meta.url));
}
