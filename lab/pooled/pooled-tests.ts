import { globSync } from "node:fs";

const requests = {
  service: ["lib/service/http/api", "lib/service/http/frame", "lib/service/operations/money"],
  partner: ["lib/partner"],
};

/** Not run by `npm run test:pooled`: tests that cut the PostgreSQL connection or set timeouts in its URL. */
export const notPooled = /\/(?:unknown-outcome\..*|reconcile-long)\.test\.ts$/;

export function listPooledTests(app: "service" | "partner"): string[] {
  const files = requests[app].flatMap((folder) => globSync(`${folder}/**/*.test.ts`));
  return files.filter((file) => !notPooled.test(file));
}
