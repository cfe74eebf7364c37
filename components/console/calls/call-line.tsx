"use client";

import { CopyButton } from "#components/ui/copy-button.tsx";
import { useConsole } from "../console-context.tsx";
import { type ClientCall, curlOf } from "./make-call.ts";

export function CallLine(call: ClientCall) {
  const { baseUrl } = useConsole();
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <code className="font-mono text-xs break-all text-ink-soft">
        {call.method} {call.path}
      </code>
      <CopyButton
        text={curlOf(call, baseUrl)}
        label="Copy as curl"
        variant="ghost"
        about={`${call.method} ${call.path}`}
      />
    </p>
  );
}
