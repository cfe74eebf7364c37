import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { cruise, type IReporterOutput } from "dependency-cruiser";
import extractDepcruiseConfig from "dependency-cruiser/config-utl/extract-depcruise-config";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import { afterAll, beforeAll, expect, test } from "vitest";

// One planted violation per rule.
const violations: Record<string, { file: string; imports: string }> = {
  "imports-go-down-operations": { file: "lib/service/operations/climb.ts", imports: "../http/thing.ts" },
  "imports-go-down-storage": { file: "lib/service/storage/climb.ts", imports: "../operations/thing.ts" },
  "imports-go-down-domain": { file: "lib/service/domain/climb.ts", imports: "../storage/thing.ts" },
  "partner-alone": { file: "lib/partner/tokens/thing.ts", imports: "../../service/storage/thing.ts" },
  "service-alone": { file: "lib/service/http/thing.ts", imports: "../../partner/tokens/thing.ts" },
  "brand-is-alone": { file: "brand/knows-the-app.ts", imports: "../lib/partner/config.ts" },
  "common-ground": { file: "lib/kit/knows-an-app.ts", imports: "../service/storage/thing.ts" },
  "contract-is-alone": { file: "lib/contract/leans-on-kit.ts", imports: "../kit/thing.ts" },
  "kit-has-no-domain": { file: "lib/kit/knows-the-contract.ts", imports: "../contract/thing.ts" },
  "domain-is-pure": { file: "lib/service/domain/reads-settings.ts", imports: "../config.ts" },
  "sandbox-is-a-plug": { file: "lib/service/http/frame/plays.ts", imports: "../../sandbox/thing.ts" },
  "public-sandbox-is-a-plug": {
    file: "lib/partner/tokens/hosts.ts",
    imports: "../../../server/public-sandbox/thing.ts",
  },
  "core-knows-no-sandbox": {
    file: "lib/service/operations/knows-faults.ts",
    imports: "../../contract/sandbox-faults.ts",
  },
  "sql-only-in-storage": { file: "lib/partner/routines/writes-sql.ts", imports: "drizzle-orm" },
  "http-not-storage": { file: "lib/service/http/skips-operations.ts", imports: "../storage/thing.ts" },
  "dial-out-only-outbound": { file: "lib/service/workers/dials-out.ts", imports: "undici" },
  "client-stands-alone": { file: "lib/client/reads-settings.ts", imports: "../partner/config.ts" },
  "partner-is-an-argument": { file: "lib/partner/tokens/looks-up.ts", imports: "../process-partner.ts" },
  "observers-are-left-out": { file: "lib/partner/tokens/observed.ts", imports: "../inspector/thing.ts" },
  "client-by-its-entry": { file: "lib/partner/tokens/inside.ts", imports: "../../client/reading.ts" },
  "telemetry-in-one-place": { file: "lib/kit/knows-telemetry.ts", imports: "@opentelemetry/api" },
  "telemetry-when-asked": { file: "lib/kit/loads-telemetry.ts", imports: "../../server/open-telemetry.ts" },
  "ui-knows-no-domain": { file: "components/ui/knows-the-contract.tsx", imports: "../../lib/contract/thing.ts" },
  "sandbox-tools-know-neither": { file: "components/sandbox/knows-an-app.ts", imports: "../../lib/partner/config.ts" },
  "console-is-a-client": { file: "lib/service/sandbox/console/looks-inside.ts", imports: "../../storage/thing.ts" },
  "journeys-use-the-browser": { file: "e2e/looks-inside.ts", imports: "../lib/service/storage/thing.ts" },
  "conformance-is-a-black-box": {
    file: "lab/conformance/looks-inside.ts",
    imports: "../../lib/service/storage/thing.ts",
  },
  "tests-stay-tests": { file: "scripts/runs-a-helper.ts", imports: "../lib/kit/testing/thing.ts" },
  "no-circles": { file: "lib/kit/circle-a.ts", imports: "./circle-b.ts" },
  "no-strangers": { file: "lib/kit/imports-nothing-real.ts", imports: "./not-there.ts" },
};

const exported = [
  "lib/service/http/thing.ts",
  "lib/service/sandbox/thing.ts",
  "lib/service/operations/thing.ts",
  "lib/service/storage/thing.ts",
  "lib/service/config.ts",
  "lib/partner/config.ts",
  "lib/partner/tokens/thing.ts",
  "lib/kit/thing.ts",
  "lib/kit/thing.test.ts",
  "server/open-telemetry.ts",
  "server/public-sandbox/thing.ts",
  "lib/contract/thing.ts",
  "lib/client/reading.ts",
  "lib/partner/process-partner.ts",
  "lib/partner/inspector/thing.ts",
  "lib/contract/sandbox-faults.ts",
];

const { options, ...ruleSet } = await extractDepcruiseConfig(resolve(".dependency-cruiser.mjs"));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gangway-boundaries-"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  cpSync("tsconfig.json", join(folder, "tsconfig.json"));
  for (const thing of exported) plant(thing, "export const thing = 1;\n");
  for (const { file, imports } of Object.values(violations))
    plant(file, `import * as it from "${imports}";\nexport { it };\n`);
  plant("lib/kit/circle-b.ts", 'import * as it from "./circle-a.ts";\nexport { it };\n');
  plant("lib/service/operations/goes-down.ts", 'import * as it from "../storage/thing.ts";\nexport { it };\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("each boundary rule fires on its planted violation", async () => {
  const broken = await cruisePlanted();
  const rules = (ruleSet.forbidden ?? []).map(({ name }) => name);

  expect(Object.keys(violations).sort()).toEqual([...rules].sort());
  for (const [rule, { file }] of Object.entries(violations)) {
    expect(broken, `the rule ${rule} should refuse ${file}`).toContainEqual({ rule, file });
  }
});

test("a downward import is allowed", async () => {
  const broken = await cruisePlanted();
  expect(broken.filter(({ file }) => file === "lib/service/operations/goes-down.ts")).toEqual([]);
});

async function cruisePlanted(): Promise<{ rule: string; file: string }[]> {
  const result: IReporterOutput = await cruise(
    ["brand", "lib", "components", "lab/conformance", "e2e", "scripts"],
    { ...options, baseDir: folder, ruleSet, validate: true },
    undefined,
    { tsConfig: extractTSConfig(join(folder, "tsconfig.json")) },
  );
  if (typeof result.output === "string") throw new Error("dependency-cruiser returned text instead of a result");
  return result.output.summary.violations.map(({ rule, from }) => ({ rule: rule.name, file: from }));
}

function plant(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
