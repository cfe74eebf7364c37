import type * as z from "zod/mini";
import { type EventPage, eventPage } from "../../../contract/sandbox-events.ts";
import { log } from "../../../kit/log.ts";
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

/** The parts of a page, under their names. One is undefined where it could not be read, or was not asked for. */
export type Parts<Asked extends Record<string, Promise<unknown> | undefined>> = {
  [Name in keyof Asked]: Awaited<Asked[Name]> | undefined;
};

/**
 * Waits for the parts of a page, so that one that cannot be read leaves the others to be shown; the log says why. Throws when
 * none can be read.
 */
export async function readParts<Asked extends Record<string, Promise<unknown> | undefined>>(
  asked: Asked,
): Promise<Parts<Asked>> {
  const parts: Partial<Parts<Asked>> = {};
  const failures: unknown[] = [];
  const readings = Object.entries(asked).filter(([, reading]) => reading !== undefined);
  await Promise.all(
    readings.map(async ([name, reading]) => {
      try {
        Object.assign(parts, { [name]: await reading });
      } catch (error) {
        failures.push(error);
        log().warn({ err: error, part: name }, "a part of a page of the console could not be read");
      }
    }),
  );
  if (failures.length === readings.length) throw failures[0];
  return parts as Parts<Asked>;
}
