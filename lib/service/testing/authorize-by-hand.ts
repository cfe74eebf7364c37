import { authorizeVisit } from "../operations/visits/authorize-visit.ts";
import { verifyCode } from "../operations/visits/verify-code.ts";
import { readTestCodes } from "./visits.ts";

/**
 * Goes to an authorization address as a browser does, enters the code that was texted to `phone` (none is when the
 * session token was trusted), presses Authorize, and returns the address that the person is sent to.
 */
export async function authorizeByHand(address: URL, { clientId, phone }: { clientId: string; phone: string }) {
  const answer = await fetch(address, { redirect: "manual" });
  const visitId = /^\/login\/oauth\/authorize\/(.+)$/.exec(answer.headers.get("location") ?? "")?.[1];
  const visitSecret = /^visit-[^=]+=([^;]+);/.exec(answer.headers.get("set-cookie") ?? "")?.[1];
  if (!visitId || !visitSecret) throw new Error(`No visit was opened: ${answer.status} ${await answer.text()}`);
  const key = { visitId, visitSecret };
  const [verificationCode] = await readTestCodes({ clientId }, phone);
  if (verificationCode) await verifyCode(key, verificationCode);
  const outcome = await authorizeVisit(key);
  if (outcome.kind !== "authorized") throw new Error("The visit did not stand at consent.");
  return { returnTo: new URL(outcome.returnTo), visitSecret, verificationCode };
}
