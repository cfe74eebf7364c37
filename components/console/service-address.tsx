"use client";

import { createContext, type ReactNode, useContext } from "react";

const ServiceAddress = createContext("");

export function ServiceAddressProvider({ baseUrl, children }: { baseUrl: string; children: ReactNode }) {
  return <ServiceAddress value={baseUrl}>{children}</ServiceAddress>;
}

/** Without a trailing slash. */
export function useServiceAddress(): string {
  return useContext(ServiceAddress);
}
