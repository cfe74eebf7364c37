import type { UserIntentList, UserList } from "#lib/contract/sandbox.ts";
import type { RequestRecord } from "#lib/contract/sandbox-events.ts";

export const requestFilterNames = ["q", "method", "status", "route", "person"] as const;
/** Each is empty if unset. `status` is a status code, `errors`, or `none` for no answer; `person` is a join. */
export type RequestFilters = Record<(typeof requestFilterNames)[number], string>;

export function readRequestFilters(query: URLSearchParams): RequestFilters {
  const [q, method, status, route, person] = requestFilterNames.map((name) => query.get(name)?.trim() ?? "");
  return { q: q ?? "", method: method ?? "", status: status ?? "", route: route ?? "", person: person ?? "" };
}

/** @param idsOfPerson the ids of the chosen person's calls */
export function chooseRequests(
  requests: readonly RequestRecord[],
  { q, method, status, route, person }: RequestFilters,
  idsOfPerson: ReadonlySet<string>,
): RequestRecord[] {
  const words = q.toLowerCase();
  return requests.filter(
    (one) =>
      (!method || one.method === method) &&
      (!status || (status === "errors" ? isError(one) : statusValue(one) === status)) &&
      (!route || one.path_template === route) &&
      (!person || idsOfPerson.has(one.id)) &&
      `${one.method} ${one.path} ${one.operation} ${one.status} ${one.reason ?? ""} ${one.request_id}`
        .toLowerCase()
        .includes(words),
  );
}

export type ErrorKind = { status: string; reason: string; count: number };

/** The failed calls by status and reason, most frequent first. */
export function countErrors(requests: readonly RequestRecord[]): ErrorKind[] {
  const kinds = Map.groupBy(requests.filter(isError), (one) => `${statusValue(one)} ${one.reason ?? ""}`);
  return [...kinds]
    .map(([kind, failed]) => {
      const [status = "", reason = ""] = kind.split(" ");
      return { status, reason, count: failed.length };
    })
    .toSorted((one, other) => other.count - one.count);
}

/** A column's distinct values, in order. */
export function choicesOf(requests: readonly RequestRecord[], read: (one: RequestRecord) => string): string[] {
  return [...new Set(requests.map(read))].toSorted();
}

export function statusValue({ status }: Pick<RequestRecord, "status">): string {
  return status === null ? "none" : String(status);
}

function isError({ status }: RequestRecord): boolean {
  return status === null || status >= 400;
}

export type RequestPeople = { join: string; name: string }[];

/** The people whose calls can be selected: every user, and every intent without one. */
export function peopleOf({ user_intents }: UserIntentList, { users }: UserList): RequestPeople {
  const nameOf = (one: { first_name: string; last_name: string }) => `${one.first_name} ${one.last_name}`;
  return [
    ...users.map((user) => ({ join: `user:${user.id}`, name: nameOf(user) })),
    ...user_intents
      .filter(({ user_id }) => user_id === null)
      .map((intent) => ({ join: `intent:${intent.id}`, name: `${nameOf(intent)}, ${intent.status}` })),
  ];
}

/** The joins of a person's calls. Calls before they became a user are recorded only under their intent. */
export function joinsOf(person: string, { user_intents }: UserIntentList): string[] {
  const before = user_intents.filter(({ user_id }) => user_id !== null && `user:${user_id}` === person);
  return [person, ...before.map(({ id }) => `intent:${id}`)];
}
