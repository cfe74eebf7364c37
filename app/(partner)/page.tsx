import type { Metadata } from "next";
import { Home } from "#components/partner/home/home.tsx";
import { findPerson } from "#lib/partner/people/session.ts";

export const metadata: Metadata = { title: { absolute: "Harbor: a marketplace that pays its sellers" } };

export default async function HomePage() {
  const person = await findPerson();
  return <Home role={person?.role} />;
}
