import { randomUUID } from "node:crypto";
import type { LoadConnection } from "./http.ts";
import type { Work } from "./round.ts";

/** A load in serializable form, for the generator's process. */
export type Scenario =
  | { kind: "read"; path: string; authorizations: string[] }
  | { kind: "page"; path: string; cookie: string }
  /** Refreshes rotating users with their newest tokens; actors don't share users. */
  | { kind: "refresh"; path: string; authorization: string; refreshTokens: string[] }
  | { kind: "book"; authorization: string; sourceIds: string[]; destinationIds: string[] }
  | { kind: "mixed"; inTurn: Scenario[] };

export function actorsOf(scenario: Scenario, connections: LoadConnection[]): Work[] {
  return connections.map((connection, position) => workOf(scenario, { connection, position, of: connections.length }));
}

type Actor = { connection: LoadConnection; position: number; of: number };

function workOf(scenario: Scenario, actor: Actor): Work {
  const { connection, position, of } = actor;
  switch (scenario.kind) {
    case "read":
      return read(connection, scenario, position);
    case "page":
      return readPage(connection, scenario);
    case "refresh":
      return refresh(
        connection,
        scenario,
        scenario.refreshTokens.filter((_, index) => index % of === position),
      );
    case "book":
      return book(connection, scenario, position);
    case "mixed": {
      const next = inTurn(
        scenario.inTurn.map((part) => workOf(part, actor)),
        position,
      );
      return () => next()();
    }
  }
}

function read(
  connection: LoadConnection,
  { path, authorizations }: Extract<Scenario, { kind: "read" }>,
  position: number,
): Work {
  const next = inTurn(authorizations, position);
  return async () => {
    const headers = ["accept", "application/json", "authorization", next()];
    const { status } = await connection.send({ method: "GET", path, headers });
    return status === 200;
  };
}

function readPage(connection: LoadConnection, { path, cookie }: Extract<Scenario, { kind: "page" }>): Work {
  const headers = ["accept", "text/html", ...(cookie ? ["cookie", cookie] : [])];
  return async () => {
    const { status } = await connection.send({ method: "GET", path, headers });
    if (status !== 200) throw new Error(`${path} returned ${status}.`);
    return true;
  };
}

function refresh(
  connection: LoadConnection,
  { path, authorization }: Extract<Scenario, { kind: "refresh" }>,
  tokens: string[],
): Work {
  const headers = [
    ...["accept", "application/json", "authorization", authorization],
    ...["content-type", "application/x-www-form-urlencoded"],
  ];
  let turn = 0;
  return async () => {
    const user = turn++ % tokens.length;
    const body = `grant_type=refresh_token&refresh_token=${tokens[user]}`;
    const { status, text } = await connection.send({ method: "POST", path, headers, body });
    const { refresh_token: renewed } = JSON.parse(text) as { refresh_token?: string };
    if (status !== 200 || renewed === undefined) throw new Error(`${status} ${text.slice(0, 200)}`);
    tokens[user] = renewed;
    return true;
  };
}

function book(
  connection: LoadConnection,
  { authorization, sourceIds, destinationIds }: Extract<Scenario, { kind: "book" }>,
  position: number,
): Work {
  const common = ["accept", "application/json", "authorization", authorization, "content-type", "application/json"];
  const nextSource = inTurn(sourceIds, position);
  const nextDestination = inTurn(destinationIds, position);
  return async () => {
    const headers = [...common, "idempotency-key", randomUUID()];
    const body = JSON.stringify({
      name: "Payout",
      amount: 0.01,
      source_id: nextSource(),
      destination_id: nextDestination(),
    });
    const { status, text } = await connection.send({ method: "POST", path: "/v1/routines/book", headers, body });
    if (status !== 201) throw new Error(`${status} ${text.slice(0, 200)}`);
    return true;
  };
}

/** Cycles through the items, starting at a different one per actor. */
function inTurn<Item>(items: Item[], position: number): () => Item {
  let turn = position * 7;
  return () => {
    const item = items[turn++ % items.length];
    if (item === undefined) throw new Error("A scenario needs at least one of each.");
    return item;
  };
}
