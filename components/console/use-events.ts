import { useEffect, useRef, useState } from "react";
import type { EventPage, SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { followEvents } from "./follow-events.ts";

/** The events that a page holds, oldest first, and how to get more of them. */
export type HeldEvents = {
  events: SandboxEvent[];
  hasEarlier: boolean;
  /** How many came while it was paused, and are shown when it goes on. */
  waiting: number;
  isPaused: boolean;
  isLive: boolean;
  pause: (isPaused: boolean) => void;
  loadEarlier: () => Promise<void>;
};

// Shown together, because drawing is what costs.
const showEveryMs = 100;
const earlierAtOnce = 1000;

/** Holds a client's events, and adds to them as they happen: one stream, which goes on where it broke off. */
export function useEvents(firstPage: EventPage): HeldEvents {
  const [events, setEvents] = useState(firstPage.events);
  const [hasEarlier, setHasEarlier] = useState(firstPage.earlier_exist);
  const [isPaused, setIsPaused] = useState(false);
  const [isLive, setIsLive] = useState(false);
  const [waiting, setWaiting] = useState(0);
  const arrived = useRef<SandboxEvent[]>([]);
  const paused = useRef(false);
  const isLoading = useRef(false);
  const lastId = firstPage.events.at(-1)?.id ?? "0";

  useEffect(() => {
    const stop = followEvents(lastId, { event: (event) => arrived.current.push(event), live: setIsLive });
    const timer = setInterval(() => {
      if (paused.current) return setWaiting(arrived.current.length);
      const added = arrived.current.splice(0);
      if (added.length > 0) setEvents((held) => [...held, ...added]);
    }, showEveryMs);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [lastId]);

  function pause(isToPause: boolean): void {
    paused.current = isToPause;
    setIsPaused(isToPause);
    setWaiting(0);
  }

  async function loadEarlier(): Promise<void> {
    // A second press asks for the same ones.
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      const answer = await fetch(`/console/events?limit=${earlierAtOnce}&before=${events[0]?.id ?? ""}`);
      if (!answer.ok) return;
      const page = (await answer.json()) as EventPage;
      setEvents((held) => [...page.events, ...held]);
      setHasEarlier(page.earlier_exist);
    } finally {
      isLoading.current = false;
    }
  }

  return { events, hasEarlier, waiting, isPaused, isLive, pause, loadEarlier };
}
