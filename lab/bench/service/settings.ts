import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

/** Realistic settings: production mode, logging, raised rate limits, and a local network for the webhook receivers. */
export function serviceSettings(databaseUrl: string): Record<string, string> {
  const manyPerSecond = "100000000";
  return {
    NODE_ENV: "production",
    SERVICE_MODE: "production",
    SERVICE_BASE_URL: "http://127.0.0.1:1",
    SERVICE_DATABASE_URL: databaseUrl,
    SERVICE_ENCRYPTION_KEYS: `bench-1:${randomBytes(32).toString("base64")}`,
    SERVICE_FINGERPRINT_KEY: randomBytes(32).toString("hex"),
    SERVICE_SETTLEMENT_DELAY_MS: "0",
    SERVICE_REQUESTS_PER_SECOND_MAX: manyPerSecond,
    SERVICE_OUTBOUND_NETWORKS: "127.0.0.0/8",
    LOG_LEVEL: "info",
  };
}

export function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { start: string } };
  return scripts.start.split(" ").filter((word) => word.startsWith("--"));
}
