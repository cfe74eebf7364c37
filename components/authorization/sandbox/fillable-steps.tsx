"use client";

import type { DeviceMessage } from "#components/sandbox/device.tsx";
import { type Fillable, typeInto, useFillable } from "#components/sandbox/fillable.ts";
import { screeningOutcomes, ssnFor } from "#components/sandbox/outcomes.ts";

/** Lets the sandbox bar enter the code from the newest text. */
export function FillableCode({ visitId }: { visitId: string }) {
  useFillable({ label: "Enter the code", fill: () => enterCode(visitId) });
  return null;
}

/** Lets the sandbox bar fill in a retry. */
export function FillableRetry() {
  useFillable(retry);
  return null;
}

/** Lets the sandbox bar choose a sample photo ID. */
export function FillableDocument() {
  useFillable(photo);
  return null;
}

async function enterCode(visitId: string): Promise<string> {
  const answer = await fetch(`/login/oauth/authorize/${visitId}/messages`, { cache: "no-store" });
  const messages: DeviceMessage[] = answer.ok ? await answer.json() : [];
  const code = messages.map(({ text }) => /\b\d{6}\b/.exec(text)?.[0]).findLast(Boolean);
  if (!code) return "No code has arrived yet.";
  (await typeInto("code", { code }))?.requestSubmit();
  return "Entered the code from the phone.";
}

const retry: Fillable = {
  label: "Fill it in",
  // There's only one retry.
  outcomes: screeningOutcomes.filter(({ value }) => value !== "retry"),
  fill: async ({ dateOfBirth: { month, day, year }, ssn }, outcome) => {
    const date = { date_of_birth_month: month, date_of_birth_day: day, date_of_birth_year: year };
    await typeInto("ssn", { ...date, ssn: ssnFor(ssn, outcome) });
    return undefined;
  },
};

const photo: Fillable = {
  label: "Choose a sample",
  fill: async ({ firstName, lastName }) => {
    const input = document.getElementById("photo");
    if (!(input instanceof HTMLInputElement)) return undefined;
    const files = new DataTransfer();
    files.items.add(await specimenPhoto(`${firstName} ${lastName}`));
    input.files = files.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    return "Chose a sample picture.";
  },
};

export async function specimenPhoto(name: string): Promise<File> {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [640, 400];
  const context = canvas.getContext("2d");
  if (context) {
    context.fillStyle = "#dfe3e8";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = "#20242a";
    context.font = "36px sans-serif";
    context.fillText("SAMPLE, NOT AN ID", 40, 90);
    context.fillText(name, 40, 180);
  }
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  return new File(picture ? [picture] : [], "specimen.png", { type: "image/png" });
}
