"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { QueryProvider } from "../query-provider.tsx";
import { isLive, listenLive } from "./live-connection.ts";
import { createReadAgain } from "./read-again.ts";
import { signInAgain } from "./sign-in-again.ts";

/** What a part of a signed-in person's page needs that is told what changes: it then reads that again (`useLiveQuery`). */
export function LiveProvider({ children }: { children: ReactNode }) {
  return (
    <QueryProvider>
      <LiveReading />
      {children}
    </QueryProvider>
  );
}

function LiveReading() {
  const client = useQueryClient();
  useEffect(() => {
    const readAgain = createReadAgain(client);
    // What this page began with may be older than the stream that another page opened.
    if (isLive()) void readAgain({ kind: "ready" });
    let stay = () => {};
    const stopListening = listenLive({
      onLive: () => {},
      onEvent: (event) => {
        if (event.kind === "session_ended") stay = signInAgain();
        else void readAgain(event);
      },
    });
    return () => {
      stay();
      stopListening();
    };
  }, [client]);
  return null;
}
