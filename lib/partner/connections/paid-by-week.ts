import { centsOf, type Transfer } from "#client";
import type { Meaning } from "../statuses.ts";

type Payment = Pick<Transfer, "id" | "amount" | "created_at"> & {
  meaning: Meaning;
  /** Set on a return: the payment that it reverses. */
  returned?: { transferId: string } | undefined;
};

/** `startsOn`: a Sunday, as YYYY-MM-DD in UTC. */
export type PaidWeek = { startsOn: string; cents: number };

const weeksShown = 8;
const dayMs = 24 * 60 * 60 * 1000;
const weekMs = 7 * dayMs;

/**
 * Money received in each of the last weeks, oldest first, by the day it was sent, without returned payments. Undefined
 * unless at least two weeks are known and something was received.
 * @param newest the newest payments, newest first
 * @param isAll whether those are all of them
 */
export function paidByWeek(
  newest: readonly Payment[],
  { isAll, now }: { isAll: boolean; now: Date },
): PaidWeek[] | undefined {
  const times = newest.map(({ created_at = "" }) => Date.parse(created_at));
  // A payment without a time could belong to any week.
  if (times.some(Number.isNaN)) return undefined;
  // The service's clock may be ahead of ours.
  const lastStart = startOfWeek(Math.max(now.getTime(), ...times));
  const knownSince = isAll ? Number.NEGATIVE_INFINITY : Math.min(...times);
  const weeks = Array.from({ length: weeksShown }, (_, at) => lastStart - (weeksShown - 1 - at) * weekMs)
    .filter((start) => start > knownSince)
    .map((start) => ({ start, cents: 0 }));
  const returned = new Set(newest.map((payment) => payment.returned?.transferId));
  for (const [at, payment] of newest.entries()) {
    if (payment.meaning !== "succeeded" || payment.returned || returned.has(payment.id)) continue;
    const week = weeks.find(({ start }) => start === startOfWeek(times[at] ?? 0));
    const cents = centsOf(payment.amount);
    if (!week) continue;
    if (cents === undefined) return undefined;
    week.cents += cents;
  }
  if (weeks.length < 2 || weeks.every(({ cents }) => cents === 0)) return undefined;
  return weeks.map(({ start, cents }) => ({ startsOn: new Date(start).toISOString().slice(0, 10), cents }));
}

function startOfWeek(time: number): number {
  const day = new Date(time);
  return Math.floor(time / dayMs) * dayMs - day.getUTCDay() * dayMs;
}
