"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";

const togetherMs = 250;
// Some of what a page shows changes without an event: money settles, a lifetime ends.
const atLeastEveryMs = 5_000;

/** Has the page read again whenever something happened: told by the stream of events, and every few seconds while it is seen. */
export function LiveRefresh({ lastEvent }: { lastEvent: string }) {
  const { refresh } = useRouter();
  const [isLive, setIsLive] = useState(false);
  // Where the stream begins; from there it goes on by itself.
  const begin = useRef(lastEvent);

  useEffect(() => {
    const stream = new EventSource(`/console/events/stream?after=${begin.current}`);
    let together: ReturnType<typeof setTimeout> | undefined;
    stream.addEventListener("open", () => setIsLive(true));
    stream.addEventListener("error", () => setIsLive(false));
    stream.addEventListener("event", ({ lastEventId }) => {
      begin.current = lastEventId;
      together ??= setTimeout(() => {
        together = undefined;
        refresh();
      }, togetherMs);
    });
    const seldom = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, atLeastEveryMs);
    return () => {
      stream.close();
      clearTimeout(together);
      clearInterval(seldom);
    };
  }, [refresh]);

  return (
    <p role="status" className="text-sm text-ink-soft">
      {isLive ? "Live" : "Connecting"}
    </p>
  );
}
