import { type SandboxEvent, type SandboxEventKind, sandboxEventKinds } from "#lib/contract/sandbox-events.ts";
import { searchTextOf } from "./describe-event.ts";

/** Timeline filters, kept in the URL. No kinds means all kinds. */
export type Filters = {
  kinds: SandboxEventKind[];
  search: string;
  join: string;
  event: string;
  /** Leaves out calls that only read. */
  hidesReads: boolean;
  /** Groups the steps by person. */
  isGrouped: boolean;
};

export function readFilters(query: URLSearchParams): Filters {
  const kinds = (query.get("kind") ?? "").split(",");
  return {
    kinds: sandboxEventKinds.filter((kind) => kinds.includes(kind)),
    search: query.get("q") ?? "",
    join: query.get("join") ?? "",
    event: query.get("event") ?? "",
    hidesReads: query.get("reads") === "hidden",
    isGrouped: query.get("by") === "person",
  };
}

export function addressOf({ kinds = [], search, join, event, hidesReads, isGrouped }: Partial<Filters>): string {
  const query = new URLSearchParams();
  if (kinds.length > 0) query.set("kind", kinds.join(","));
  if (search) query.set("q", search);
  if (join) query.set("join", join);
  if (event) query.set("event", event);
  if (hidesReads) query.set("reads", "hidden");
  if (isGrouped) query.set("by", "person");
  const text = query.toString();
  return text ? `/console?${text}` : "/console";
}

export function choose(
  events: SandboxEvent[],
  { kinds, search, join, hidesReads }: Omit<Filters, "event" | "isGrouped">,
): SandboxEvent[] {
  const words = search.trim().toLowerCase();
  if (kinds.length === 0 && !join && !words && !hidesReads) return events;
  return events.filter(
    (event) =>
      (kinds.length === 0 || kinds.includes(event.kind)) &&
      !(hidesReads && event.kind === "call" && event.method === "GET") &&
      (!join || event.joins.includes(join)) &&
      (!words || searchTextOf(event).includes(words)),
  );
}
