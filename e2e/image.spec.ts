import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, test } from "@playwright/test";
import { assemble } from "../deploy/runtime-files.ts";
import { freePort } from "../scripts/embedded-postgres.ts";
import { createDatabase } from "../scripts/test-stack.ts";
import { type Role, roles } from "../server/roles.ts";

// Each role runs from the files in the Dockerfile's image alone. With root, also on a read-only file system, as an
// unprivileged user, and as PID 1.

const isRoot = process.getuid?.() === 0;
const dockerfile = readFileSync("Dockerfile", "utf8");
const [program = "", ...parameters] = ["ENTRYPOINT", "CMD"].flatMap(
  (name) => JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, "m").exec(dockerfile)?.[1] ?? "[]") as string[],
);
const mebibytesMax = 150;
// One page of each role with pages, made when it's requested.
const pageOf: { [R in Role]?: { at: string; path: string; status: number } } = {
  "service-api": { at: "SERVICE_BASE_URL", path: "/terms", status: 200 },
  partner: { at: "PARTNER_BASE_URL", path: "/onboarding", status: 200 },
  "service-web": { at: "SERVICE_AUTH_URL", path: "/login/oauth/authorize", status: 400 },
};

let folder: string;
let image: string;
let settings: NodeJS.ProcessEnv;
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gangway-image-"));
  chmodSync(folder, 0o755);
  image = join(folder, "app");
  assemble(image, { pages: ".next-test" });
  const postgresUrl = process.env["TEST_POSTGRES_URL"] ?? "";
  const stack = `image_${randomBytes(4).toString("hex")}`;
  const [partnerPort, servicePort, authPort] = [await freePort(), await freePort(), await freePort()];
  settings = {
    ...parseEnv(readFileSync(".env.example", "utf8")),
    PATH: process.env["PATH"],
    NODE_ENV: "production",
    SERVICE_BASE_URL: `http://127.0.0.1:${servicePort}`,
    SERVICE_AUTH_URL: `http://127.0.0.1:${authPort}`,
    SERVICE_DATABASE_URL: await createDatabase(postgresUrl, stack, "service"),
    PARTNER_BASE_URL: `http://localhost:${partnerPort}`,
    PARTNER_DATABASE_URL: await createDatabase(postgresUrl, stack, "partner"),
    PARTNER_SERVICE_BASE_URL: `http://127.0.0.1:${servicePort}`,
    PARTNER_SERVICE_AUTH_URL: `http://127.0.0.1:${authPort}`,
  };
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the systemd unit starts the same program as the image", () => {
  const unit = readFileSync("deploy/gangway@.service", "utf8");
  expect(/^ExecStart=\/usr\/bin\/(.*)$/m.exec(unit)?.[1]).toBe([program, ...parameters].join(" "));
});

test("the image is smaller than 150 MB, without tests, browsers or databases", () => {
  const files = readdirSync(image, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  expect(bytes / 1024 ** 2).toBeLessThan(mebibytesMax);
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(image.length));
  expect(paths.filter((path) => !path.includes("/node_modules/") && /\.test\.tsx?$|\/testing\//.test(path))).toEqual(
    [],
  );
  // For the owner of a database.
  expect(paths).toEqual(expect.arrayContaining(["/deploy/harbor-grants.sql", "/deploy/service-grants.sql"]));
  expect(paths.filter((path) => /playwright|embedded-postgres\/|swc-/.test(path.slice(0, 40)))).toEqual([]);
});

for (const role of roles) {
  test(`${role} runs from the image's files alone, read-only, and exits cleanly on SIGTERM`, async () => {
    const metricsPort = await freePort();
    const started = start({ ...settings, ROLES: role, METRICS_LISTEN: String(metricsPort) });
    try {
      await expect.poll(async () => started.child.exitCode === null && (await isReady(metricsPort))).toBe(true);
      const page = pageOf[role];
      if (page) expect((await fetch(`${settings[page.at]}${page.path}`)).status).toBe(page.status);
      const pid = processOne(started.child);
      if (isRoot) expect(readFileSync(`/proc/${pid}/status`, "utf8")).toMatch(/^Uid:\t65534/m);
      process.kill(pid, "SIGTERM");
      const [code] = (await once(started.child, "exit")) as [number | null];
      expect(code, started.output.text).toBe(0);
    } finally {
      started.child.kill("SIGKILL");
    }
  });
}

/** Starts the image's command. As root: in its own namespaces, as PID 1 and user nobody, on a read-only mount. */
function start(env: NodeJS.ProcessEnv): { child: ChildProcess; output: { text: string } } {
  const node = program === "node" ? process.execPath : program;
  const script =
    'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"';
  const isolated = ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", script, image, node];
  const child = isRoot
    ? spawn("unshare", [...isolated, ...parameters], { env })
    : spawn(node, parameters, { env, cwd: image });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data) => {
      output.text += String(data);
    });
  }
  return { child, output };
}

function processOne({ pid = 0 }: ChildProcess): number {
  return isRoot ? Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()) : pid;
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
