import { existsSync } from "node:fs";
import { join } from "node:path";
import { brandName } from "../brand/name.ts";
import type { Role } from "./roles.ts";

const embedded = `\`npm run demo\` (both apps) and \`npm run harbor\` (${brandName} alone) bring their own.`;
const databases = [
  { app: /^service-/, setting: "SERVICE_DATABASE_URL" },
  { app: /^partner/, setting: "PARTNER_DATABASE_URL" },
];

/** Throws one sentence when a process of these roles lacks what `npm start` does not bring along: databases, a build of the pages. */
export function requireWhatIsNeeded(roles: ReadonlySet<Role>, environment: NodeJS.ProcessEnv): void {
  const missing = databases
    .filter(({ app, setting }) => [...roles].some((role) => app.test(role)) && !environment[setting])
    .map(({ setting }) => setting);
  if (missing.length > 0) {
    throw new Error(`No database is named: set ${missing.join(" and ")} to PostgreSQL databases of yours. ${embedded}`);
  }
  const folder = environment["NEXT_DIST_DIR"] || ".next";
  const hasPages = roles.has("partner") || roles.has("service-web");
  if (hasPages && environment.NODE_ENV === "production" && !existsSync(join(folder, "BUILD_ID"))) {
    throw new Error(`The pages are not built in ${folder}: run \`npm run build\` first.`);
  }
}
