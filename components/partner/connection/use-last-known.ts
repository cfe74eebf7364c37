"use client";

import { useState } from "react";
import type { ConnectedUser } from "#lib/partner/connections/read-connected-user.ts";

/** What to show while the service does not answer: what it told last, if it told anything while this page was open. */
export function useLastKnown(now: ConnectedUser): { shown: ConnectedUser; isLastKnown: boolean } {
  const [last, setLast] = useState(now);
  if (now === last) return { shown: now, isLastKnown: false };
  if (now.kind === "unavailable" && last.kind === "ok") return { shown: last, isLastKnown: true };
  setLast(now);
  return { shown: now, isLastKnown: false };
}
