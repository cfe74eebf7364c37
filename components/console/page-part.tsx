import type { ReactNode } from "react";
import { Alert } from "#components/ui/alert.tsx";

type PagePartProps<Part> = {
  /** Undefined where it could not be read. */
  part: Part | undefined;
  /** The call that provides it. */
  path: string;
  children: (part: Part) => ReactNode;
};

/** Part of a page that one call provides, or a notice that it failed: unknown is never shown as none. */
export function PagePart<Part>({ part, path, children }: PagePartProps<Part>) {
  return part === undefined ? <NotRead path={path} /> : children(part);
}

/** Shown in place of a part whose call failed. */
export function NotRead({ path }: { path: string }) {
  return (
    <Alert tone="warning" title="This could not be read">
      <code className="font-mono text-xs break-all">GET {path}</code> did not answer as it should, so it is not known
      what there is. The page asks again by itself.
    </Alert>
  );
}
