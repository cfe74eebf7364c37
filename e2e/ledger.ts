import { callService, demoCredentials } from "./service-api.ts";

/** The sum of the demo client's ledger entries; it must be zero. */
export async function readLedgerSumCents(serviceUrl: string): Promise<number> {
  const call = { authorization: demoCredentials(), method: "GET", path: "/sandbox/ledger" };
  const { entries } = (await callService(serviceUrl, call)) as { entries: { amount: number }[] };
  if (entries.length === 0) throw new Error("The ledger is empty, so there's nothing to sum.");
  return entries.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
}
