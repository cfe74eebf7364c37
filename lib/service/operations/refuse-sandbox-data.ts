import { idFor } from "../../kit/ids.ts";
import { sha256 } from "../../kit/secrets.ts";
import { database } from "../storage/database.ts";
import { listSandboxTraces } from "../storage/sandbox-traces.ts";

// The data of .env.example, sandbox/seed.ts and sandbox/clients.ts, repeated because production loads none of them.
const sandboxData = {
  clientIdPrefixes: ["demo", "sandbox-"],
  secretHashes: [sha256("demo-client-secret-of-harbor")],
  userIds: [idFor("business user of demo-harbor")],
  userEmails: ["operations@partner.example"],
};

/** Whether a client with this id would make production processes refuse the database. */
export function isSandboxClientId(clientId: string): boolean {
  return sandboxData.clientIdPrefixes.some((prefix) => clientId.startsWith(prefix));
}

/** The same for a user with this email address. */
export function isSandboxEmail(email: string): boolean {
  return sandboxData.userEmails.includes(email);
}

/**
 * Throws if the database has served a sandbox, where secrets are public, money was created freely and clocks were
 * moved. Called when a production process starts. Decision D1
 */
export async function refuseSandboxData(): Promise<void> {
  const traces = await listSandboxTraces(database(), sandboxData);
  if (traces.length === 0) return;
  throw new Error(
    `SERVICE_MODE=production refuses a database that has served a sandbox; it contains ${traces.join(", ")}. Set SERVICE_DATABASE_URL to an empty database.`,
  );
}
