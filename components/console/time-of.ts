const format = new Intl.DateTimeFormat("en-US", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
  timeZone: "UTC",
});

/** An instant (ISO 8601) as a time of day to the millisecond, in UTC as logs have it. */
export function timeOf(at: string): string {
  return format.format(new Date(at));
}
