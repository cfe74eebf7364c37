/** A date in US order, each part as typed. */
export type DateParts = { month: string; day: string; year: string };

/** `iso` is `YYYY-MM-DD`. */
export type ReadDate =
  | { kind: "date"; iso: string }
  | { kind: "empty" }
  | { kind: "incomplete"; missing: (keyof DateParts)[] }
  | { kind: "short_year" }
  | { kind: "impossible" };

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** As `05/14/1990`; empty when all parts are. */
export function textOfDate({ month, day, year }: DateParts): string {
  return [month, day, year].every((part) => part === "") ? "" : `${month}/${day}/${year}`;
}

/**
 * The parts of a date as people write or copy it: `5/14/1990`, `05-14-1990`, `05141990`, `1990-05-14`, `May 14, 1990`.
 */
export function partsOfDate(text: string): DateParts {
  const typed = text.trim();
  const yearFirst = /^(\d{4})\D(\d{1,2})\D(\d{1,2})$/.exec(typed);
  if (yearFirst) return partsFrom(yearFirst[2], yearFirst[3], yearFirst[1]);
  const unbroken = /^(\d{2})(\d{2})(\d{4})$/.exec(typed);
  if (unbroken) return partsFrom(unbroken[1], unbroken[2], unbroken[3]);
  const named = /^([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/i.exec(typed);
  if (named) return partsFrom(monthNumber(named[1]), named[2], named[3]);
  // Parts typed one by one are always joined by exactly one slash, even if empty.
  const [month, day, ...year] = typed.includes("/") ? typed.split("/") : typed.split(/[\s.-]+/);
  return partsFrom(month?.trim(), day?.trim(), year.join("/").replace(/\/+$/, "").trim());
}

export function isWholeDate(text: string): boolean {
  const { month, day, year } = partsOfDate(text);
  return /^\d{1,2}$/.test(month) && /^\d{1,2}$/.test(day) && /^\d{4}$/.test(year);
}

export function readDate(text: string): ReadDate {
  const parts = partsOfDate(text);
  const missing = (["month", "day", "year"] as const).filter((part) => parts[part] === "");
  if (missing.length === 3) return { kind: "empty" };
  if (missing.length > 0) return { kind: "incomplete", missing };
  if (/^\d{2}$/.test(parts.year)) return { kind: "short_year" };
  const iso = `${parts.year}-${parts.month.padStart(2, "0")}-${parts.day.padStart(2, "0")}`;
  return isDay(iso) ? { kind: "date", iso } : { kind: "impossible" };
}

/** As `May 14, 1990`; text that isn't a date is returned unchanged. */
export function longDate(text: string, locale = "en-US"): string {
  const read = readDate(text);
  if (read.kind !== "date") return text;
  return new Date(`${read.iso}T00:00:00Z`).toLocaleDateString(locale, { dateStyle: "long", timeZone: "UTC" });
}

function partsFrom(month = "", day = "", year = ""): DateParts {
  return { month, day, year };
}

function monthNumber(name = ""): string {
  const index = monthNames.indexOf(name.slice(0, 3).toLowerCase());
  return index < 0 ? name : String(index + 1).padStart(2, "0");
}

function isDay(iso: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(iso)) return false;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso);
}

/** Strips dashes and spaces. */
export function ssnDigits(typed: string): string {
  return typed.replaceAll(/[\s\-‐‑–]|\p{Cf}/gu, "");
}

/**
 * Formats a complete or partly typed number as `123-45-6789`. Leaves up to four digits as they are, because the last four
 * are a valid answer too. Other text is returned unchanged.
 */
export function formatSsn(text: string): string {
  const digits = ssnDigits(text);
  if (!/^\d{0,9}$/.test(digits)) return text;
  if (digits.length <= 4) return digits;
  return [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)].filter((part) => part !== "").join("-");
}
