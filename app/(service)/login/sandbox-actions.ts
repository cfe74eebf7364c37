"use server";

import { refresh } from "next/cache";
import { notFound } from "next/navigation";
import type { VisitKey } from "#lib/service/operations/visits/read-visit.ts";
import { providers, type VisitControls, type VisitTools } from "#lib/service/providers.ts";
import { requireServiceListener } from "../require-service-listener.ts";
import { readVisitKey } from "./oauth/authorize/visit-key.ts";

// The sandbox bar's actions. 404 outside a sandbox or without the visit's cookie.

export async function decideByHand(form: FormData): Promise<void> {
  await go(form, async (tools, key, { decisions }) => {
    const decision = decisions.find((known) => known === form.get("decision"));
    if (decision) await tools.decidePerson(key, decision);
  });
}

export async function jump(form: FormData): Promise<void> {
  const seconds = Math.max(1, Math.floor(Number(form.get("seconds")) || 1));
  await go(form, (tools, key) => tools.advanceVisitClock(key, seconds));
}

type Act = (tools: VisitTools, key: VisitKey, controls: VisitControls) => Promise<unknown>;

async function go(form: FormData, act: Act): Promise<void> {
  await requireServiceListener();
  const tools = providers().visitTools;
  const key = await readVisitKey(String(form.get("visit") ?? ""));
  const controls = await tools?.readControls(key);
  if (!tools || !controls) notFound();
  await act(tools, key, controls);
  refresh();
}
