import { type Fillable, typeInto } from "#components/sandbox/fillable.ts";
import type { SandboxPhoneContent } from "#lib/partner/sandbox/sandbox-texts.ts";

/** Enters the code of the newest text on the sandbox's phone, and sends it. */
export const codeFromPhone: Fillable = {
  label: "Enter the code",
  fill: async () => {
    const response = await fetch("/api/sandbox/texts", { cache: "no-store" });
    if (!response.ok) return "The phone does not answer. Please try again.";
    const { texts }: SandboxPhoneContent = await response.json();
    const code = texts.map(({ text }) => /\b\d{6}\b|\b\d{5} \d{5}\b/.exec(text)?.[0]).findLast(Boolean);
    if (!code) return "There is no text with a code yet.";
    (await typeInto("code", { code }))?.requestSubmit();
    return "Entered the code from the phone.";
  },
};
