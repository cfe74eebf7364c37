import {
  chmodSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { deleteOrphanedClusters, requireOwnFolder, startCluster } from "./embedded-postgres.ts";

const root = mkdtempSync(join(tmpdir(), "gangway-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const uid = process.getuid?.() ?? 0;

// As root, starting never changes the owner of, or runs a program from, a folder that another user prepared.
describe.runIf(process.getuid !== undefined)("a helper folder in /var/tmp, which another user may have created", () => {
  test("is used if it's a real folder of ours that no other user can write to", () => {
    const folder = make("ours", 0o755);
    expect(() => requireOwnFolder(folder, [uid])).not.toThrow();
  });

  test("is refused if it's a link, even to a folder of ours", () => {
    const link = join(root, "link");
    symlinkSync(make("target", 0o755), link);
    expect(() => requireOwnFolder(link, [uid])).toThrow("isn't used");
  });

  test("is refused if it belongs to another user", () => {
    const folder = make("theirs", 0o755);
    expect(() => requireOwnFolder(folder, [uid + 1])).toThrow("isn't used");
  });

  test.each([0o775, 0o757])("is refused if others can write to it (%o)", (mode) => {
    const folder = make(`open-${mode}`, mode);
    expect(() => requireOwnFolder(folder, [uid])).toThrow("isn't used");
  });
});

describe("the embedded PostgreSQL", () => {
  const directory = resolve(import.meta.dirname, `../.data/tests/rules-${process.pid}`);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test("has none of our secrets in its environment, and its files are private", async () => {
    process.env["SERVICE_ENCRYPTION_KEYS"] = "k1:a-secret-of-ours";
    const cluster = await startCluster(directory);
    const { folder } = cluster;
    try {
      if (process.platform === "linux") {
        const lines = readFileSync(`/proc/${cluster.pid}/environ`, "utf8").split("\0");
        const allowed = /^(?:PATH|PWD|HOME|TZ|NODE_ENV|LANG|LC_\w+|LD_LIBRARY_PATH|SYSTEMROOT|PG\w+)?(?:=|$)/;
        expect(lines.filter((line) => !allowed.test(line))).toEqual([]);
      }
      const found = [folder, ...globSync("**/*", { cwd: folder }).map((name) => join(folder, name))];
      expect(found.length).toBeGreaterThan(10);
      expect(found.filter((path) => (lstatSync(path).mode & 0o077) !== 0)).toEqual([]);
    } finally {
      delete process.env["SERVICE_ENCRYPTION_KEYS"];
      cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

test("clusters of ended processes are deleted, even if they can't start", () => {
  const orphans = ["damaged-999999998", "damaged-999999999"].map((name) => join(root, "orphans", name));
  for (const orphan of orphans) {
    mkdirSync(join(orphan, "data"), { recursive: true });
    writeFileSync(join(orphan, "data", "PG_VERSION"), "18");
  }
  deleteOrphanedClusters(join(root, "orphans"));
  expect(orphans.filter((orphan) => existsSync(orphan))).toEqual([]);
});

function make(name: string, mode: number): string {
  const folder = join(root, name);
  mkdirSync(folder);
  chmodSync(folder, mode);
  return folder;
}
