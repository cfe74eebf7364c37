"use client";

import { type ComponentProps, createContext, type ReactNode, useContext } from "react";
import { pagePersonField } from "#lib/partner/live/live-event.ts";

const PagePersonContext = createContext<string | undefined>(undefined);

/** Provides the id of the person this page was rendered for. */
export function PagePersonProvider({ id, children }: { id: string | undefined; children: ReactNode }) {
  return <PagePersonContext value={id}>{children}</PagePersonContext>;
}

/** A form for `useFormAction`. It names the page's person, so that Harbor does nothing once someone else is signed in. */
export function ActionForm({ children, ...props }: ComponentProps<"form">) {
  const person = useContext(PagePersonContext);
  return (
    <form {...props}>
      {/* Otherwise Firefox restores the previous person's id on a reload. */}
      {person === undefined ? null : <input type="hidden" name={pagePersonField} value={person} autoComplete="off" />}
      {children}
    </form>
  );
}
