import type { ReactNode } from "react";
import { Alert } from "#components/ui/alert.tsx";
import { CallLine } from "./calls/call-line.tsx";
import type { ClientCall } from "./calls/make-call.ts";
import { LiveRefresh, RefreshUntilLive } from "./live-refresh.tsx";

export type CommonProps = {
  query: URLSearchParams;
  /** The newest event at render time; later ones trigger a refresh. Undefined if unknown. */
  lastEvent: string | undefined;
};

/** A page's parts, each undefined if its call failed. */
export type PageProps<Parts> = CommonProps & { [Name in keyof Parts]: Parts[Name] | undefined };

type ConsolePageProps = Pick<CommonProps, "lastEvent"> & {
  title: string;
  description: ReactNode;
  children: ReactNode;
};

export function ConsolePage({ title, description, lastEvent, children }: ConsolePageProps) {
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-8 pb-10">
      <header>
        <div className="flex flex-wrap items-baseline gap-x-6 gap-y-1">
          <h1 className="text-3xl">{title}</h1>
          {lastEvent === undefined ? <RefreshUntilLive /> : <LiveRefresh lastEvent={lastEvent} />}
        </div>
        <p className="mt-2 max-w-3xl text-ink-soft">{description}</p>
      </header>
      {children}
    </div>
  );
}

type ConsoleSectionProps = {
  title: string;
  /** The accessible name, for sections with the same title. */
  label?: string;
  description?: ReactNode;
  call?: ClientCall;
  children: ReactNode;
};

export function ConsoleSection({ title, label = title, description, call, children }: ConsoleSectionProps) {
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2 border-b border-ink pb-2">
        <h2 className="text-xl">{title}</h2>
        {call ? <CallLine {...call} /> : null}
      </div>
      {description ? <p className="max-w-3xl text-sm text-ink-soft">{description}</p> : null}
      {children}
    </section>
  );
}

export function NothingYet({ children }: { children: ReactNode }) {
  return <p className="border border-dashed border-line-strong px-4 py-6 text-center text-ink-soft">{children}</p>;
}

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
