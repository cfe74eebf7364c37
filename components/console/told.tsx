import type { ReactNode } from "react";
import { Alert } from "#components/ui/alert.tsx";

type ToldProps<Part> = {
  /** Undefined where it could not be read. */
  part: Part | undefined;
  /** The call that tells it. */
  path: string;
  children: (part: Part) => ReactNode;
};

/** What a call of the service told, or that it could not be read: what is not known is never shown as none. */
export function Told<Part>({ part, path, children }: ToldProps<Part>) {
  return part === undefined ? <NotRead path={path} /> : children(part);
}

/** In the place of what a call did not tell. */
export function NotRead({ path }: { path: string }) {
  return (
    <Alert tone="warning" title="This could not be read">
      <code className="font-mono text-xs break-all">GET {path}</code> did not answer as it should, so it is not known
      what there is. The page asks again by itself.
    </Alert>
  );
}
