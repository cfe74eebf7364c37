"use client";

import { createContext, type ReactNode, useContext } from "react";

const ConsoleClientId = createContext("");

export function ConsoleClientProvider({ clientId, children }: { clientId: string; children: ReactNode }) {
  return <ConsoleClientId value={clientId}>{children}</ConsoleClientId>;
}

/** The client that the page belongs to. Another one may have signed in since, in another tab. */
export function useConsoleClientId(): string {
  return useContext(ConsoleClientId);
}
