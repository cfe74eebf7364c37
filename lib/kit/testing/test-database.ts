import { randomBytes } from "node:crypto";
import { loadEnvFile } from "node:process";
import pg from "pg";

/**
 * Gives a test file a database of its own, copied from the migrated template, and the settings of `.env.example`. With
 * TEST_POOLER_PORT the app reaches it through the pooler there (lab/pooled/run.ts).
 * @param postgresUrl the test cluster's database "postgres"
 * @param setting the environment variable that names the app's database
 */
export async function provideTestDatabase(
  postgresUrl: string,
  setting: "SERVICE_DATABASE_URL" | "PARTNER_DATABASE_URL",
): Promise<void> {
  process.env["LOG_LEVEL"] ??= "silent";
  // The process id tells long test runs which databases they may drop.
  const name = `test_${process.pid}_${randomBytes(6).toString("hex")}`;
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(`create database ${name} template template_of_tests`);
  await client.end();
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  const pooler = process.env["TEST_POOLER_PORT"];
  if (pooler) {
    process.env[setting.replace("_URL", "_DIRECT_URL")] = url.href;
    url.port = pooler;
  }
  process.env[setting] = url.href;
  loadEnvFile(".env.example");
}
