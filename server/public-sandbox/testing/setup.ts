import pg from "pg";
import { inject } from "vitest";
import { provideTestDatabase } from "../../../lib/kit/testing/test-database.ts";

// The service's database, and an empty one in which visitors get their schemas of Harbor's tables.
const postgresUrl = inject("postgresUrl");
await provideTestDatabase(postgresUrl, "SERVICE_DATABASE_URL");
const name = `${new URL(process.env["SERVICE_DATABASE_URL"] ?? "").pathname.slice(1)}_harbor`;
const client = new pg.Client({ connectionString: postgresUrl });
await client.connect();
await client.query(`create database ${name}`);
await client.end();
process.env["PARTNER_DATABASE_URL"] = Object.assign(new URL(postgresUrl), { pathname: `/${name}` }).href;
