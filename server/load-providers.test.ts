import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadProviders } from "./load-providers.ts";

const production = { mode: "SERVICE_MODE=production", isSandbox: false, needs: [] };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gangway-providers-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function moduleOf(source: string): string {
  const file = join(folder, `providers-${files++}.ts`);
  writeFileSync(file, source);
  return file;
}

test("a path relative to the working directory is loaded, and keeps the object's own state", async () => {
  const file =
    moduleOf(`class Carrier { #sent = 0; async sendText() { return { kind: "sent", reference: String(++this.#sent) }; } }
export default new Carrier();`);
  const providers = await loadProviders(`./${relative(process.cwd(), file)}`, { ...production, needs: ["sendText"] });
  const { signal } = new AbortController();
  const text = { id: "1", to: "+12025550123", text: "hi" };
  expect(await providers.sendText?.(text, { signal })).toEqual({ kind: "sent", reference: "1" });
});

test("a package is loaded by its name", async () => {
  // A package without a provider is enough to show that it was found.
  await expect(loadProviders("uuid", production)).rejects.toThrow(
    /^PROVIDERS=uuid has no default export that is an object; see docs\/operations.md#providers\.$/,
  );
});

test.each([
  ["a file that does not exist", () => "./no-such-providers.ts", /can't be loaded: Cannot find module /],
  ["a file that throws", () => moduleOf("throw new Error('no API key');"), /can't be loaded: no API key$/],
  ["no default export", () => moduleOf("export const sendText = 1;"), /has no default export that is an object; /],
  ["not a function", () => moduleOf("export default { sendText: 1 };"), /an invalid sendText: it must be a function; /],
  [
    "an unknown name",
    () => moduleOf("export default { sendSms() {} };"),
    /exports sendSms, which isn't a provider; providers/,
  ],
])("%s is refused with one sentence", async (_name, setting, sentence) => {
  await expect(loadProviders(setting(), production)).rejects.toThrow(sentence);
});

test("the error names what a role needs, whether no module is set or the module lacks it", async () => {
  const needing = { ...production, needs: ["sendText", "sendEmail"] as ("sendText" | "sendEmail")[] };
  await expect(loadProviders(undefined, needing)).rejects.toThrow(
    "SERVICE_MODE=production needs a provider for sendText and sendEmail: set PROVIDERS to your module;",
  );
  const lacking = moduleOf("export default { async sendText() {} };");
  await expect(loadProviders(lacking, needing)).rejects.toThrow(
    `SERVICE_MODE=production needs a provider for sendEmail: ${lacking} exports none;`,
  );
});

test("a sandbox refuses the setting, and needs none", async () => {
  const sandbox = { mode: "SERVICE_MODE=production", isSandbox: true, needs: ["sendText" as const] };
  expect(await loadProviders(undefined, sandbox)).toEqual({});
  await expect(loadProviders("./providers.ts", sandbox)).rejects.toThrow("PROVIDERS is for SERVICE_MODE=production:");
});
