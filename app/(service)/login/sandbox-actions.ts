"use server";

import { refresh } from "next/cache";
import { notFound } from "next/navigation";
import { decideVisitPerson, jumpVisitClock, readVisitControls } from "#lib/service/operations/visits/control-visit.ts";
import type { VisitKey } from "#lib/service/operations/visits/visit-key.ts";
import { requireServiceListener } from "../require-service-listener.ts";
import { readVisitKey } from "./oauth/authorize/visit-key.ts";

// What the sandbox bar of a visit's page does. Outside a sandbox, and without the visit's own cookie, there is nothing here.

export async function decideByHand(form: FormData): Promise<void> {
  await go(form, async (key, { decisions }) => {
    const decision = decisions.find((known) => known === form.get("decision"));
    return decision !== undefined && decideVisitPerson(key, decision);
  });
}

export async function jump(form: FormData): Promise<void> {
  await go(form, (key) => jumpVisitClock(key, Math.max(1, Math.floor(Number(form.get("seconds")) || 1))));
}

type Controls = NonNullable<Awaited<ReturnType<typeof readVisitControls>>>;

async function go(form: FormData, act: (key: VisitKey, controls: Controls) => Promise<boolean>): Promise<void> {
  await requireServiceListener();
  const key = await readVisitKey(String(form.get("visit") ?? ""));
  const controls = await readVisitControls(key);
  if (!controls) notFound();
  await act(key, controls);
  refresh();
}
