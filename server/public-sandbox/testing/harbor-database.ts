import pg from "pg";
import { inject } from "vitest";

// An empty database beside the service's, where each visitor gets a schema with Harbor's tables.
const name = `${new URL(process.env["SERVICE_DATABASE_URL"] ?? "").pathname.slice(1)}_harbor`;
const client = new pg.Client({ connectionString: inject("postgresUrl") });
await client.connect();
await client.query(`create database ${name}`);
await client.end();
process.env["PARTNER_DATABASE_URL"] = Object.assign(new URL(inject("postgresUrl")), { pathname: `/${name}` }).href;
