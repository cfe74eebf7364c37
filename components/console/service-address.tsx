"use client";

import { createContext, type ReactNode, useContext } from "react";

const ServiceAddress = createContext("");

/** Gives its children the service's address, so that copied commands run. */
export function ServiceAddressProvider({ baseUrl, children }: { baseUrl: string; children: ReactNode }) {
  return <ServiceAddress value={baseUrl}>{children}</ServiceAddress>;
}

/** Where the service answers, without a slash at the end. */
export function useServiceAddress(): string {
  return useContext(ServiceAddress);
}
