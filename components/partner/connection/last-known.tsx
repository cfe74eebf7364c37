"use client";

import { useState, useSyncExternalStore } from "react";
import { Alert } from "#components/ui/alert.tsx";
import { ClockTime } from "#components/ui/exact-time.tsx";
import { useWords } from "#use-words";

type LastKnownProps = {
  /** When the shown data was read (ISO 8601). */
  readAt: string;
  /** The service didn't answer Harbor (`useLastKnown`). */
  isLastKnown: boolean;
  /** Harbor didn't answer the page (`useLiveQuery`). */
  isError: boolean;
};

/** Says that the data is out of date, since when, and why. */
export function LastKnown({ readAt, isLastKnown, isError }: LastKnownProps) {
  const t = useWords("payments.lastKnown");
  const isOnline = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
  if (isOnline && !isError && !isLastKnown) return null;
  const cause = isOnline ? (isError ? "harbor" : "service") : "offline";
  return (
    <Alert tone="warning" title={t("title")}>
      {t.rich(cause, { time: () => <ClockTime at={readAt} /> })}
    </Alert>
  );
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener("online", onChange);
  window.addEventListener("offline", onChange);
  return () => {
    window.removeEventListener("online", onChange);
    window.removeEventListener("offline", onChange);
  };
}

/** Keeps the last good data while the service is unavailable. */
export function useLastKnown<Reading extends { kind: string }>(now: Reading): { shown: Reading; isLastKnown: boolean } {
  const [last, setLast] = useState(now);
  if (now === last) return { shown: now, isLastKnown: false };
  if (now.kind === "unavailable" && last.kind === "ok") return { shown: last, isLastKnown: true };
  setLast(now);
  return { shown: now, isLastKnown: false };
}
