import { ConsoleLink } from "./console-link.tsx";
import { addressOf } from "./filters.ts";

/** An id or a fingerprint, whole, which leads to all steps of the timeline that belong to it: `user:…`, `token:…`. */
export function KnownId({ join }: { join: string }) {
  return (
    <ConsoleLink href={addressOf({ join })}>
      <code className="font-mono text-xs font-normal break-all">{join.slice(join.indexOf(":") + 1)}</code>
    </ConsoleLink>
  );
}
