"use client";

import { createContext, type ReactNode, useContext } from "react";

const ServiceNameContext = createContext<string | undefined>(undefined);

/** Provides the service's name (PARTNER_SERVICE_NAME). */
export function ServiceNameProvider({ name, children }: { name: string; children: ReactNode }) {
  return <ServiceNameContext value={name}>{children}</ServiceNameContext>;
}

/** The service's name as a string. Throws outside the provider. */
export function useServiceName(): string {
  const name = useContext(ServiceNameContext);
  if (name === undefined) throw new Error("There is no ServiceNameProvider around this component.");
  return name;
}

export function ServiceName() {
  return useServiceName();
}
