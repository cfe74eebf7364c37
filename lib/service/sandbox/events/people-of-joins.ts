import { processWide } from "../../../kit/memoize.ts";
import { nameOfJoin } from "../storage/events.ts";

// Joins that identify a token's or code's owner.
const aboutPeople = /^(visit|intent|user):/;

type Joined = { clientId: string; joins: string[] };

// A token's user never changes, so cache it: the lookup cost grows with the number of events that have the token.
const remembered = processWide("service.people_of_tokens", () => new Map<string, string[]>());
const rememberedMax = 10_000;

export function namesToLookUp(events: Joined[]): { clientId: string; join: string }[] {
  const names = new Map<string, { clientId: string; join: string }>();
  for (const { clientId, joins } of events) {
    for (const join of joins.filter(isToken)) {
      const name = nameOfJoin(clientId, join);
      if (!remembered().has(name)) names.set(name, { clientId, join });
    }
  }
  return [...names.values()];
}

export function knownPeople(lookedUp: ReadonlyMap<string, string[]>, events: Joined[]): Map<string, string[]> {
  const known = new Map(lookedUp);
  for (const { clientId, joins } of events) {
    for (const join of joins.filter(isToken)) {
      const name = nameOfJoin(clientId, join);
      const people = remembered().get(name);
      if (people) known.set(name, people);
    }
  }
  return known;
}

/** Caches owners with a known user; evicts the oldest first. */
export function rememberPeople(known: ReadonlyMap<string, string[]>): void {
  for (const [name, people] of known) {
    if (people.some((join) => join.startsWith("user:"))) remembered().set(name, people);
  }
  for (const name of remembered().keys()) {
    if (remembered().size <= rememberedMax) break;
    remembered().delete(name);
  }
}

/**
 * Adds the visit, intent, and user of an event's tokens to its joins. Updates `known` with this event's own tokens.
 */
export function addPeople(known: Map<string, string[]>, { clientId, joins }: Joined): string[] {
  const tokens = joins.filter(isToken);
  const all = [...new Set([...joins, ...tokens.flatMap((token) => peopleOf(known, clientId, token))])];
  const people = all.filter((join) => aboutPeople.test(join));
  if (people.length > 0) for (const token of tokens) known.set(nameOfJoin(clientId, token), people);
  return all;
}

function peopleOf(known: ReadonlyMap<string, string[]>, clientId: string, token: string): string[] {
  return (known.get(nameOfJoin(clientId, token)) ?? []).filter((join) => aboutPeople.test(join));
}

function isToken(join: string): boolean {
  return join.startsWith("token:");
}
