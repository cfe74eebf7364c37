import { readConnection } from "../connections/read-connected-user.ts";
import type { Partner } from "../partner.ts";
import type { Person } from "../people/session.ts";
import { addressOfPayment } from "../routines/prefilled-payment.ts";
import { findPersonById } from "../storage/people.ts";
import { findRoutine } from "../storage/routines.ts";
import { findServiceUser, listPayableSellers } from "../storage/service-users.ts";
import { listDemoPeople } from "./seed.ts";
import { listSwitchablePeople } from "./switchable-people.ts";

/** Whom the page offers to become with one click, and where they go on then. */
export type SwitchOffer = Pick<Person, "email" | "firstName"> & { returnTo: string };

/** To a connected seller who can be paid: the demo's operator, at a payment to this seller. Undefined outside a sandbox. */
export async function readPayOffer(partner: Partner, seller: Person): Promise<SwitchOffer | undefined> {
  const operator = (await listDemoPeople(partner)).find(({ role }) => role === "operator");
  if (!operator) return undefined;
  const user = (await listPayableSellers(partner.db)).find(({ personId }) => personId === seller.id);
  // Whoever has just disconnected still can be; the page says that they are not connected, and offers to connect again.
  if (!user || (await readConnection(partner, user.id)).kind !== "connected") return undefined;
  const returnTo = addressOfPayment({ seller_user_id: user.id, amount: "125.50", name: "Sales of June" });
  return { email: operator.email, firstName: operator.firstName, returnTo };
}

/** To an operator: the seller of a payment, when this browser may become them. Undefined outside a sandbox. */
export async function readSellerOffer(partner: Partner, routineId: string): Promise<SwitchOffer | undefined> {
  if (!partner.config.isSandbox) return undefined;
  const routine = await findRoutine(partner.db, routineId);
  const user = routine && (await findServiceUser(partner.db, routine.sellerUserId));
  const seller = user?.personId ? await findPersonById(partner.db, user.personId) : undefined;
  const isHere = (await listSwitchablePeople(partner)).some(({ email }) => email === seller?.email);
  return seller && isHere ? { email: seller.email, firstName: seller.firstName, returnTo: "/dashboard" } : undefined;
}
