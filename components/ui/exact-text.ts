/**
 * Like `Mar 10, 12:00:00.123`, with the zone name if one is given.
 * @param timeZone defaults to the reader's own
 */
export function exactText(instant: Date, { timeZone }: { timeZone?: string } = {}): string {
  const day = instant.toLocaleDateString("en-US", { month: "short", day: "numeric", timeZone });
  const time = instant.toLocaleTimeString("en-US", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
    timeZone,
  });
  return `${day}, ${time}${timeZone ? ` ${timeZone}` : ""}`;
}
