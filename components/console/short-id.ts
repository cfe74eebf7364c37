const [shownAtStart, shownAtEnd, wholeMax] = [8, 4, 20];

/** An id shortened in the middle. */
export function shortId(id: string): string {
  return id.length > wholeMax ? `${id.slice(0, shownAtStart)}…${id.slice(-shownAtEnd)}` : id;
}

/** A path with its UUIDs shortened. */
export function withShortIds(path: string): string {
  return path.replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, shortId);
}
