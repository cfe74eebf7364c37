/** Calls `make` once, or again if it threw. */
export function memoize<T>(make: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}

/** Like memoize, but once per process and name, because Next's bundle holds a second copy of every module. */
export function processWide<T>(name: string, make: () => T): () => T {
  const key = Symbol.for(`gangway.${name}`);
  const values = globalThis as unknown as Record<symbol, { value: T } | undefined>;
  return () => {
    values[key] ??= { value: make() };
    return values[key].value;
  };
}
