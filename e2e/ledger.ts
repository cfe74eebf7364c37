import { callService, demoCredentials } from "./service-api.ts";

/** The cents of all entries of the demo client added up, as the sandbox shows them: zero, or money was made or lost. */
export async function readLedgerSumCents(serviceUrl: string): Promise<number> {
  const call = { authorization: demoCredentials(), method: "GET", path: "/sandbox/ledger" };
  const { entries } = (await callService(serviceUrl, call)) as { entries: { amount: number }[] };
  if (entries.length === 0) throw new Error("The ledger holds no entries, so its sum would prove nothing.");
  return entries.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
}
