"use client";

import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { queryOfStep, stepOfQuery } from "./onboarding-steps.ts";

/**
 * The step in view, which the page's address names, so that Back, Forward and a reload do what they do on any page. No
 * address leads farther than the person has got (`reached`): nothing is sent that nobody has seen.
 */
export function useStep() {
  const query = useSearchParams();
  const [reached, setReached] = useState(0);
  const named = stepOfQuery(query);

  function goTo(step: number): void {
    setReached(Math.max(reached, step));
    if (step !== (named ?? 0)) window.history.pushState(null, "", addressOf(step, query));
  }

  /** After a reload: how far the person had got, and the step to show when the address names none. */
  function restore(place: { step: number; reached: number } | undefined): void {
    const farthest = place?.reached ?? 0;
    setReached(farthest);
    // Somebody who begins again looks at every answer once more.
    const wanted = named ?? (query.has("again") ? 0 : (place?.step ?? 0));
    const address = addressOf(Math.min(wanted, farthest), query);
    // Where nothing changes, the entry keeps what the router noted in it, without which Back to it would show nothing new.
    if (address !== window.location.pathname + window.location.search) window.history.replaceState(null, "", address);
  }

  return { step: Math.min(named ?? 0, reached), reached, goTo, restore };
}

function addressOf(step: number, query: URLSearchParams): string {
  return window.location.pathname + queryOfStep(step, new URLSearchParams(query));
}
