// Decision D6: the published rule against sensitive metadata, enforced where honest values are safe from it.

/** Whether the text holds a card number: a network's prefix, that network's length (14 to 19 digits) and a Luhn sum of zero. */
export function looksLikeCardNumber(text: string): boolean {
  for (const [run] of text.matchAll(/\d(?:[ -]?\d){13,18}/g)) {
    const digits = run.replaceAll(/[ -]/g, "");
    if (networks.some((network) => network.test(digits)) && luhnSum(digits) % 10 === 0) return true;
  }
  return false;
}

/** Whether the text holds a US social security number in its written form, `ddd-dd-dddd`. */
export function looksLikeSsn(text: string): boolean {
  return /(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)/.test(text);
}

// Issuer ranges of ISO/IEC 7812: Visa, Mastercard, American Express, Discover, Diners Club, JCB, UnionPay.
const networks = [
  /^4(?:\d{15}|\d{18})$/,
  /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/,
  /^3[47]\d{13}$/,
  /^(?:6011|64[4-9]\d|65\d\d)\d{12}(?:\d{3})?$/,
  /^3(?:0[0-5]|[689]\d)\d{11}(?:\d{2,5})?$/,
  /^35(?:2[89]|[3-8]\d)\d{12}(?:\d{3})?$/,
  /^62\d{14}(?:\d{3})?$/,
];

function luhnSum(digits: string): number {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum;
}
