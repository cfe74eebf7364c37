const secondsOf = { day: 24 * 60 * 60, h: 60 * 60, min: 60 };

/** How long is left, in the two greatest units: `9 days 3 h`, `1 h 12 min`, `4 min 9 s`, `9 s`; "ended" when nothing is. */
export function leftOf(ms: number): string {
  if (ms <= 0) return "ended";
  const seconds = Math.ceil(ms / 1000);
  const days = Math.floor(seconds / secondsOf.day);
  const hours = Math.floor((seconds % secondsOf.day) / secondsOf.h);
  const minutes = Math.floor((seconds % secondsOf.h) / secondsOf.min);
  if (days > 0) return `${days} ${days === 1 ? "day" : "days"} ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % secondsOf.min} s` : `${seconds} s`;
}
