import type { EventPage } from "../../../contract/sandbox-events.ts";
import type { ConsoleClient } from "./console-session.ts";
import { readEvents } from "./read.ts";

const firstPageEvents = 500;
const eventsBefore = 50;

/** What a timeline begins with: the newest events, or, when an address names one, that one with some before it. */
export function readFirstPage(client: ConsoleClient, { eventId }: { eventId: string | undefined }): Promise<EventPage> {
  const isNamed = /^\d{1,15}$/.test(eventId ?? "");
  const after = isNamed ? `&after=${Math.max(0, Number(eventId) - eventsBefore)}` : "";
  return readEvents(client, `limit=${firstPageEvents}${after}`);
}
