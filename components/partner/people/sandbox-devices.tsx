import { partner } from "#lib/partner/process-partner.ts";
import { readSandboxDevices } from "#lib/partner/sandbox/sandbox-messages.ts";
import { LiveDevices } from "./live-devices.tsx";

export async function SandboxDevices() {
  const devices = await readSandboxDevices(partner());
  if (!devices) return null;
  return (
    <>
      <LiveDevices />
      {devices.map(({ kind, address, messages }) => (
        <div key={kind} className="mt-6 hidden noscript:block">
          <p className="font-semibold">
            {kind === "text" ? "Texts" : "Emails"} to {address}. Reload the page for new ones.
          </p>
          <ul aria-label={kind === "text" ? "Texts" : "Emails"} className="mt-2 flex flex-col gap-1">
            {messages.map(({ id, text }) => (
              <li key={id}>{text}</li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}
