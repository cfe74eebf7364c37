import { businessChange } from "../../../contract/operator.ts";
import { newId } from "../../../kit/ids.ts";
import { serviceConfig } from "../../config.ts";
import { insertAccount, newMask } from "../../storage/accounts.ts";
import type { Client } from "../../storage/clients.ts";
import type { Db } from "../../storage/database.ts";
import {
  findBusinessUser,
  findUserByPhone,
  insertUser,
  lockUser,
  type User,
  updateUser,
} from "../../storage/people.ts";
import { lockPhone } from "../../storage/phones.ts";
import { isSandboxEmail } from "../refuse-sandbox-data.ts";
import { type ClientChangeOperation, refused } from "./audited-change.ts";

type Contact = Pick<User, "firstName" | "lastName" | "email" | "phone">;

/**
 * Creates a client's approved business user and an empty operating account. Undefined if another user of the client
 * has the phone.
 */
export async function openBusiness(
  tx: Db,
  { id: clientId, businessProfileId }: Pick<Client, "id" | "businessProfileId">,
  { id, ...contact }: Contact & { id: string },
): Promise<{ userId: string; accountId: string } | undefined> {
  const business = { userType: "business", status: "approved", businessProfileId } as const;
  const user = await insertUser(tx, { id, clientId, ...business, ...contact });
  if (!user) return undefined;
  const operating = { clientId, userId: id, name: "Operating account", type: "operating", mask: newMask() } as const;
  return { userId: id, accountId: (await insertAccount(tx, operating)).id };
}

/** Opens a client's business, or changes its user's contact. The record names the changed fields, not their values. */
export const changeBusiness: ClientChangeOperation<typeof businessChange> = {
  action: "business",
  body: businessChange,
  apply: async (tx, client, body) => {
    const { first_name: firstName, last_name: lastName, email, phone } = body;
    if (email !== undefined && serviceConfig().mode === "production" && isSandboxEmail(email)) {
      return refused("email", "This address is reserved for sandboxes: use another one.");
    }
    const { id: clientId } = client;
    if (phone !== undefined) await lockPhone(tx, { clientId, phone });
    const found = await findBusinessUser(tx, clientId);
    const owner = phone === undefined ? undefined : await findUserByPhone(tx, { clientId, phone });
    if (owner && owner.id !== found?.id) return phoneTaken;
    if (found) {
      const user = await lockUser(tx, found.id);
      if (!user) throw new Error("Users are never deleted.");
      const named = Object.entries({ firstName, lastName, email, phone }).filter(([, value]) => value !== undefined);
      await updateUser(tx, user, Object.fromEntries(named));
      const changed = contactFields.filter((field) => body[field] !== undefined);
      return { kind: "applied", details: { opened: false, user_id: user.id, changed } };
    }
    if (firstName === undefined || lastName === undefined || email === undefined || phone === undefined) {
      const missing = contactFields.find((field) => body[field] === undefined) ?? "phone";
      return refused(missing, "A new business needs this field.");
    }
    const opened = await openBusiness(tx, client, { id: newId(), firstName, lastName, email, phone });
    if (!opened) return phoneTaken;
    return { kind: "applied", details: { opened: true, user_id: opened.userId, account_id: opened.accountId } };
  },
};

const contactFields = ["first_name", "last_name", "email", "phone"] as const;
const phoneTaken = refused("phone", "Another user of this client has this phone.");
