import { uuid } from "../../../contract/text.ts";

/** What an event can belong to by the id of a record. */
export type ResourceKind = "intent" | "user" | "visit" | "routine" | "transfer" | "webhook";

/** The join of a record; none when there is no such id, because whatever a client sends might stand in its place. */
export function joinOfResource(kind: ResourceKind | undefined, id: unknown): string[] {
  return kind && uuid.safeParse(id).success ? [`${kind}:${String(id).toLowerCase()}`] : [];
}

/** The id of the record that an address names, else of the one that was answered. */
export function resourceIdOf(url: string, answer: Record<string, unknown>): string | null {
  const named = new URL(url).pathname.split("/").find((segment) => uuid.safeParse(segment).success);
  const id = named ?? answer["id"];
  return uuid.safeParse(id).success ? String(id).toLowerCase() : null;
}
