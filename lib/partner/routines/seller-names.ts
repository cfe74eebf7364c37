import type { Partner } from "../partner.ts";
import { listSellersNamed, type NamedSeller } from "../storage/service-users.ts";

/** The name of one of these sellers; of several with the same name, with what tells them apart. */
export function nameAmong({ firstName, lastName, email, phone }: NamedSeller, all: NamedSeller[]): string {
  const name = `${firstName} ${lastName}`;
  const namesakes = all.filter((one) => `${one.firstName} ${one.lastName}`.toLowerCase() === name.toLowerCase());
  if (namesakes.length === 1) return name;
  // The digits first: a phone cuts the end of a choice off.
  return `${name} (phone\u00a0••${phone.slice(-4)}, ${email.slice(0, 1)}•••${email.slice(email.indexOf("@"))})`;
}

/** These payments, in which sellers of the same name are told apart. */
export async function tellSellersApart<Row extends { sellerUserId: string; sellerName: string }>(
  partner: Partner,
  rows: Row[],
): Promise<Row[]> {
  const all = await listSellersNamed(partner.db, [...new Set(rows.map(({ sellerName }) => sellerName))]);
  return rows.map((row) => {
    const seller = all.find(({ id }) => id === row.sellerUserId);
    return seller ? { ...row, sellerName: nameAmong(seller, all) } : row;
  });
}
