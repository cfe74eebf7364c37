// Separators that people write or copy; \p{Cf} covers the marks that address books add.
const betweenDigits = /[\s().\-‐‑–/]|\p{Cf}/gu;

/** A US number like `(202) 555-0123` or `1 202 555 0123` in E.164. Other text is returned unchanged. */
export function phoneInE164(typed: string): string {
  const digits = typed.replaceAll(betweenDigits, "").replace(/^(?:tel:)?\+?/, "");
  if (/^\d{10}$/.test(digits)) return `+1${digits}`;
  return /^1\d{10}$/.test(digits) ? `+${digits}` : typed;
}

/**
 * Formats a complete or partly typed US number; `+1` is dropped once it is complete. Other text is returned unchanged.
 */
export function formatPhone(text: string): string {
  const plain = text.replaceAll(betweenDigits, "");
  const [, country = "", national = ""] = /^(\+?1|)(\d{0,10})$/.exec(plain) ?? [];
  if (country + national !== plain || national === "") return text;
  const [area, exchange, line] = [national.slice(0, 3), national.slice(3, 6), national.slice(6)];
  const written = line ? `(${area}) ${exchange}-${line}` : exchange ? `(${area}) ${exchange}` : area;
  return country === "" || line.length === 4 ? written : `${country} ${written}`;
}
