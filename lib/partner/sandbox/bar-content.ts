import type { Partner } from "../partner.ts";
import { findPerson } from "../people/session.ts";
import { type Clocks, readClocks } from "./clocks.ts";
import { listPendingDecisions, type PendingDecision } from "./decide.ts";
import { type SwitchablePerson, switchableOf } from "./seed.ts";
import { listSwitchablePeople } from "./switchable-people.ts";

export type BarContent = {
  current: SwitchablePerson | null;
  others: SwitchablePerson[];
  waiting: PendingDecision[];
  clocks: Clocks;
};

/** What the sandbox bar shows in this browser; undefined outside a sandbox. */
export async function readBarContent(partner: Partner): Promise<BarContent | undefined> {
  if (!partner.config.isSandbox) return undefined;
  const person = await findPerson();
  const [people, waiting, clocks] = await Promise.all([
    listSwitchablePeople(partner),
    person ? listPendingDecisions(partner, person) : [],
    readClocks(partner),
  ]);
  const current = person ? switchableOf(person) : null;
  return { current, others: people.filter((other) => other.email !== current?.email), waiting, clocks };
}
