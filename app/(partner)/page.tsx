import type { Metadata } from "next";
import { Home } from "#components/partner/home/home.tsx";
import { findPerson } from "#lib/partner/people/session.ts";
import { words } from "#lib/partner/words/words.ts";

export function generateMetadata(): Metadata {
  return { title: { absolute: words("about")("title") } };
}

export default async function HomePage() {
  const person = await findPerson();
  return <Home role={person?.role} />;
}
