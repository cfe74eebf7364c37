import { readConnection } from "../connections/connected-users.ts";
import type { Partner } from "../partner.ts";
import type { Person } from "../people/session.ts";
import { addressOfPayment } from "../routines/prefilled-payment.ts";
import { isUnpayableUser } from "../statuses.ts";
import { findPersonById } from "../storage/people.ts";
import { findRoutine } from "../storage/routines.ts";
import { findServiceUser, findServiceUserOfPerson } from "../storage/service-users.ts";
import { listDemoPeople } from "./seed.ts";
import { listSwitchablePeople } from "./switchable-people.ts";

/** A person to switch to with one click, and the page to open then. */
export type SwitchOffer = Pick<Person, "email" | "firstName"> & { returnTo: string };

/** For a payable seller: the demo operator, with a payment to this seller filled in. Undefined outside a sandbox. */
export async function readPayOffer(partner: Partner, seller: Person): Promise<SwitchOffer | undefined> {
  const operator = (await listDemoPeople(partner)).find(({ role }) => role === "operator");
  if (!operator) return undefined;
  const user = await findServiceUserOfPerson(partner.db, seller.id);
  if (!user?.accountId || isUnpayableUser(user.status)) return undefined;
  // A disconnected seller can still be paid, but should reconnect first.
  if ((await readConnection(partner, user.id)).kind !== "connected") return undefined;
  const returnTo = addressOfPayment({
    source_id: "",
    seller_user_id: user.id,
    amount: "125.50",
    name: "Sales of June",
  });
  return { email: operator.email, firstName: operator.firstName, returnTo };
}

/** For an operator: a payment's seller, if this browser can switch to them. Undefined outside a sandbox. */
export async function readSellerOffer(partner: Partner, routineId: string): Promise<SwitchOffer | undefined> {
  if (!partner.config.isSandbox) return undefined;
  const routine = await findRoutine(partner.db, routineId);
  const user = routine && (await findServiceUser(partner.db, routine.sellerUserId));
  const seller = user?.personId ? await findPersonById(partner.db, user.personId) : undefined;
  const isHere = (await listSwitchablePeople(partner)).some(({ email }) => email === seller?.email);
  return seller && isHere ? { email: seller.email, firstName: seller.firstName, returnTo: "/dashboard" } : undefined;
}
