import type { Partner } from "../partner.ts";
import { type RoutineListItem, readNewestRoutines } from "../routines/list-routines.ts";
import { findBusinessUserId } from "./connected-users.ts";
import { type ConnectedUser, readConnectedUser } from "./read-connected-user.ts";

/** The business as its page shows it: its user of the service, and what Harbor paid last. */
export type ConnectedBusiness = { connected: ConnectedUser; payments: RoutineListItem[] };

const paymentsShown = 5;

/** Reads both together; undefined while no operator connected the business. */
export async function readConnectedBusiness(partner: Partner): Promise<ConnectedBusiness | undefined> {
  const serviceUserId = await findBusinessUserId(partner);
  if (serviceUserId === undefined) return undefined;
  const [connected, payments] = await Promise.all([
    readConnectedUser(partner, serviceUserId),
    readNewestRoutines(partner, paymentsShown),
  ]);
  return { connected, payments };
}
