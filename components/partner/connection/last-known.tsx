"use client";

import { useState } from "react";
import { Alert } from "#components/ui/alert.tsx";
import type { ConnectedUser } from "#lib/partner/connections/read-connected-user.ts";
import { ServiceName } from "../service-name.tsx";

export function LastKnown({ isShown }: { isShown: boolean }) {
  if (!isShown) return null;
  return (
    <Alert tone="warning" title="This may be out of date">
      We can't reach <ServiceName /> right now. We'll keep trying.
    </Alert>
  );
}

/** Keeps the last good data while the service is unavailable. */
export function useLastKnown(now: ConnectedUser): { shown: ConnectedUser; isLastKnown: boolean } {
  const [last, setLast] = useState(now);
  if (now === last) return { shown: now, isLastKnown: false };
  if (now.kind === "unavailable" && last.kind === "ok") return { shown: last, isLastKnown: true };
  setLast(now);
  return { shown: now, isLastKnown: false };
}
