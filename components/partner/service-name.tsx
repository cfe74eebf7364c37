"use client";

import { createContext, type ReactNode, useContext } from "react";

const ServiceNameContext = createContext<string | undefined>(undefined);

/** Tells everything below how sentences call the service (PARTNER_SERVICE_NAME). */
export function ServiceNameProvider({ name, children }: { name: string; children: ReactNode }) {
  return <ServiceNameContext value={name}>{children}</ServiceNameContext>;
}

/** The service's name, where a text is needed and not an element. Throws outside of the provider. */
export function useServiceName(): string {
  const name = useContext(ServiceNameContext);
  if (name === undefined) throw new Error("There is no ServiceNameProvider around this component.");
  return name;
}

/** The service's name in a sentence of any component, rendered on the server or not. */
export function ServiceName() {
  return useServiceName();
}
