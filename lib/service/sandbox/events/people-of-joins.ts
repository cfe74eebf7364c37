import { nameOfJoin } from "../../storage/sandbox-events.ts";

// What a token or code says about whom it belongs to: all that is known of the event that brought it.
const aboutPeople = /^(visit|intent|user):/;

type Joined = { clientId: string; joins: string[] };

/** The tokens, of these events, whose people have to be looked up. */
export function namesToLookUp(events: Joined[]): { clientId: string; join: string }[] {
  const names = new Map<string, { clientId: string; join: string }>();
  for (const { clientId, joins } of events) {
    for (const join of joins.filter(isToken)) names.set(nameOfJoin(clientId, join), { clientId, join });
  }
  return [...names.values()];
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
