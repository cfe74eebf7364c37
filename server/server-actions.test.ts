import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readServerActions } from "./server-actions.ts";

const folder = mkdtempSync(join(tmpdir(), "gangway-build-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// As `next build` writes them.
mkdirSync(join(folder, "server"));
writeFileSync(
  join(folder, "server/server-reference-manifest.json"),
  JSON.stringify({
    node: {
      signOut: { workers: { "app/(partner)/page": {}, "app/(partner)/routines/[id]/page": {} } },
      pay: { workers: { "app/(partner)/routines/new/page": {} } },
      verify: { workers: { "app/(service)/login/oauth/authorize/[visit]/page": {} } },
    },
  }),
);
writeFileSync(
  join(folder, "app-path-routes-manifest.json"),
  JSON.stringify({
    "/(partner)/page": "/",
    "/(partner)/routines/[id]/page": "/routines/[id]",
    "/(partner)/routines/new/page": "/routines/new",
    "/(partner)/api/sandbox/messages/route": "/api/sandbox/messages",
    "/(service)/login/oauth/authorize/[visit]/page": "/login/oauth/authorize/[visit]",
    "/(service)/login/oauth/authorize/[visit]/document/route": "/login/oauth/authorize/[visit]/document",
  }),
);
const actionsOf = readServerActions(folder);

test.each([
  ["/", ["signOut"]],
  ["/routines/0198c0de", ["signOut"]],
  ["/routines/new", ["pay"]],
  ["/routines/%6eew", ["pay"]],
  ["/login/oauth/authorize/0198c0de", ["verify"]],
  ["/login/oauth/authorize/0198c0de/document", []],
  ["/login/oauth/authorize/", []],
  ["/login/oauth/authorize", []],
  ["/routines/new/", []],
  ["/api/sandbox/messages", []],
  ["/elsewhere", []],
])("the page at %s has the actions %j, according to the build", (path, ids) => {
  expect([...actionsOf(path)]).toEqual(ids);
});

test("a folder without a build is refused, because the gateway would allow every action", () => {
  expect(() => readServerActions(join(folder, "server"))).toThrow();
});
