import { randomBytes } from "node:crypto";
import { type ForeignPart, redirectBack } from "../../contract/sandbox-faults.ts";
import { newId } from "../../kit/ids.ts";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import { inCellOfId } from "../cells.ts";
import type { FaultyRedirect, FinishedVisit } from "../providers.ts";
import { insertAuthorization, lockAuthorizationCode } from "../storage/authorizations.ts";
import { inTransaction } from "../storage/database.ts";
import { findBusinessUser, listUsers } from "../storage/people.ts";
import { applyFault } from "./call-faults.ts";

/** The redirect with a foreign part, if the client has that fault. Decision D16 */
export function redirectWithFault(visit: FinishedVisit, returnTo: string): Promise<FaultyRedirect | undefined> {
  const { id, clientId } = visit;
  return inCellOfId(id, async () => {
    const foreign = (await applyFault({ clientId, operation: redirectBack }))?.foreignPart;
    if (!foreign) return undefined;
    const address = new URL(returnTo);
    const [name, value] = await foreignParameter(foreign, visit, address.searchParams.get("code") ?? "");
    if (value === undefined) return undefined;
    address.searchParams.set(name, value);
    return { returnTo: address.href, foreign };
  });
}

/** The value is undefined if there's no other person. */
async function foreignParameter(
  foreign: ForeignPart,
  visit: FinishedVisit,
  code: string,
): Promise<[name: string, value: string | undefined]> {
  switch (foreign) {
    case "state":
      return ["state", randomBytes(32).toString("base64url")];
    case "issuer":
      return ["iss", "https://another-issuer.example"];
    case "person":
      return ["code", await codeOfAnotherPerson(visit, code)];
  }
}

/** A code that this visit's verifier redeems, for the business or, on its own visit, for another user. */
function codeOfAnotherPerson({ traceId }: FinishedVisit, code: string): Promise<string | undefined> {
  return inTransaction(async (tx) => {
    const issuedCode = await lockAuthorizationCode(tx, sha256(code));
    if (!issuedCode) return undefined;
    const { clientId, redirectUri, codeChallenge } = issuedCode;
    const users = [await findBusinessUser(tx, clientId), ...(await listUsers(tx, { clientId, limit: 2 }))];
    const userId = users.find((user) => user && user.id !== issuedCode.userId)?.id;
    if (!userId) return undefined;
    const another = newSecret("gwc_");
    const codeHash = sha256(another);
    await insertAuthorization(tx, { id: newId(), clientId, userId, codeHash, redirectUri, codeChallenge, traceId });
    return another;
  });
}
