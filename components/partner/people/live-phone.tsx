"use client";

import { useQuery } from "@tanstack/react-query";
import { Phone } from "#components/sandbox/phone.tsx";
import type { SandboxPhoneContent } from "#lib/partner/sandbox/sandbox-texts.ts";
import { QueryProvider } from "../live/query-provider.tsx";

const refetchMs = 1500;

export function LivePhone() {
  return (
    <QueryProvider>
      <PhoneWithTexts />
    </QueryProvider>
  );
}

function PhoneWithTexts() {
  const { data } = useQuery({ queryKey: ["sandbox-texts"], queryFn: readTexts, refetchInterval: refetchMs });
  if (!data?.number) return null;
  return <Phone title="Your phone" number={data.number} messages={data.texts} />;
}

async function readTexts(): Promise<SandboxPhoneContent> {
  const response = await fetch("/api/sandbox/texts", { cache: "no-store" });
  if (!response.ok) throw new Error(`The phone answered ${response.status}.`);
  return response.json();
}
