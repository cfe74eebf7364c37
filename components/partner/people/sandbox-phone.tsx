import { partner } from "#lib/partner/process-partner.ts";
import { readSandboxTexts } from "#lib/partner/sandbox/sandbox-texts.ts";
import { LivePhone } from "./live-phone.tsx";

export async function SandboxPhone() {
  const content = await readSandboxTexts(partner());
  if (!content) return null;
  return (
    <>
      <LivePhone />
      <div className="mt-6 hidden noscript:block">
        <p className="font-semibold">Texts to {content.number ?? "no number"}. Reload the page for new ones.</p>
        <ul className="mt-2 flex flex-col gap-1">
          {content.texts.map(({ id, text }) => (
            <li key={id}>{text}</li>
          ))}
        </ul>
      </div>
    </>
  );
}
