import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { limits } from "../lib/contract/limits.ts";
import { parseAddressesAndNetworks } from "../lib/kit/networks.ts";
import { readRequestMeters } from "../lib/kit/request-meter.ts";
import { logToFile } from "../lib/kit/testing/log-file.ts";
import { createGateway, type GatewayOptions } from "./gateway.ts";
import type { App } from "./roles.ts";

const readLog = logToFile();

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe("a gateway", () => {
  test("421: another host is refused before the app sees the request, which is logged without its path", async () => {
    const { call, seen } = await openGateway("service");
    const answer = await call("/v1/user", { host: "rebound.example" });
    expect(answer.status).toBe(421);
    expect(seen).toEqual([]);
    const line = readLog().at(-1);
    expect(line).toMatchObject({ method: "GET", status: 421, clientAddress: "127.0.0.1" });
    expect(JSON.stringify(line)).not.toContain("/v1/user");
  });

  describe("under another name of the API (Decision D1)", () => {
    const otherHosts = ["localhost", "host.docker.internal", "[::1]"];
    const open = () => openGateway("service", { hasApi: true, otherHosts });

    test.each(["localhost:4711", "HOST.docker.internal:4000", "localhost", "[::1]:4000"])(
      "200: a program's call to %s, which the API sees at the base address",
      async (name) => {
        const { call, apiHosts, host } = await open();
        expect((await call("/v1/user_intent", { host: name }, "POST")).status).toBe(200);
        expect((await call("/sandbox/clock", { host: name })).status).toBe(200);
        expect((await call("/readyz", { host: name })).status).toBe(200);
        expect(apiHosts).toEqual([host, host]);
      },
    );

    test("307: a browser is redirected to the base address, and gets no page, cookie or asset", async () => {
      const { call, seen, apiSaw, host } = await open();
      const paths = [
        "/login/oauth/authorize?state=1",
        "/console",
        "/_next/static/a.js",
        "/favicon.ico",
        "//evil.example/",
      ];
      for (const path of [...paths, "/", "/docs"]) {
        const answer = await call(path, { host: "localhost:4000", accept: "text/html,*/*" });
        expect(answer, path).toMatchObject({ status: 307, headers: { location: `http://${host}${path}` } });
      }
      expect([seen, apiSaw]).toEqual([[], []]);
    });

    test("421: a form or a script's write, whose page may have rebound the name", async () => {
      const { call, seen, apiSaw, host } = await open();
      const name = { host: "host.docker.internal:4000" };
      for (const origin of ["http://host.docker.internal:4000", `http://${host}`, "null"]) {
        for (const path of ["/v1/user_intent", "/sandbox/clock/reset", "/login/oauth/authorize/1"]) {
          expect((await call(path, { ...name, origin }, "POST")).status).toBe(421);
        }
      }
      expect((await call("/login/oauth/authorize/1", name, "POST")).status).toBe(421);
      expect([seen, apiSaw]).toEqual([[], []]);
    });

    test.each([
      "rebound.example:4000",
      "localhost.rebound.example",
      "evil@localhost",
      "localhost:4000@evil.example",
      "localhost:x",
      "localhost.",
      "127.0.0.2:4000",
      "",
    ])("421: %s isn't an allowed name", async (name) => {
      const { send, apiSaw, host } = await open();
      expect(await send(`GET /v1/user HTTP/1.1\r\nhost: ${name}\r\n`)).toMatch(/ 4(?:00|21) /);
      expect(await send(`GET http://${name}/v1/user HTTP/1.1\r\nhost: ${host}\r\n`)).toMatch(/ 4(?:00|04|21) /);
      expect(apiSaw.filter((url) => url !== "/nowhere")).toEqual([]);
    });

    test("421: without the setting, no other name is allowed", async () => {
      const { call } = await openGateway("service", { hasApi: true });
      expect((await call("/v1/user", { host: "localhost" })).status).toBe(421);
    });
  });

  test("404: a path of the other app reaches neither Next nor the API", async () => {
    const { call, seen } = await openGateway("partner");
    expect((await call("/login/oauth/authorize")).status).toBe(404);
    expect((await call("/v1/user", { accept: "application/json" })).status).toBe(404);
    expect((await call("/login/oauth/authorize", { accept: "text/html" }, "POST")).status).toBe(404);
    expect(seen).toEqual([]);

    await call("/login/oauth/authorize", { accept: "text/html" });
    expect(seen.map(({ url }) => url)).toEqual(["/nowhere"]);
  });

  test("passes a page its own URL, which sign-in returns to", async () => {
    const { call, seen } = await openGateway("partner");
    await call("/dashboard/payments?page=2", { "x-gangway-target": "/elsewhere" });
    expect(seen[0]?.headers["x-gangway-target"]).toBe("/dashboard/payments?page=2");
  });

  test("replaces headers that only a proxy or the gateway may set", async () => {
    const { call, seen } = await openGateway("partner");
    await call("/dashboard", {
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-host": "evil.example",
      forwarded: "for=203.0.113.7",
      "x-gangway-app": "service",
      "x-gangway-client-address": "203.0.113.7",
      "x-middleware-subrequest": "middleware:middleware:middleware",
      "content-security-policy": "script-src 'nonce-guessed'",
    });
    const headers = seen[0]?.headers ?? {};
    expect(headers["x-gangway-app"]).toBe("partner");
    expect(headers["x-gangway-client-address"]).toBe("127.0.0.1");
    expect(headers["content-security-policy"]).not.toContain("guessed");
    const raw = seen[0]?.rawHeaders.map((text) => text.toLowerCase()) ?? [];
    for (const name of ["x-forwarded-for", "x-forwarded-host", "forwarded", "x-middleware-subrequest"]) {
      expect(headers[name], name).toBeUndefined();
      expect(raw, name).not.toContain(name);
    }
    // Hono reads this list for all headers.
    expect(raw).not.toContain("203.0.113.7");
    expect(raw[raw.indexOf("x-gangway-client-address") + 1]).toBe("127.0.0.1");
  });

  describe("403: another site's page can't change a sandbox, even with credentials", () => {
    test.each([
      ["a form", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
      ["a form of another port, whose origin is hidden", { "sec-fetch-site": "same-site" }],
      ["a sandboxed frame", { "sec-fetch-site": "cross-site", origin: "null" }],
      ["an older browser", { origin: "https://evil.example" }],
    ])("%s", async (_name, headers: Record<string, string>) => {
      const { call, apiSaw } = await openGateway("service", { hasApi: true });
      for (const method of ["POST", "PUT", "DELETE"]) {
        expect((await call("/sandbox/clock/reset", headers, method)).status, method).toBe(403);
      }
      expect(apiSaw).toEqual([]);
      expect((await call("/sandbox/clock", headers)).status).toBe(200);
      expect((await call("/v1/routines/book", headers, "POST")).status).toBe(200);
    });
  });

  test("programs and the service's own pages can change a sandbox", async () => {
    const { call, apiSaw, host } = await openGateway("service", { hasApi: true });
    const sameOrigin = { "sec-fetch-site": "same-origin", origin: `http://${host}` };
    for (const headers of [{}, sameOrigin]) {
      expect((await call("/sandbox/clock/reset", headers, "POST")).status).toBe(200);
    }
    expect(apiSaw).toHaveLength(2);
  });

  test("503: a page whose form targets can't be read gets an immediate response", async () => {
    const { call, seen, state } = await openGateway("service");
    state.isReady = false;
    expect((await call("/login/oauth/authorize/1")).status).toBe(503);
    expect(seen).toEqual([]);
  });

  test("a page sends its origin as referrer, a redirect and a refusal send none", async () => {
    const { call } = await openGateway("service");
    expect((await call("/login/oauth/authorize/1")).headers["referrer-policy"]).toBe("same-origin");
    expect((await call("/login/oauth/authorize?session_token=1")).headers["referrer-policy"]).toBe("no-referrer");
  });

  test("gives every page view its own nonce, the same in both directions, and forbids frames", async () => {
    const { call, seen } = await openGateway("service");
    const [first, second] = [await call("/login/oauth/authorize"), await call("/login/oauth/authorize")];
    const policy = String(first.headers["content-security-policy"]);
    expect(policy).toBe(seen[0]?.headers["content-security-policy"]);
    expect(policy).not.toBe(second.headers["content-security-policy"]);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain("form-action 'self' http://localhost:3000;");
  });
});

test("503: a browser gets a page that reloads itself; a program gets a sentence", async () => {
  const { call, send, host, state } = await openGateway("service");
  state.isReady = false;
  const lines = `GET /login/oauth/authorize/1 HTTP/1.1\r\nhost: ${host}\r\naccept: text/html\r\n`;
  const page = await send(lines);
  expect(page).toMatch(/ 503 .*refresh: 5\r\n.*<title>One moment · Plainbook</s);
  expect(/style-src 'nonce-([^']+)'/.exec(page)?.[1]).toBe(/<style nonce="([^"]+)"/.exec(page)?.[1]);
  const { headers } = await call("/login/oauth/authorize/1");
  expect([headers["content-type"], headers["refresh"]]).toEqual(["text/plain; charset=utf-8", undefined]);
});

test("303: browsers that request a page of the API at the authorization pages' address are redirected to the API's", async () => {
  const { call } = await openGateway("service", { apiUrl: "http://127.0.0.1:4000" });
  const person = { accept: "text/html" };
  expect(await call("/?a=1", person)).toMatchObject({
    status: 303,
    headers: { location: "http://127.0.0.1:4000/?a=1" },
  });
  expect((await call("/", {})).status).toBe(404);
  expect((await call("//evil.example/", person)).status).not.toBe(303);
  expect((await call("/dashboard", person)).status).not.toBe(303);
});

describe.each(["partner", "service"] as const)("the %s gateway's health", (app) => {
  test("200: alive with or without the database; ready only with it", async () => {
    const { call, seen, state } = await openGateway(app);
    expect((await call("/healthz")).status).toBe(200);
    expect((await call("/readyz")).status).toBe(200);
    state.isReady = false;
    expect((await call("/healthz")).status).toBe(200);
    expect((await call("/readyz")).status).toBe(503);
    expect(seen).toEqual([]);
  });

  test("503: not ready while it stops", async () => {
    const { call, state } = await openGateway(app);
    state.isOpen = false;
    const answer = await call("/readyz");
    expect(answer.status).toBe(503);
    expect((await call("/healthz")).status).toBe(200);
  });
});

test.each(["partner", "service"] as const)("200: the %s gateway serves its app's icon itself", async (app) => {
  const { send, seen, host } = await openGateway(app);
  const answer = await send(`GET /favicon.ico HTTP/1.1\r\nhost: ${host}\r\n`);
  expect(answer).toMatch(/ 200 .*content-type: image\/svg\+xml/s);
  expect(answer).toContain(readFileSync(`public/${app}/icon.svg`, "utf8"));
  expect(seen).toEqual([]);
});

describe("a request with an absolute URL as target (RFC 9112)", () => {
  test("passes the same checks of host and path as any other", async () => {
    const { send, seen, host } = await openGateway("partner");
    expect(await send(`GET http://${host}/dashboard?a=1 HTTP/1.1\r\nhost: ${host}\r\n`)).toMatch(/ 200 /);
    expect(seen.map(({ url }) => url)).toEqual(["/dashboard?a=1"]);
    expect(await send(`GET http://${host}/login/oauth/authorize HTTP/1.1\r\nhost: ${host}\r\n`)).toMatch(/ 404 /);
    expect(await send(`GET http://${host}/dashboard/../login HTTP/1.1\r\nhost: ${host}\r\n`)).toMatch(/ 404 /);
    expect(await send(`GET http://evil.example/dashboard HTTP/1.1\r\nhost: ${host}\r\n`)).toMatch(/ 421 /);
    expect(await send(`GET http://evil@${host}/dashboard HTTP/1.1\r\nhost: ${host}\r\n`)).toMatch(/ 421 /);
    expect(await send(`GET http://${host}/dashboard HTTP/1.1\r\nhost: evil.example\r\n`)).toMatch(/ 421 /);
    expect(seen).toHaveLength(1);
  });

  test("404: does not bypass the path check of the API either", async () => {
    const { send, apiSaw, host } = await openGateway("service", { hasApi: true });
    for (const path of ["/v1/user", `http://${host}/v1/user`]) {
      await send(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n`);
    }
    for (const path of [
      `http://${host}/x/../v1/user`,
      "/x/../v1/user",
      "//v1/user",
      "*",
      "v1/user",
      "/x#/../v1/user",
    ]) {
      await send(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n`);
    }
    expect(apiSaw.slice(0, 2)).toEqual(["/v1/user", "/v1/user"]);
    expect(new Set(apiSaw.slice(2))).toEqual(new Set(["/nowhere"]));
  });

  test("421: two Host headers, because another program might use the other one", async () => {
    const { send, seen, host } = await openGateway("partner");
    expect(await send(`GET /dashboard HTTP/1.1\r\nhost: ${host}\r\nhost: evil.example\r\n`)).toMatch(/ 4\d\d /);
    expect(seen).toEqual([]);
  });
});

describe("a body for a page or one of its routes", () => {
  const form = "content-type: application/x-www-form-urlencoded";

  test.each(["/api/sandbox/messages", "/webhooks", "/sign-in", "/"])("413: %s reads at most 64 KiB", async (path) => {
    const { send, seen, host } = await openGateway("partner");
    const head = (length: string) => `POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${form}\r\n${length}\r\n`;
    const largest = "x".repeat(limits.requestBytesMax);
    expect(await send(head(`content-length: ${largest.length}`), largest)).toMatch(/ 200 /);
    expect(seen[0]?.body.toString()).toBe(largest);
    expect(await send(head(`content-length: ${largest.length + 1}`), `${largest}x`)).toMatch(/ 413 /);
    expect(seen).toHaveLength(1);
  });

  test("413: an endless chunked body is cut off with a response", async () => {
    const { send, seen, host } = await openGateway("partner");
    const chunk = `${(16_384).toString(16)}\r\n${"x".repeat(16_384)}\r\n`;
    const head = `POST /sign-in HTTP/1.1\r\nhost: ${host}\r\n${form}\r\ntransfer-encoding: chunked\r\n`;
    expect(await send(head, chunk.repeat(400))).toMatch(/ 413 .*The body of a request can have at most 64 KiB\.\n$/s);
    expect(await send(head, `${chunk}0\r\n\r\n`)).toMatch(/ 200 /);
    expect(seen.map(({ body }) => body.length)).toEqual([16_384]);
  });

  test("413: a content-length of 260 MB is refused unread", async () => {
    const { send, seen, host } = await openGateway("partner");
    const head = `POST /api/sandbox/messages HTTP/1.1\r\nhost: ${host}\r\n${form}\r\ncontent-length: 260000000\r\n`;
    expect(await send(head)).toMatch(/ 413 /);
    expect(seen).toEqual([]);
  });

  test("the photo form may be as large as a photo; a larger one, or one of unknown size, is not read", async () => {
    const { send, seen, host } = await openGateway("service");
    const path = "/login/oauth/authorize/0198c0de-0000-7000-8000-000000000000/document";
    const head = (length: string) =>
      `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: multipart/form-data; boundary=x\r\n${length}\r\n`;
    const largest = "x".repeat(limits.photoIdFormBytesMax);
    expect(await send(head(`content-length: ${largest.length}`), largest)).toMatch(/ 200 /);
    expect(await send(head(`content-length: ${largest.length + 1}`), `${largest}x`)).toMatch(/ 200 /);
    expect(await send(head("transfer-encoding: chunked"), "1\r\nx\r\n0\r\n\r\n")).toMatch(/ 200 /);
    expect(seen.map(({ body }) => body.length)).toEqual([largest.length, 0, 0]);
  });

  test("405: methods other than GET, HEAD and POST", async () => {
    const { call, seen } = await openGateway("partner");
    expect(await call("/dashboard", {}, "PUT")).toMatchObject({ status: 405, headers: { allow: "GET, HEAD, POST" } });
    expect(seen).toEqual([]);
  });
});

describe("a server action", () => {
  const held = "40244be59cba090591ee3b57c031d76ff621d57bc5";
  const foreign = "602d41ecc213fc4039b03829a7a1bb05457429f8aa";
  const open = () =>
    openGateway("service", { actionsOf: (path) => new Set(path === "/login/oauth/authorize/1" ? [held] : []) });

  test("404: an id of another page, or a path without a page, never reaches Next", async () => {
    const { call, seen } = await open();
    const visit = "/login/oauth/authorize/1";
    expect((await call(visit, { "next-action": held }, "POST")).status).toBe(200);
    const refused = await call(visit, { "next-action": foreign }, "POST");
    expect(refused).toMatchObject({ status: 404, headers: { "x-nextjs-action-not-found": "1" } });
    expect((await call("/login/oauth/authorize/1/document", { "next-action": held }, "POST")).status).toBe(404);
    expect((await call("/login/elsewhere", { "next-action": held }, "POST")).status).toBe(404);
    expect(seen).toHaveLength(1);
  });

  test("404: nor does one in any field of a form without a script", async () => {
    const { send, seen, host } = await open();
    const post = (fields: Record<string, string>) => {
      const parts = Object.entries(fields).map(
        ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      return postBody(`${parts.join("")}--x--\r\n`);
    };
    const postBody = (body: string) => {
      const type = "content-type: multipart/form-data; boundary=x";
      const head = `POST /login/oauth/authorize/1 HTTP/1.1\r\nhost: ${host}\r\n${type}\r\ncontent-length: ${body.length}\r\n`;
      return send(head, body);
    };
    expect(await post({ [`$ACTION_ID_${held}`]: "", code: "123456" })).toMatch(/ 200 /);
    expect(seen[0]?.body.toString()).toContain("123456");
    expect(await post({ $ACTION_REF_1: "", "$ACTION_1:0": `{"id":"${held}","bound":"$@1"}` })).toMatch(/ 200 /);
    expect(await post({ [`$ACTION_ID_${foreign}`]: "" })).toMatch(/ 404 /);
    expect(await post({ [`$ACTION_ID_${held}`]: "", [`$ACTION_ID_${foreign}`]: "" })).toMatch(/ 404 /);
    expect(await post({ $ACTION_REF_1: "", "$ACTION_1:0": `{"id":"${foreign}","bound":"$@1"}` })).toMatch(/ 404 /);
    expect(await post({ $ACTION_REF_1: "", "$ACTION_1:0": `{ "id":"${held}"}` })).toMatch(/ 404 /);
    // An unparsable form might name any action.
    expect(await postBody(`$ACTION_ID_${held}`)).toMatch(/ 404 /);
    expect(seen).toHaveLength(2);
  });

  test("400: with x-action-forwarded is refused, on any page", async () => {
    const { call, seen } = await open();
    const headers = { "next-action": held, "x-action-forwarded": "1" };
    expect((await call("/login/oauth/authorize/1", headers, "POST")).status).toBe(400);
    expect((await call("/login/oauth/authorize/1", { "x-action-forwarded": "1" })).status).toBe(400);
    expect(seen).toEqual([]);
  });
});

describe("behind a trusted proxy (Decision D1)", () => {
  const proxied = { trustedProxies: parseAddressesAndNetworks("127.0.0.1"), origin: "https://harbor.example" };

  test("the client's address, host and scheme come from the proxy and are passed on as ours", async () => {
    const { call, seen } = await openGateway("partner", proxied);
    const headers = {
      "x-forwarded-for": "192.0.2.1, 203.0.113.7",
      "x-forwarded-host": "harbor.example",
      "x-forwarded-proto": "https",
    };
    const answer = await call("/dashboard", headers);
    expect(answer).toMatchObject({ status: 200, headers: { "strict-transport-security": expect.any(String) } });
    expect(seen[0]?.headers).toMatchObject({ host: "harbor.example", "x-gangway-client-address": "203.0.113.7" });
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.startsWith("x-forwarded"))).toEqual([]);
    expect((await call("/dashboard", { ...headers, "x-forwarded-host": "evil.example" })).status).toBe(421);
  });

  test("308, 421: over http, a page is redirected to https and a post is refused", async () => {
    const { call, seen } = await openGateway("partner", proxied);
    const headers = { host: "harbor.example", "x-forwarded-proto": "http" };
    const answer = await call("/dashboard?a=1", headers);
    expect(answer).toMatchObject({ status: 308, headers: { location: "https://harbor.example/dashboard?a=1" } });
    expect((await call("//evil.example/dashboard", headers)).headers.location).toBe(
      "https://harbor.example//evil.example/dashboard",
    );
    expect((await call("/sign-in", headers, "POST")).status).toBe(421);
    expect(seen).toEqual([]);
  });

  test("from any other peer these headers are ignored", async () => {
    const { call, seen } = await openGateway("partner", {
      ...proxied,
      trustedProxies: parseAddressesAndNetworks("10.0.0.1"),
    });
    const headers = { "x-forwarded-for": "203.0.113.7", "x-forwarded-host": "harbor.example" };
    expect((await call("/dashboard", headers)).status).toBe(421);
    expect((await call("/dashboard", { ...headers, host: "harbor.example" })).status).toBe(200);
    expect(seen[0]?.headers["x-gangway-client-address"]).toBe("127.0.0.1");
  });
});

describe("a request that Next makes to this process", () => {
  const question = (headers: IncomingHttpHeaders): Record<string, string> => ({
    ...(headers as Record<string, string>),
    host: "127.0.0.1:1",
    "x-gangway-client-address": "203.0.113.7",
  });

  test("is recognized by its mark and keeps the first client's address", async () => {
    const { call, seen } = await openGateway("partner");
    await call("/dashboard");
    expect((await call("/routines", question(seen[0]?.headers ?? {}))).status).toBe(200);
    expect(seen[1]?.headers["x-gangway-client-address"]).toBe("203.0.113.7");
  });

  test("421: is refused without the mark, with another one, with another method, or from the other app", async () => {
    const { call, seen } = await openGateway("partner");
    await call("/dashboard");
    const seenHeaders = question(seen[0]?.headers ?? {});
    const mark = String(seenHeaders["x-gangway-own-request"]);
    expect(mark).toMatch(/^[0-9a-f]{64}$/);
    const { "x-gangway-own-request": _, ...without } = seenHeaders;
    expect((await call("/routines", without)).status).toBe(421);
    expect((await call("/routines", { ...seenHeaders, "x-gangway-own-request": mark.replace(/.$/, "g") })).status).toBe(
      421,
    );
    expect((await call("/routines", { ...seenHeaders, "x-gangway-own-request": "" })).status).toBe(421);
    expect((await call("/routines", seenHeaders, "POST")).status).toBe(421);
    expect((await call("/routines", { ...seenHeaders, "x-gangway-app": "service" })).status).toBe(421);
    expect(seen).toHaveLength(1);
  });
});

test("429: the gateway's own responses and pages count toward the address's limit", async () => {
  const { call, seen, state } = await openGateway("service");
  state.isWithinRate = false;
  for (const path of ["/healthz", "/readyz", "/login/oauth/authorize", "/nowhere", "/_next/static/a.js"]) {
    const answer = await call(path);
    expect(answer, path).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
  }
  expect(seen).toEqual([]);
});

test("pages and their refusals are counted by template and status", async () => {
  const { call } = await openGateway("service");
  const drill = "/console/drills/0198c0de-0000-7000-8000-000000000000";
  await call(drill);
  await call(drill, {}, "PUT");
  const page = 'listener="console",method="GET",route="/console/drills/{drill}"';
  const refused = 'listener="console",method="PUT",route="/console/drills/{drill}"';
  await expect.poll(readRequestMeters).toContain(`gangway_requests_total{${page},status="200"} 1`);
  await expect.poll(readRequestMeters).toContain(`gangway_requests_total{${refused},status="405"} 1`);
  expect(readRequestMeters()).not.toContain("0198c0de");
});

type Options = Partial<Pick<GatewayOptions, "origin" | "otherHosts" | "trustedProxies" | "actionsOf" | "apiUrl">> & {
  hasApi?: boolean;
};

async function openGateway(app: App, { hasApi = false, ...options }: Options = {}) {
  const state = { isOpen: true, isReady: true, isWithinRate: true };
  const seen: (Pick<IncomingMessage, "url" | "headers" | "rawHeaders"> & { body: Buffer })[] = [];
  const apiSaw: (string | undefined)[] = [];
  const apiHosts: (string | undefined)[] = [];
  const listening = createServer();
  server = listening;
  await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done));
  const { port } = listening.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  const gateway = createGateway({
    app,
    origin: `http://${host}`,
    trustedProxies: [],
    isDevelopment: false,
    isOpen: () => state.isOpen,
    isReady: async () => state.isReady,
    isWithinRate: async () => state.isWithinRate,
    pages: async (incoming, response) => {
      const { url, headers, rawHeaders } = incoming;
      seen.push({ url, headers, rawHeaders, body: await buffer(incoming) });
      response.statusCode = url?.includes("session_token") ? 303 : 200;
      response.end("a page");
    },
    ...(hasApi && {
      api: ({ url, headers }, response) => {
        apiSaw.push(url);
        apiHosts.push(headers.host);
        response.end("an answer");
      },
    }),
    findFormTargets: async () => {
      if (!state.isReady) throw new Error("the database is away");
      return ["http://localhost:3000"];
    },
    ...options,
  });
  listening.on("request", gateway);

  function call(path: string, headers: Record<string, string> = {}, method = "GET") {
    return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders }>((resolve, reject) => {
      const outgoing = request({ port, host: "127.0.0.1", path, method, headers }, (answer) => {
        answer.resume().once("end", () => resolve({ status: answer.statusCode, headers: answer.headers }));
      });
      outgoing.once("error", reject).end();
    });
  }

  /** Writes raw bytes, asks to close the connection, and returns the response. */
  function send(head: string, body = ""): Promise<string> {
    return new Promise((resolve) => {
      let answer = "";
      const socket = connect(port, "127.0.0.1", () => socket.write(`${head}connection: close\r\n\r\n${body}`));
      socket.on("data", (data) => {
        answer += data;
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(answer));
    });
  }
  return { call, send, seen, apiSaw, apiHosts, host, state };
}
