import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

// `npm run lint` rejects a server action or route of Harbor without an access check.
const made = 'export const pay = partnerAction(signedIn({ role: "operator", returnTo: "/" }), fields, submit);';
const madeRoute = 'export const GET = polledRoute("operator", read);\n';
const ownRoute = "export async function GET() {\n  return Response.json(await readAll());\n}\n";
const planted: Record<string, string> = {
  "app/(partner)/made/actions.ts": `"use server";\n\n${made}\n`,
  "app/(partner)/function/actions.ts": '"use server";\n\nexport async function pay() {}\n',
  "app/(partner)/arrow/actions.ts": '"use server";\n\nexport const pay = async () => {};\n',
  "app/(partner)/passed-on/actions.ts": '"use server";\n\nexport { pay } from "./pay.ts";\n',
  "app/(partner)/beside/actions.ts": `"use server";\n\n${made}\n\nexport async function payToo() {}\n`,
  "app/(partner)/elsewhere/pay.ts": `"use server";\n\n${made}\n`,
  "app/(partner)/inline/page.tsx": 'export function Page() {\n  return async () => {\n    "use server";\n  };\n}\n',
  "components/partner/form.ts": '"use server";\n\nexport async function pay() {}\n',
  "lib/partner/pay.ts": '"use server";\n\nexport async function pay() {}\n',
  "app/(partner)/made/state/route.ts": madeRoute,
  "app/(partner)/callback/route.ts": ownRoute,
  "app/(partner)/routines/state/route.ts": ownRoute,
  "app/(partner)/routines/route.ts": "export const GET = async () => Response.json(await readAll());\n",
  "app/(partner)/passed-on/state/route.ts": 'export { GET } from "./read.ts";\n',
  "app/(partner)/beside/state/route.ts": `${madeRoute}\n${ownRoute.replace("GET", "POST")}`,
  "app/(partner)/callback/state/route.ts": ownRoute,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gangway-lint-"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "scripts"));
  cpSync("scripts/lint", join(folder, "scripts/lint"), { recursive: true });
  cpSync("biome.json", join(folder, "biome.json"));
  for (const [file, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("rejects server actions and routes without partnerAction or polledRoute", async () => {
  const refused = await lint();
  expect([...refused].sort()).toEqual(
    Object.keys(planted)
      .filter((file) => !file.includes("/made/") && file !== "app/(partner)/callback/route.ts")
      .sort(),
  );
});

/** The files rejected by the linter's plugins. */
function lint(): Promise<Set<string>> {
  return new Promise((done, failed) => {
    const args = ["lint", "--vcs-enabled=false", "--reporter=json", "--max-diagnostics=none", "."];
    execFile(resolve("node_modules/.bin/biome"), args, { cwd: folder }, (_error, output) => {
      try {
        const { diagnostics }: { diagnostics: { category: string; location: { path: string | { file: string } } }[] } =
          JSON.parse(output);
        const files = diagnostics
          .filter(({ category }) => category === "plugin")
          .map(({ location: { path } }) => (typeof path === "string" ? path : path.file));
        done(new Set(files));
      } catch (error) {
        failed(error);
      }
    });
  });
}
