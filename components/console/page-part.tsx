import type { ReactNode } from "react";
import { Alert } from "#components/ui/alert.tsx";

type PagePartProps<Part> = {
  /** Undefined if the call failed. */
  part: Part | undefined;
  path: string;
  children: (part: Part) => ReactNode;
};

/** Part of a page loaded by one call, or a notice that it failed. Unknown is never shown as empty. */
export function PagePart<Part>({ part, path, children }: PagePartProps<Part>) {
  return part === undefined ? <NotRead path={path} /> : children(part);
}

export function NotRead({ path }: { path: string }) {
  return (
    <Alert tone="warning" title="Couldn’t load this part">
      <code className="font-mono text-xs break-all">GET {path}</code> failed. This page retries automatically.
    </Alert>
  );
}
