/** What became of one part of some work: it was done, or it was undone completely. */
export type PartOutcome<T> = { kind: "done"; value: T } | { kind: "undone"; error: Error };

/** What was done of a set, part by part, and the items that could not be done even alone. */
export type DoneInParts<Item, T> = { done: T[]; undone: { item: Item; error: Error }[] };

/**
 * Does a set at once. If that fails, it does each half by itself, and so on, until only the items are left that fail alone. So
 * one bad item costs the others a few more tries and nothing else. The parts are done one after another, in the items' order.
 */
export async function doInParts<Item, T>(
  items: Item[],
  attempt: (items: Item[]) => Promise<PartOutcome<T>>,
): Promise<DoneInParts<Item, T>> {
  if (items.length === 0) return { done: [], undone: [] };
  const outcome = await attempt(items);
  if (outcome.kind === "done") return { done: [outcome.value], undone: [] };
  const [only, ...others] = items;
  if (only !== undefined && others.length === 0) return { done: [], undone: [{ item: only, error: outcome.error }] };
  const middle = Math.ceil(items.length / 2);
  const first = await doInParts(items.slice(0, middle), attempt);
  const second = await doInParts(items.slice(middle), attempt);
  return { done: [...first.done, ...second.done], undone: [...first.undone, ...second.undone] };
}
