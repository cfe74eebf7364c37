import { setTimeout as pass } from "node:timers/promises";
import { type FaultStatus, faultReasons } from "../../contract/sandbox-faults.ts";
import { serviceConfig } from "../config.ts";
import { type Refusal, refuse } from "../http/frame/refusal.ts";
import type { UserCaller } from "../operations/tokens/authenticate-access-token.ts";
import type { ClientCaller } from "../operations/tokens/authenticate-client.ts";
import { database, inTransaction } from "../storage/database.ts";
import { takeFault, tidyFaults } from "../storage/faults.ts";

/**
 * Makes this call slow, and returns what it is refused with, when that was asked for (Decision D16). Costs nothing outside a
 * sandbox, nor in one for a client without faults: whether it has some came with the client.
 */
export async function applyFault(
  operation: string,
  caller: ClientCaller | UserCaller | undefined,
): Promise<Refusal | undefined> {
  if (!caller || serviceConfig().mode !== "sandbox") return undefined;
  const [hasFaults, clientId] =
    "client" in caller ? [caller.client.hasFaults, caller.client.id] : [caller.clientHasFaults, caller.clientId];
  if (!hasFaults) return undefined;

  const fault = await takeFault(database(), { clientId, operation });
  if (!fault) return undefined;
  if (fault.remaining === 0) await inTransaction((tx) => tidyFaults(tx, clientId));
  if (fault.latencyMs > 0) await pass(fault.latencyMs);
  return fault.status === null ? undefined : refusalOf(fault.status, "client" in caller);
}

function refusalOf(status: FaultStatus, isClient: boolean): Refusal {
  const reason = status === 401 && !isClient ? "token_expired" : faultReasons[status];
  return refuse(reason, {
    detail: "This call fails because PUT /sandbox/faults asked for it.",
    cause: "sandbox_fault",
  });
}
