"use client";

import { createContext, type ReactNode, useContext } from "react";

/** The service's address, without a trailing slash, and the page's client: another may have signed in since, in another tab. */
export type ConsoleContext = { baseUrl: string; clientId: string };

const Context = createContext<ConsoleContext>({ baseUrl: "", clientId: "" });

export function ConsoleProvider({ baseUrl, clientId, children }: ConsoleContext & { children: ReactNode }) {
  return <Context value={{ baseUrl, clientId }}>{children}</Context>;
}

export function useConsole(): ConsoleContext {
  return useContext(Context);
}
