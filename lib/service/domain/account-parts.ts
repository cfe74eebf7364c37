/** How many parts an account may have at most. Few, because what does not fit in one part locks all of them. */
export const accountPartsMax = 16;

/** What one part of an account has, and has held of that. In cents, exact at any size. */
export type PartOfAccount = { balanceCents: bigint; heldCents: bigint };

/**
 * Parts with these holds among which what is available is spread evenly; the first ones have a cent more where it does not
 * come out even. Together they have what there was.
 */
export function spreadEvenly(availableCents: bigint, heldCents: readonly bigint[]): PartOfAccount[] {
  const count = BigInt(heldCents.length);
  return heldCents.map((held, place) => {
    const share = availableCents / count + (BigInt(place) < availableCents % count ? 1n : 0n);
    return { balanceCents: held + share, heldCents: held };
  });
}
