import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { oauthRefusals, refusals } from "../../../contract/errors.ts";
import { sandboxRoutes } from "../../sandbox/http/sandbox-routes.ts";
import { readDemoCredentials } from "../../sandbox/seed.ts";
import { database } from "../../storage/database.ts";
import { finishReconciliation, insertReconciliation } from "../../storage/reconciliations.ts";
import { createSandboxApi } from "../../testing/listening-service.ts";
import { createServiceApi } from "../app.ts";
import { operationsOf, readReference } from "./open-api.ts";
import { clauseOf } from "./reference-page.ts";

const api = createSandboxApi();
const pages = ["/", "/docs", "/terms", "/privacy", "/status"];
const reference = async () => readReference(await (await api.request("/openapi.json")).json());

describe("GET /llms.txt", () => {
  test("200: names only calls and settings that the service describes", async () => {
    const answer = await api.request("/llms.txt");
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await answer.text();
    const described = JSON.stringify(await (await api.request("/openapi.json")).json());
    const calls = [...text.matchAll(/(?:GET|POST) (\/\S+?)(?=[\s:.,]|$)/g)].map(([, path = ""]) => path);
    expect(calls.length).toBeGreaterThan(5);
    // The described callback has the customer's id as an expression.
    expect(calls.filter((path) => !described.includes(path))).toEqual(["/v1/customers/{customer_id}"]);
    expect(calls).toContain("/v1/accounts");
    expect(text).toContain("npx plainbook checks");
    expect(text).toContain("npm run checks");
  });

  test("200: production's doesn't mention the sandbox", async () => {
    expect(await (await createServiceApi().request("/llms.txt")).text()).not.toMatch(/sandbox|npx/i);
  });
});

describe.each(pages)("GET %s", (path) => {
  test("200: has only our own files, nothing inline, and requests only this origin", async () => {
    const answer = await api.request(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = answer.headers.get("content-security-policy") ?? "";
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
      expect(policy.split("; ")).toContain(rule);
    }
    const page = await answer.text();
    expect(page.match(/<script(?![^>]* src="\/)|<style|\son\w+="|\sstyle="/g)).toBeNull();
    expect(page.replaceAll("http://127.0.0.1:4000", "").match(/(?:src|href)="https?:[^"]*/g)).toBeNull();
  });

  test("200: has no dead links", async () => {
    const page = await (await api.request(path)).text();
    const targets = [...page.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, target = ""]) => target);
    // The gateway serves these.
    const others = new Set(["/healthz", "/readyz", "/favicon.ico"]);
    for (const target of new Set(targets.filter((one) => !others.has(one)))) {
      const [address = "", anchor] = target.split("#");
      const answer = await api.request(address);
      expect(answer.status, target).toBe(200);
      if (anchor) expect(await answer.text(), target).toContain(`id="${anchor}"`);
    }
  });

  test("200: doesn't mention a sandbox in production", async () => {
    const page = await (await createServiceApi().request(path)).text();
    expect(page.match(/sandbox|demo-|data-try|caller-secret|person who started|own machine|not a bank/gi)).toBeNull();
  });
});

describe("GET /status", () => {
  test("200: shows the result of the last finished reconciliation, or that none has finished", async () => {
    const ledger = async () => {
      const page = await (await api.request("/status")).text();
      return /Not reconciled yet|Balanced at the last|found problems/.exec(page)?.[0];
    };
    expect(await ledger()).toBe("Not reconciled yet");
    for (const [problems, text] of [[0, "Balanced at the last"] as const, [1, "found problems"] as const]) {
      const id = await insertReconciliation(database());
      await finishReconciliation(database(), { id, problems });
      expect(await ledger()).toBe(text);
    }
  });
});

describe("GET /docs", () => {
  test("200: has an anchor for every operation, webhook, schema and error, and no broken one", async () => {
    const page = await (await api.request("/docs")).text();
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const { webhooks, components } = await reference();
    const expected = [
      ...operationsOf(await reference()).map(({ operation }) => operation.operationId),
      ...Object.values(webhooks).map(({ post }) => post.operationId),
      ...Object.keys(components.schemas).map((name) => `schema-${name}`),
      ...[...Object.keys(refusals), ...Object.keys(oauthRefusals)].map((reason) => `error-${reason}`),
      "readCustomer",
    ];
    expect(ids).toEqual(expect.arrayContaining(expected));
    const linked = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id = ""]) => id);
    expect(linked.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("200: marks every operation and webhook as published or our decision", async () => {
    const { webhooks } = await reference();
    const ids = [
      ...operationsOf(await reference()).map(({ operation, path }) => [operation.operationId, path] as const),
      ...Object.values(webhooks).map(({ post }) => [post.operationId, ""] as const),
    ];
    expect(ids.filter(([id, path]) => !clauseOf(id, path))).toEqual([]);
    expect(clauseOf("createSandboxClient", "/sandbox/clients")).toEqual({ decision: "D16" });
  });

  test("200: every call except the streams can be tried, with the example as its body", async () => {
    const page = await (await api.request("/docs")).text();
    const tried = [...page.matchAll(/data-method="(\w+)" data-path="([^"]+)"/g)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    const served = operationsOf(await reference()).map(({ method, path }) => `${method} ${path}`);
    const untried = served.filter((call) => !tried.includes(call));
    expect(untried).toEqual([
      "GET /login/oauth/authorize",
      "GET /sandbox/requests/stream",
      "GET /sandbox/events/stream",
    ]);
    expect(page).toMatch(/<textarea[^>]*>\{\n {2}&quot;first_name&quot;: &quot;Marta&quot;/);
  });

  test("200: is small, and answers 304 when unchanged", async () => {
    const first = await api.request("/docs", { headers: { "accept-encoding": "gzip, deflate" } });
    const page = new Uint8Array(await first.arrayBuffer());
    const text = String(gunzipSync(page));
    const files = [...text.matchAll(/(?:href|src)="(\/docs\/[^"]+\.(?:css|js))"/g)];
    let bytes = page.length;
    for (const [, path = ""] of files) {
      const file = await api.request(path, { headers: { "accept-encoding": "gzip" } });
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      bytes += (await file.arrayBuffer()).byteLength;
    }
    expect(files).toHaveLength(2);
    expect(bytes).toBeLessThan(40_000);
    // Preloaded, so they're ready for the first paint.
    expect([...text.matchAll(/rel="preload" as="font" type="font\/woff2" href="\/docs\/[^"]+\.woff2"/g)]).toHaveLength(
      2,
    );
    const revalidated = await api.request("/docs", { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
    expect([revalidated.status, await revalidated.text()]).toEqual([304, ""]);
  });

  test.each([
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip;q=1.0, br;q=0", "gzip", gunzipSync],
  ] as const)("200: with accept-encoding %s, its content-encoding is %s", async (accepted, encoding, decompress) => {
    const plain = Buffer.from(await (await api.request("/docs")).arrayBuffer());
    const answer = await api.request("/docs", { headers: { "accept-encoding": accepted } });
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    expect(answer.headers.get("vary")).toBe("accept-encoding");
    expect(decompress(Buffer.from(await answer.arrayBuffer())).equals(plain)).toBe(true);
  });

  test("404: a file with a stale or missing hash", async () => {
    expect((await api.request("/docs/site.0000000000000000.js")).status).toBe(404);
    expect((await api.request("/docs/site.js")).status).toBe(404);
  });
});

const page =
  "http://127.0.0.1:4000/login/oauth/authorize?response_type=code&redirect_uri=http%3A%2F%2Flocalhost%3A8080%2F";

describe("the quickstart of a sandbox", () => {
  test("200: goes through the authorization pages to the client's redirect URI and tokens", async () => {
    const commands = await commandsFor({ webhookUrl: undefined });
    expect(commands).toHaveLength(7);
    expect(commands[2]).toContain(`"provider": "shop-provider"`);
    expect(commands[2]).toContain(`"user_intent_id": "'"$INTENT"'"`);
    expect(commands[2]).toContain(`echo "${page}back&client_id=shop&user_intent_id=$INTENT&session_token=$SESSION"`);
    expect(commands[3]).toContain("--data-urlencode 'redirect_uri=http://localhost:8080/back'");
    expect(commands[3]).toContain('--data-urlencode "code=$CODE"');
    expect(commands[4]).toContain('-H "authorization: Bearer $TOKEN"');
  });

  test("200: mints no token where trusted authentication is off", async () => {
    const commands = await commandsFor({ webhookUrl: undefined, isTrusted: false });
    expect(commands[2]).toBe(`echo "${page}back&client_id=shop&user_intent_id=$INTENT"`);
  });

  test("200: creates its own client if another app serves the customer endpoint", async () => {
    const commands = await commandsFor({ webhookUrl: undefined, customersUrl: "http://localhost:3000" });
    expect(commands).toHaveLength(7);
    expect(commands[0]).toMatch(/sandbox\/clients.* -u shop:.*CLIENT_ID=.*CLIENT_SECRET=.*-X PUT/s);
    for (const command of commands.slice(1)) expect(command).not.toContain("-u shop:");
    expect(commands[3]).toContain(`${page}callback&client_id=$CLIENT_ID&user_intent_id=$INTENT&session_token=$SESSION`);
  });

  test("200: says that webhooks wait only if no endpoint is set", async () => {
    const [without, withOne] = await Promise.all(
      [undefined, "http://localhost:8080/hooks"].map((webhookUrl) => pageFor({ webhookUrl })),
    );
    expect(without).toContain("so webhooks wait");
    expect(withOne).not.toContain("so webhooks wait");
    expect(withOne).toContain("what your endpoint answered, and when the next attempt is");
  });

  test("200: mentions no other app", async () => {
    for (const path of ["/", "/terms", "/privacy"]) {
      expect(await pageFor({ webhookUrl: undefined }, path)).not.toMatch(/harbor/i);
    }
  });
});

describe("the sandbox's credentials", () => {
  test("200: are in the quickstart of the front page and of the reference", async () => {
    for (const path of ["/", "/docs"]) {
      const page = await (await api.request(path)).text();
      expect(page, path).toContain("-u demo-harbor:demo-client-secret-of-harbor");
    }
  });

  test("200: are hidden when the client has its own secret", async () => {
    const secretApi = createServiceApi({
      routes: sandboxRoutes,
      hookFor: () => undefined,
      site: { credentials: () => withSecret("chosen-by-somebody") },
    });
    for (const path of pages) expect(await (await secretApi.request(path)).text()).not.toContain("chosen-by-somebody");
  });
});

type Shop = { webhookUrl: string | undefined; customersUrl?: string; isTrusted?: boolean };

async function pageFor({ webhookUrl, customersUrl, isTrusted = true }: Shop, path = "/"): Promise<string> {
  const client = {
    clientId: "shop",
    clientSecret: "demo-of-shop",
    provider: "shop-provider",
    redirectUri: "http://localhost:8080/back",
    customersUrl,
    isTrusted,
    webhookUrl,
  };
  const site = { credentials: () => client };
  const apiOfShop = createServiceApi({ routes: sandboxRoutes, hookFor: () => undefined, site });
  return (await apiOfShop.request(path)).text();
}

async function commandsFor(options: Shop): Promise<string[]> {
  const page = await pageFor(options);
  const read = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
  return [...page.matchAll(/<pre [^>]*><code>(.*?)<\/code>/gs)].map(([, command = ""]) => read(command));
}

function withSecret(secret: string) {
  const before = process.env["SERVICE_SEED_CLIENT"];
  process.env["SERVICE_SEED_CLIENT"] = JSON.stringify({ ...JSON.parse(before ?? ""), client_secret: secret });
  try {
    return readDemoCredentials();
  } finally {
    process.env["SERVICE_SEED_CLIENT"] = before;
  }
}
