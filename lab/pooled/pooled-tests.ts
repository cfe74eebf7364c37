import { globSync } from "node:fs";

const requests = {
  service: ["lib/service/http/api", "lib/service/http/frame", "lib/service/operations/money"],
  partner: ["lib/partner"],
};

/** What `npm run test:pooled` leaves out: they cut the way to PostgreSQL itself, or set limits of time in the address, which no pooler takes. */
export const notPooled = /\/(?:unknown-outcome\..*|reconcile-long)\.test\.ts$/;

/** The test files of an app's requests and payments that hold behind a pooler too, each with its whole path. */
export function listPooledTests(app: "service" | "partner"): string[] {
  const files = requests[app].flatMap((folder) => globSync(`${folder}/**/*.test.ts`));
  return files.filter((file) => !notPooled.test(file));
}
