import * as z from "zod/mini";
import { type EventPage, eventPage } from "../../../contract/sandbox-events.ts";
import { log } from "../../../kit/log.ts";
import { processWide } from "../../../kit/memoize.ts";
import { serviceConfig } from "../../config.ts";
import type { ConsoleClient } from "./console-session.ts";

/** The service no longer accepts the signed-in client's id and secret. */
export class ClientRefusedError extends Error {}

/** The parsed response of a sandbox `GET`. Throws if it doesn't match the schema. */
export async function read<Schema extends z.ZodMiniType>(
  client: ConsoleClient,
  path: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const answer = await callService(client, path);
  if (answer.status !== 200) {
    const Refusal = answer.status === 401 ? ClientRefusedError : Error;
    throw new Refusal(`GET ${path} answered the console ${answer.status}.`);
  }
  return schema.parse(await answer.json());
}

/** The id of the newest event; "0" when there is none. */
export async function readLastEvent(client: ConsoleClient): Promise<string> {
  const { events } = await readEvents(client, "limit=1");
  return events.at(-1)?.id ?? "0";
}

export function readEvents(client: ConsoleClient, query: string): Promise<EventPage> {
  return read(client, `/sandbox/events?${query}`, eventPage);
}

/** A page's parts by name; undefined if one failed or wasn't requested. */
export type Parts<Pending extends Record<string, Promise<unknown> | undefined>> = {
  [Name in keyof Pending]: Awaited<Pending[Name]> | undefined;
};

/** Waits for a page's parts. Logs failures and keeps the rest; throws if all fail or the client is refused. */
export async function readParts<Pending extends Record<string, Promise<unknown> | undefined>>(
  pending: Pending,
): Promise<Parts<Pending>> {
  const parts: Partial<Parts<Pending>> = {};
  const failures: unknown[] = [];
  const readings = Object.entries(pending).filter(([, reading]) => reading !== undefined);
  await Promise.all(
    readings.map(async ([name, reading]) => {
      try {
        Object.assign(parts, { [name]: await reading });
      } catch (error) {
        if (error instanceof ClientRefusedError) throw error;
        failures.push(error);
        log().warn({ err: error, part: name }, "a part of a console page could not be loaded");
      }
    }),
  );
  if (failures.length === readings.length) throw failures[0];
  return parts as Parts<Pending>;
}

const firstPageEvents = 500;
const eventsBefore = 50;

/** A timeline's first page: the newest events, or those up to the given event. */
export function readFirstPage(client: ConsoleClient, { eventId }: { eventId: string | undefined }): Promise<EventPage> {
  const isNamed = /^\d{1,15}$/.test(eventId ?? "");
  const after = isNamed ? `&after=${Math.max(0, Number(eventId) - eventsBefore)}` : "";
  return readEvents(client, `limit=${firstPageEvents}${after}`);
}

const choices = <Schema extends z.ZodMiniType>(schema: Schema) => z.object({ enum: z.array(schema) });

// The schema of fault values in the OpenAPI document.
const faultDocument = z.object({
  paths: z.object({
    "/sandbox/faults": z.object({
      put: z.object({
        requestBody: z.object({
          content: z.object({
            "application/json": z.object({
              schema: z.object({
                properties: z.object({ operation: choices(z.string()), status: choices(z.number()) }),
              }),
            }),
          }),
        }),
      }),
    }),
  }),
});

/** Fault operations and statuses, from the OpenAPI document. */
export async function readFaultChoices(client: ConsoleClient): Promise<{ operations: string[]; statuses: number[] }> {
  const { paths } = await read(client, "/openapi.json", faultDocument);
  const { schema } = paths["/sandbox/faults"].put.requestBody.content["application/json"];
  const { operation, status } = schema.properties;
  return { operations: operation.enum, statuses: status.enum.toSorted((one, other) => one - other) };
}

const ownApi = processWide<{ url?: string }>("service.own-api", () => ({}));

/** Makes the console call the API at this process's own listener instead of the base address. */
export function callOwnApiAt(url: string): void {
  ownApi().url = url;
}

/** Calls the service over HTTP with the client's credentials. */
export function callService(
  { clientId, clientSecret }: ConsoleClient,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(":");
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return fetch(new URL(path, ownApi().url ?? serviceConfig().baseUrl), {
    ...init,
    headers: { ...init.headers, authorization },
    cache: "no-store",
  });
}
