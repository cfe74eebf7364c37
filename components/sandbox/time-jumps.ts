const secondsOf = { day: 24 * 60 * 60, hour: 60 * 60, minute: 60 };
const units = ["day", "hour", "minute"] as const;

/** Clock jumps in seconds: past an access token, a day, a refresh token, and a trusted sign-in. */
export const jumps = (
  [
    [2, "hour"],
    [1, "day"],
    [11, "day"],
    [31, "day"],
  ] as const
).map(([count, unit]) => [count * secondsOf[unit], counted(count, unit)] as const);

/** A clock offset in words. */
export function aheadOf(seconds: number): string {
  let left = seconds;
  const parts = units.flatMap((unit) => {
    const count = Math.floor(left / secondsOf[unit]);
    left -= count * secondsOf[unit];
    return count > 0 ? [counted(count, unit)] : [];
  });
  if (parts.length > 0) return `${parts.join(" ")} ahead`;
  return seconds > 0 ? "less than a minute ahead" : "real time";
}

function counted(count: number, unit: keyof typeof secondsOf): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
