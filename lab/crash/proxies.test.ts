import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { findProgram } from "../../scripts/debian-packages.ts";
import { freePort } from "../../scripts/embedded-postgres.ts";
import { startNginx } from "./start-nginx.ts";

// Behind the documented proxies no POST reaches the APIs twice, even if an API dies before it responds.

const proxies = { nginx: startNginx, caddy: startCaddy };

for (const name of ["nginx", "caddy"] as const) {
  const program = findProgram(name);
  test.skipIf(!program)(`${name} never sends a POST twice, and repeats a GET`, async () => {
    const seen: string[] = [];
    const apiPorts = [await startDyingApi(seen), await startDyingApi(seen)];
    const tlsPort = await freePort();
    const proxy = await proxies[name](program ?? "", { tlsPort, apiPorts });
    onTestFinished(() => proxy.stop());
    for (let number = 1; number <= 5; number++) {
      expect(await send(tlsPort, "POST", `/v1/routines/book?number=${number}`)).toBe(502);
      expect(new Set(seen).size).toBe(seen.length);
    }
    expect(seen).toContain("POST /v1/routines/book?number=1 {}");
    // nginx takes an API out for 2 s after a failure; with faster requests, both might never be in rotation at once.
    let number = 0;
    const timesOfNext = async () => {
      const path = `/v1/user?number=${++number}`;
      await send(tlsPort, "GET", path);
      return seen.filter((one) => one === `GET ${path} `).length;
    };
    await expect.poll(timesOfNext, { interval: 2500 }).toBeGreaterThan(1);
  });
}

/** Reads and records each request, then closes the connection without a response. */
async function startDyingApi(seen: string[]): Promise<string> {
  const server = createServer(async (incoming, response) => {
    if (incoming.url === "/readyz") return void response.end();
    seen.push(`${incoming.method} ${incoming.url} ${await text(incoming)}`);
    incoming.socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

/** The status; undefined without a response. */
async function send(port: number, method: string, path: string): Promise<number | undefined> {
  const headers = { host: `plainbook.example:${port}`, "content-type": "application/json" };
  const options = { host: "127.0.0.1", port, method, path, headers, servername: "plainbook.example" };
  const outgoing = request({ ...options, rejectUnauthorized: false }).end(method === "POST" ? "{}" : "");
  const [answer] = await once(outgoing, "response");
  answer.resume();
  return answer.statusCode;
}

/** Runs docs/proxies/Caddyfile with these ports and certificates of its own. */
async function startCaddy(program: string, { tlsPort, apiPorts }: { tlsPort: number; apiPorts: string[] }) {
  const folder = mkdtempSync(join(tmpdir(), "gangway-caddy-"));
  const file = readFileSync("docs/proxies/Caddyfile", "utf8")
    .replace(
      "{$CADDY_OPTIONS}",
      `admin off\n\tlocal_certs\n\tskip_install_trust\n\thttps_port ${tlsPort}\n\tauto_https disable_redirects`,
    )
    .replace("service-api-1:4000 service-api-2:4000", apiPorts.map((port) => `127.0.0.1:${port}`).join(" "));
  writeFileSync(join(folder, "Caddyfile"), file);
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder };
  const child: ChildProcess = spawn(program, ["run", "--config", join(folder, "Caddyfile")], { env, stdio: "ignore" });
  await expect.poll(() => send(tlsPort, "GET", "/readyz").catch(() => undefined)).toBe(404);
  return {
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
