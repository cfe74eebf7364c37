// What stands between the digits of a number as people write or copy it; \p{Cf} are the marks that address books put around it.
const betweenDigits = /[\s().\-‐‑–/]|\p{Cf}/gu;

/** A US number as people write it, `(202) 555-0123` or `1 202 555 0123`, in E.164. Anything else comes back as it was. */
export function phoneInE164(typed: string): string {
  const digits = typed.replaceAll(betweenDigits, "").replace(/^(?:tel:)?\+?/, "");
  if (/^\d{10}$/.test(digits)) return `+1${digits}`;
  return /^1\d{10}$/.test(digits) ? `+${digits}` : typed;
}

/**
 * A US number as people write it, whole or as far as it has been typed; `+1` goes once the number is whole. What is no US
 * number comes back as it was, so that nothing that somebody typed is ever lost.
 */
export function formatPhone(text: string): string {
  const plain = text.replaceAll(betweenDigits, "");
  const [, country = "", national = ""] = /^(\+?1|)(\d{0,10})$/.exec(plain) ?? [];
  if (country + national !== plain || national === "") return text;
  const [area, exchange, line] = [national.slice(0, 3), national.slice(3, 6), national.slice(6)];
  const written = line ? `(${area}) ${exchange}-${line}` : exchange ? `(${area}) ${exchange}` : area;
  return country === "" || line.length === 4 ? written : `${country} ${written}`;
}
