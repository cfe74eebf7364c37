import type { Metadata } from "next";
import { sentences } from "#brand/sentences.ts";
import { Home } from "#components/partner/home/home.tsx";
import { findPerson } from "#lib/partner/people/session.ts";

export const metadata: Metadata = { title: { absolute: sentences.title } };

export default async function HomePage() {
  const person = await findPerson();
  return <Home role={person?.role} />;
}
