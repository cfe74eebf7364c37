import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/** The cents of all entries of the demo client added up, read off the sandbox's books: zero, or money was made or lost. */
export async function readLedgerSumCents(serviceUrl: string): Promise<number> {
  const demo = parseEnv(readFileSync(".env.example", "utf8"));
  const credentials = `${demo["PARTNER_CLIENT_ID"]}:${demo["PARTNER_CLIENT_SECRET"]}`;
  const response = await fetch(`${serviceUrl}/sandbox/ledger`, {
    headers: { accept: "application/json", authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
  });
  const { entries } = (await response.json()) as { entries: { amount: number }[] };
  if (entries.length === 0) throw new Error("The ledger holds no entries, so its sum would prove nothing.");
  return entries.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
}
