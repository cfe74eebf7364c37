import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { parseArgs } from "node:util";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { loadProviders } from "../server/load-providers.ts";
import { checkProviders } from "./check-providers.ts";
import { exitOnceWritten } from "./exit.ts";

// `npm run providers:check -- ./providers.ts`: calls your providers as the apps do, and says what they must change.
// Exit code 0: nothing; 1: something; 2: the module can't be loaded, or an option is wrong.

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "text-to": { type: "string", default: "+12025550123" },
      "email-to": { type: "string", default: "test@example.com" },
    },
  });
  const [setting, ...more] = positionals;
  if (!setting || more.length > 0) {
    throw new Error("Name one module: npm run providers:check -- ./providers.ts [--text-to +1…] [--email-to …]");
  }
  if (existsSync(".env")) loadEnvFile(".env");
  const providers = await loadProviders(setting, { mode: "production", isSandbox: false, needs: [] });
  const findings = await checkProviders(providers, { phone: values["text-to"], email: values["email-to"] });
  if (findings.length === 0) throw new Error(`${setting} has no provider to check.`);
  for (const { rule, problem } of findings) {
    process.stdout.write(problem === undefined ? `kept    ${rule}\n` : `broken  ${rule}: ${problem}\n`);
  }
  process.exitCode = findings.some(({ problem }) => problem !== undefined) ? 1 : 0;
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exitCode = 2;
}
// The module may keep connections and timers.
await exitOnceWritten();
