import { setTimeout as pass } from "node:timers/promises";
import { type FaultStatus, faultReasons } from "../../contract/sandbox-faults.ts";
import type { CallFault, KnownCall, Providers } from "../providers.ts";
import { database, inTransaction } from "../storage/database.ts";
import { takeFault, tidyFaults } from "./storage/faults.ts";

/**
 * Makes this call slow, and returns what it is refused with, when its connection is cut, or that it was slowed, as was asked
 * for (Decision D16). Costs nothing for a client without faults: whether it has some came with the client.
 */
export async function faultOf({ operation, clientId, hasFaults, who }: KnownCall): ReturnType<Providers["faultOf"]> {
  if (!hasFaults) return undefined;
  const fault = await takeFault(database(), { clientId, operation });
  if (!fault) return undefined;
  if (fault.remaining === 0) await inTransaction((tx) => tidyFaults(tx, clientId));
  if (fault.latencyMs > 0) await pass(fault.latencyMs);
  if (fault.cut !== null) return { cut: fault.cut };
  return fault.status === null ? "slowed" : callFault(fault.status, who);
}

function callFault(status: FaultStatus, who: KnownCall["who"]): CallFault {
  return {
    refuse: status === 401 && who === "user" ? "token_expired" : faultReasons[status],
    detail: "This call fails because PUT /sandbox/faults asked for it.",
    cause: "sandbox_fault",
  };
}
