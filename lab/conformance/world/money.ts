import { randomUUID } from "node:crypto";
import { groundFor, NotReached } from "../findings.ts";
import type { Client } from "./client.ts";
import type { Exchange } from "./exchange.ts";
import { businessPerson, connect, onboard } from "./people.ts";
import { findAccounts, findSiblings, findText } from "./read-answer.ts";
import type { World } from "./world.ts";

export type Business = { client: Client; token: string; sellerToken: string; source: string; destination: string };

export type CreatedRoutine = { exchange: Exchange; routineId: string; transferId: string };

/** The shared client's business and a seller, for checks that only create routines. */
export function business(world: World): Promise<Business> {
  return world.once("business", async () => startBusiness(world, await world.client()));
}

/** Like `business`, for a separate client. */
export async function startBusiness(world: World, client: Client): Promise<Business> {
  const { access: token } = await connect(world, client, businessPerson(client));
  const { access: sellerToken } = await connect(world, client, await onboard(client));
  const source = client.instruments.source ?? (await accountOf(world, token));
  const destination = client.instruments.destination ?? (await accountOf(world, sellerToken));
  return { client, token, sellerToken, source, destination };
}

export function readAccounts(world: World, token: string): Promise<Exchange> {
  return world.send({ method: "GET", to: world.settings.accountsPath, bearer: token });
}

/** The first payment instrument of the token's user. */
export async function accountOf(world: World, token: string): Promise<string> {
  const exchange = groundFor(
    await readAccounts(world, token),
    "Payment instruments couldn't be read (--accounts-path)",
  );
  const [first] = findAccounts(exchange.answer.json) ?? [];
  const id = findText(first, ["payment_instrument_id", "account_id", "instrument_id", "id"]);
  if (!id) throw new NotReached("No payment instrument was found in the answer.", exchange);
  return id;
}

/** A routine's body with the settings' field names; undefined omits a field. */
export function routineBody(
  world: World,
  { source, destination }: Business,
  { name = newName(), amount = 1.25 as unknown } = {},
) {
  const [nameField, amountField, sourceField, destinationField] = world.settings.bookFields;
  return { [nameField]: name, [amountField]: amount, [sourceField]: source, [destinationField]: destination };
}

/** A unique routine name. */
function newName(): string {
  return `Payout ${randomUUID()}`;
}

export function requestRoutine(world: World, token: string, body: unknown, key?: string): Promise<Exchange> {
  const headers = key === undefined ? {} : { [world.settings.idempotencyHeader]: key };
  return world.send({ method: "POST", to: world.settings.bookPath, bearer: token, json: body, headers });
}

/** The ids of the created routine and transfer, at any depth of the answer. */
export function idsOf(exchange: Exchange): CreatedRoutine {
  groundFor(exchange, "No routine was created (--book-path, --book-fields)");
  const { json } = exchange.answer;
  const routineId = findText(json, ["routine_id", "book_routine_id", "id"]);
  const transferId = findText(json, ["transfer_id", "book_transfer_id"]);
  if (!routineId || !transferId) throw new NotReached("The answer doesn't have both ids.", exchange);
  return { exchange, routineId, transferId };
}

export async function makeRoutine(world: World, of: Business, body = routineBody(world, of)): Promise<CreatedRoutine> {
  return idsOf(await requestRoutine(world, of.token, body, randomUUID()));
}

/** The ids of all listed routines, read from where the list has this one's. Throws `NotReached` without such a list. */
export async function listedRoutineIds(world: World, token: string, routineId: string): Promise<Set<string>> {
  const exchange = await world.send({ method: "GET", to: "/v1/routines", bearer: token });
  if (exchange.answer.status !== 200) throw new NotReached("The service lists no routines.", exchange);
  const ids = findSiblings(exchange.answer.json, routineId);
  if (!ids) throw new NotReached("The service's list of routines doesn't show a created routine.", exchange);
  return ids;
}
