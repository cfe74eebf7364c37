import { type EventPage, eventPage } from "../../../contract/sandbox-events.ts";
import { callService } from "./call-service.ts";
import type { ConsoleClient } from "./console-session.ts";

const firstPageEvents = 500;
const eventsBefore = 50;

/** What a timeline begins with: the newest events, or, when an address names one, that one with some before it. */
export async function readFirstPage(
  client: ConsoleClient,
  { eventId }: { eventId: string | undefined },
): Promise<EventPage> {
  const isNamed = /^\d{1,15}$/.test(eventId ?? "");
  const after = isNamed ? `&after=${Math.max(0, Number(eventId) - eventsBefore)}` : "";
  const answer = await callService(client, `/sandbox/events?limit=${firstPageEvents}${after}`);
  if (answer.status !== 200) throw new Error(`The events of the console could not be read: ${answer.status}.`);
  return eventPage.parse(await answer.json());
}
