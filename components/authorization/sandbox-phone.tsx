"use client";

import { useEffect, useState } from "react";
import { Device, type DeviceMessage } from "#components/sandbox/device.tsx";

const pollMs = 3000;

/** The sandbox phone with one visit's texts, polled while the page is visible. */
export function SandboxPhone({
  visitId,
  messages,
  number,
}: {
  visitId: string;
  messages: DeviceMessage[];
  number: string;
}) {
  const [polled, setPolled] = useState<DeviceMessage[]>();

  // After an action, the page's texts are newer than the last poll.
  useEffect(() => setPolled(messages), [messages]);
  useEffect(() => {
    async function poll() {
      if (document.hidden) return;
      const answer = await fetch(`/login/oauth/authorize/${visitId}/messages`).catch(() => undefined);
      if (answer?.ok) setPolled(await answer.json());
    }
    const timer = setInterval(poll, pollMs);
    return () => clearInterval(timer);
  }, [visitId]);

  return (
    <>
      <Device kind="text" title="Sandbox phone" address={number} messages={polled ?? messages} />
      <div className="mt-8 hidden border-t border-line pt-4 noscript:block">
        <p className="font-semibold">Texts to {number}. Reload the page for new ones.</p>
        <ul className="mt-2 flex flex-col gap-1">
          {messages.map(({ id, text }) => (
            <li key={id}>{text}</li>
          ))}
        </ul>
      </div>
    </>
  );
}
