import { type Round, requireRight } from "../load/round.ts";

export type Side = { name: string; measure: () => Promise<Round> };

export type LoadedSide = Side & { loadPid: number };

export type Measured = { name: string; rounds: Round[] };

/** Measures the sides in alternating order, so that machine drift affects all of them. Throws on wrong answers. */
export async function measureInTurn<Name extends string>(
  sides: Record<Name, Side>,
  { rounds, say }: { rounds: number; say: (sentence: string) => void },
): Promise<Record<Name, Measured>> {
  const all: Side[] = Object.values(sides);
  const measured = new Map(all.map((side): [Side, Round[]] => [side, []]));
  for (let number = 1; number <= rounds; number++) {
    for (const side of number % 2 === 1 ? all : all.toReversed()) {
      const round = await side.measure();
      requireRight(side.name, round);
      measured.get(side)?.push(round);
      say(
        `${number}/${rounds} ${side.name}: ${Math.round(round.perSecond)}/s${Number.isNaN(round.p99Ms) ? "" : `, p99 ${round.p99Ms.toFixed(1)} ms`}`,
      );
    }
  }
  const named = (Object.keys(sides) as Name[]).map((name): [Name, Measured] => {
    const side = sides[name];
    return [name, { name: side.name, rounds: measured.get(side) ?? [] }];
  });
  return Object.fromEntries(named) as Record<Name, Measured>;
}
