import type { Partner } from "../partner.ts";
import type { Person } from "../people/session.ts";
import { openEncryptedCookie } from "../requests/encrypted-cookie.ts";
import { listDemoPeople, listSwitchable, type SwitchablePerson } from "./seed.ts";

const rememberedMax = 3;
const lifetimeSeconds = 30 * 24 * 60 * 60;

/** The demo people, and people who signed in here before; none outside a sandbox. */
export async function listSwitchablePeople(partner: Partner): Promise<SwitchablePerson[]> {
  const demoPeople = await listDemoPeople(partner);
  if (demoPeople.length === 0) return [];
  const { emails = [] } = await openCookie(partner);
  const remembered = await listSwitchable(partner, emails);
  const isDemo = new Set(demoPeople.map(({ email }) => email));
  return [...demoPeople, ...remembered.filter(({ email }) => !isDemo.has(email))];
}

/** Lets this browser switch back to its signed-in person later. */
export async function rememberSwitchablePerson(partner: Partner, { email }: Pick<Person, "email">): Promise<void> {
  const cookie = await openCookie(partner);
  cookie.emails = [email, ...(cookie.emails ?? []).filter((known) => known !== email)].slice(0, rememberedMax);
  await cookie.save();
}

export async function forgetSwitchablePeople(partner: Partner): Promise<void> {
  (await openCookie(partner)).destroy();
}

function openCookie(partner: Partner) {
  return openEncryptedCookie<{ emails?: string[] }>(partner, "sandbox", lifetimeSeconds);
}
