const format = new Intl.DateTimeFormat("en-US", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

/** An instant (ISO 8601) to the millisecond, in this browser's time. */
export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="font-mono tabular-nums">
      {format.format(new Date(at))}
    </time>
  );
}
