import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type FakeDns, startFakeDns } from "../testing/fake-dns.ts";
import { createHostResolver } from "./resolve-host.ts";

let dns: FakeDns | undefined;
afterEach(() => {
  dns?.stop();
  dns = undefined;
});

test("domains whose DNS is silent delay no other", async () => {
  const silent = Array.from({ length: 20 }, (_, at) => `silent-${at}.example`);
  dns = await startFakeDns({
    ...Object.fromEntries(silent.map((name) => [name, "silence"])),
    "sound.example": "192.0.2.1",
    "": "no_error",
  });
  const resolve = createHostResolver({ ...dns, rootTimeoutMs: 60_000 });
  let over = 0;
  const lookups = silent.map((name) => resolve(name).finally(() => over++));
  const failed = Promise.allSettled(lookups);
  expect(await resolve("sound.example")).toEqual([{ address: "192.0.2.1", family: 4 }]);
  expect(over).toBe(0);
  for (const result of await failed) expect(result).toMatchObject({ reason: { code: "ETIMEOUT" } });
});

describe("DNS has no answer for a host", () => {
  test.each([
    ["silence", "ETIMEOUT"],
    ["servfail", "ESERVFAIL"],
    ["refused", "EREFUSED"],
  ] as const)("%s is its domain's fault while DNS answers for the root", async (answer, code) => {
    dns = await startFakeDns({ "": "no_error", "broken.example": answer });
    await expect(createHostResolver({ ...dns, rootTimeoutMs: 60_000 })("broken.example")).rejects.toMatchObject({
      code,
    });
  });

  test.each(["silence", "servfail", "refused"] as const)(
    "%s for the root too is the resolver's fault",
    async (answer) => {
      dns = await startFakeDns({ "": answer, "sound.example": answer });
      await expect(createHostResolver(dns)("sound.example")).rejects.toMatchObject({ code: "EAI_AGAIN" });
    },
  );

  test("no resolver at all is this machine's fault", async () => {
    const resolve = createHostResolver({ servers: ["127.0.0.1:1"] });
    await expect(resolve("sound.example")).rejects.toMatchObject({ code: "EAI_AGAIN" });
  });
});

test("simultaneous lookups of a host share one query per family, later ones make their own", async () => {
  dns = await startFakeDns({ "sound.example": "192.0.2.1" });
  const resolve = createHostResolver(dns);
  await Promise.all(Array.from({ length: 100 }, () => resolve("sound.example")));
  // Two, unless this process stalls and the resolver asks again.
  const queryCount = dns.queries.length;
  expect(queryCount).toBeLessThan(100);
  await resolve("sound.example");
  expect(dns.queries.length).toBeGreaterThan(queryCount);
});

test("the hosts file comes before DNS", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosts-"));
  const hostsFile = join(folder, "hosts");
  await writeFile(
    hostsFile,
    "# 192.0.2.9 Listed.example\n192.0.2.2\tother listed.example # ours\n2001:db8::1 Listed.example\n",
  );
  dns = await startFakeDns({ "listed.example": "192.0.2.1" });
  expect(await createHostResolver({ ...dns, hostsFile })("listed.example")).toEqual([
    { address: "192.0.2.2", family: 4 },
    { address: "2001:db8::1", family: 6 },
  ]);
  expect(dns.queries).toEqual([]);
  await rm(folder, { recursive: true });
});

test("the system resolves names that DNS doesn't know", async () => {
  dns = await startFakeDns({});
  const resolve = createHostResolver({ ...dns, hostsFile: "/dev/null" });
  expect(await resolve("localhost")).toContainEqual({ address: "127.0.0.1", family: 4 });
});
