"use client";

import { createContext, type ReactNode, useContext } from "react";

const ServiceAddress = createContext("");

/** Tells what is inside where the service answers, so that what is copied there can be run. */
export function ServiceAddressProvider({ baseUrl, children }: { baseUrl: string; children: ReactNode }) {
  return <ServiceAddress value={baseUrl}>{children}</ServiceAddress>;
}

/** Where the service answers, without a slash at the end. */
export function useServiceAddress(): string {
  return useContext(ServiceAddress);
}
