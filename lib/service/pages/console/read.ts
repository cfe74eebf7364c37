import type * as z from "zod/mini";
import { type EventPage, eventPage } from "../../../contract/sandbox-events.ts";
import { callService } from "./call-service.ts";
import type { ConsoleClient } from "./console-session.ts";

/** What a `GET` of the sandbox answers, by its schema. Throws when it is anything else. */
export async function read<Schema extends z.ZodMiniType>(
  client: ConsoleClient,
  path: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const answer = await callService(client, path);
  if (answer.status !== 200) throw new Error(`GET ${path} answered the console ${answer.status}.`);
  return schema.parse(await answer.json());
}

/** The id of the newest event; "0" when there is none. */
export async function readLastEvent(client: ConsoleClient): Promise<string> {
  const { events } = await readEvents(client, "limit=1");
  return events.at(-1)?.id ?? "0";
}

/** A page of events, by a query as `GET /sandbox/events` takes it. */
export function readEvents(client: ConsoleClient, query: string): Promise<EventPage> {
  return read(client, `/sandbox/events?${query}`, eventPage);
}
