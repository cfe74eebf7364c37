import type { ReactNode } from "react";
import { PageWords } from "#components/partner/words/page-words.tsx";

export default function RoutinesLayout({ children }: { children: ReactNode }) {
  return <PageWords of={["connection", "paid", "pay", "person", "resolve", "statuses"]}>{children}</PageWords>;
}
