/**
 * Whether two texts name one phone. Its format in a customer record or user record is not published: punctuation does not
 * count, nor does the country code of the US, the only country whose phones are taken. Decisions D6 and D11
 */
export function isSamePhone(one: string, other: string): boolean {
  const [national, otherNational] = [nationalNumber(one), nationalNumber(other)];
  return national.length === 10 && national === otherNational;
}

function nationalNumber(phone: string): string {
  return phone.replaceAll(/\D/g, "").replace(/^(?:00|011)?1(?=\d{10}$)/, "");
}
