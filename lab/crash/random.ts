import { createHash } from "node:crypto";

/** A seeded, reproducible random stream. */
export type Random = {
  integer: (min: number, max: number) => number;
  chance: (percent: number) => boolean;
  pick: <T>(list: readonly [T, ...T[]]) => T;
  shuffle: <T>(list: readonly T[]) => T[];
  uuid: () => string;
};

/** A separate stream per name, so actors' decisions don't depend on each other's timing. */
export function randomFrom(seed: number, name: string): Random {
  let counter = 0;
  function bytes(): Buffer {
    counter += 1;
    return createHash("sha256").update(`${seed} ${name} ${counter}`).digest();
  }
  function integer(min: number, max: number): number {
    return min + (bytes().readUIntBE(0, 6) % (max - min + 1));
  }
  return {
    integer,
    chance: (percent) => integer(1, 100) <= percent,
    pick: (list) => list[integer(0, list.length - 1)] ?? list[0],
    shuffle: (list) => {
      const keyed = list.map((item) => ({ item, index: integer(0, 2 ** 40) }));
      return keyed.sort((left, right) => left.index - right.index).map(({ item }) => item);
    },
    uuid: () => {
      const hex = bytes().toString("hex");
      // Version 4 (RFC 9562 section 5.4).
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    },
  };
}
