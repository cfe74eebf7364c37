import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createDoor } from "./door.ts";
import type { House } from "./house-paths.ts";

let server: Server | undefined;
afterEach(() => server?.close());

describe("a door", () => {
  test("421: another host is turned away before anything of the house sees the request", async () => {
    const { ask, seen } = await openDoor("service");
    const answer = await ask("/v1/user", { host: "rebound.example" });
    expect(answer.status).toBe(421);
    expect(seen).toEqual([]);
  });

  test("404: a path of the other house is answered without Next or the API running it, person or program", async () => {
    const { ask, seen } = await openDoor("partner");
    expect((await ask("/login/oauth/authorize")).status).toBe(404);
    expect((await ask("/v1/user", { accept: "application/json" })).status).toBe(404);
    expect((await ask("/login/oauth/authorize", { accept: "text/html" }, "POST")).status).toBe(404);
    expect(seen).toEqual([]);

    await ask("/login/oauth/authorize", { accept: "text/html" });
    expect(seen.map(({ url }) => url)).toEqual(["/nowhere"]);
  });

  test("drops what only a proxy or the door itself may say, and says it itself", async () => {
    const { ask, seen } = await openDoor("partner");
    await ask("/dashboard", {
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-host": "evil.example",
      forwarded: "for=203.0.113.7",
      "x-gangway-house": "service",
      "x-gangway-client-address": "203.0.113.7",
      "x-middleware-subrequest": "middleware:middleware:middleware",
      "content-security-policy": "script-src 'nonce-guessed'",
    });
    const headers = seen[0]?.headers ?? {};
    expect(headers["x-gangway-house"]).toBe("partner");
    expect(headers["x-gangway-client-address"]).toBe("127.0.0.1");
    expect(headers["content-security-policy"]).not.toContain("guessed");
    for (const name of ["x-forwarded-for", "x-forwarded-host", "forwarded", "x-middleware-subrequest"]) {
      expect(headers[name], name).toBeUndefined();
    }
  });

  test("503: a page whose policy cannot be read is answered at once and not left hanging", async () => {
    const { ask, seen, state } = await openDoor("service");
    state.isReady = false;
    expect((await ask("/login/oauth/authorize/1")).status).toBe(503);
    expect(seen).toEqual([]);
  });

  test("a page with forms keeps its origin as referrer, a redirect and a refusal tell nothing", async () => {
    const { ask } = await openDoor("service");
    expect((await ask("/login/oauth/authorize/1")).headers["referrer-policy"]).toBe("same-origin");
    expect((await ask("/login/oauth/authorize?session_token=1")).headers["referrer-policy"]).toBe("no-referrer");
  });

  test("gives every page view a nonce of its own, the same in both directions, and no frame", async () => {
    const { ask, seen } = await openDoor("service");
    const [first, second] = [await ask("/login/oauth/authorize"), await ask("/login/oauth/authorize")];
    const policy = String(first.headers["content-security-policy"]);
    expect(policy).toBe(seen[0]?.headers["content-security-policy"]);
    expect(policy).not.toBe(second.headers["content-security-policy"]);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain("form-action 'self' http://localhost:3000;");
  });
});

describe.each(["partner", "service"] as const)("the %s door's health", (house) => {
  test("200: alive whatever the database does; ready only with it", async () => {
    const { ask, seen, state } = await openDoor(house);
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask("/readyz")).status).toBe(200);
    state.isReady = false;
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask("/readyz")).status).toBe(503);
    expect(seen).toEqual([]);
  });

  test("503: not ready while it stops, and every answer closes its connection", async () => {
    const { ask, state } = await openDoor(house);
    state.isOpen = false;
    const answer = await ask("/readyz");
    expect(answer).toMatchObject({ status: 503, headers: { connection: "close" } });
    expect((await ask("/healthz")).status).toBe(200);
  });
});

async function openDoor(house: House) {
  const state = { isOpen: true, isReady: true };
  const seen: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
  const listening = createServer();
  server = listening;
  await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done));
  const { port } = listening.address() as AddressInfo;
  const door = createDoor({
    house,
    origin: `http://127.0.0.1:${port}`,
    isDevelopment: false,
    isOpen: () => state.isOpen,
    isReady: async () => state.isReady,
    pages: ({ url, headers }, response) => {
      seen.push({ url, headers });
      response.statusCode = url?.includes("session_token") ? 303 : 200;
      response.end("a page");
    },
    findFormTargets: async () => {
      if (!state.isReady) throw new Error("the database is away");
      return ["http://localhost:3000"];
    },
  });
  listening.on("request", door);

  function ask(path: string, headers: Record<string, string> = {}, method = "GET") {
    return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders }>((resolve, reject) => {
      const asked = request({ port, host: "127.0.0.1", path, method, headers }, (answer) => {
        answer.resume().once("end", () => resolve({ status: answer.statusCode, headers: answer.headers }));
      });
      asked.once("error", reject).end();
    });
  }
  return { ask, seen, state };
}
