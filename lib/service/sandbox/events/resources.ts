import { uuid } from "../../../contract/text.ts";

export type ResourceKind = "intent" | "user" | "visit" | "routine" | "transfer" | "webhook";

/** A record's join; none for an invalid id, since clients can send anything. */
export function joinOfResource(kind: ResourceKind | undefined, id: unknown): string[] {
  return kind && uuid.safeParse(id).success ? [`${kind}:${String(id).toLowerCase()}`] : [];
}

/** The record id in the URL, else in the answer. */
export function resourceIdOf(url: string, answer: Record<string, unknown>): string | null {
  const named = new URL(url).pathname.split("/").find((segment) => uuid.safeParse(segment).success);
  const id = named ?? answer["id"];
  return uuid.safeParse(id).success ? String(id).toLowerCase() : null;
}
