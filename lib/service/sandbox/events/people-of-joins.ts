import { processWide } from "../../../kit/memoize.ts";
import { nameOfJoin } from "../storage/events.ts";

// What a token or code says about whom it belongs to: all that is known of the event that brought it.
const aboutPeople = /^(visit|intent|user):/;

type Joined = { clientId: string; joins: string[] };

// A token whose user is known never gets another. Whoever sends the same one a thousand times is looked up once: finding its
// newest event among all that bear it costs as much as they are many.
const remembered = processWide("service.people_of_tokens", () => new Map<string, string[]>());
const rememberedMax = 10_000;

/** The tokens, of these events, whose people have to be looked up. */
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

/** What is remembered, and what was looked up, of the tokens of a set of events. */
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

/** Remembers whose tokens these are, as far as their users are known; what was learned first is forgotten first. */
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
 * The joins of an event with those that its tokens bring: the visit, intent and user that an earlier event with this token
 * belonged to. `known` learns what this event tells about its tokens.
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
