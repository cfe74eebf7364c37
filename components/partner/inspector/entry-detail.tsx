import { brandName } from "#brand/name.ts";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { copiesOf } from "#lib/partner/inspector/copies.ts";
import type { InspectedEntry } from "#lib/partner/inspector/read-inspector.ts";
import type { RedactedMessage } from "#lib/partner/storage/inspector-entry.ts";
import { ServiceName } from "../service-name.tsx";
import { ExactTime } from "./exact-time.tsx";
import { RuleNote } from "./rule-note.tsx";

/** Everything that is known of one exchange. */
export function EntryDetail({ entry }: { entry: InspectedEntry }) {
  const { method, path, query, kind, at, cause, why, problems, requestId, request, response, rule, consoleUrl } = entry;
  const copies = copiesOf(entry);
  return (
    <div className="flex flex-col gap-4 border-t border-line bg-canvas px-4 py-4 text-sm">
      <p className="font-mono text-xs break-all">
        {method} {query ? `${path}?${query}` : path}
      </p>
      {why ? <p className="border-l-2 border-line-strong pl-3 break-words">{why}</p> : null}
      {problems.length > 0 ? (
        <ul className="flex flex-col gap-1 border-l-2 border-line-strong pl-3">
          {problems.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <code className="font-mono font-semibold">{field}</code> {message}
            </li>
          ))}
        </ul>
      ) : null}
      {rule ? <RuleNote rule={rule} /> : null}
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1">
        <dt className="text-ink-soft">At</dt>
        <dd className="text-xs">
          <ExactTime at={at} />
        </dd>
        {cause ? (
          <>
            <dt className="text-ink-soft">Caused by</dt>
            <dd className="font-mono text-xs break-all">{cause}</dd>
          </>
        ) : null}
        {requestId ? (
          <>
            <dt className="text-ink-soft">Request id</dt>
            <dd className="[&_code]:text-xs">
              <Copyable value={requestId} label="request id" />
            </dd>
          </>
        ) : null}
      </dl>
      {consoleUrl ? (
        <p>
          <a className="font-semibold underline underline-offset-4" href={consoleUrl} target="_blank" rel="noopener">
            See it as <ServiceName /> saw it
          </a>{" "}
          <span className="text-ink-soft">(its console, in a new tab)</span>
        </p>
      ) : null}
      {copies ? (
        <p className="flex flex-wrap gap-2">
          <CopyButton text={copies.curl} label="Copy as curl" />
          <CopyButton text={copies.typeScript} label="Copy as TypeScript" />
        </p>
      ) : null}
      <Message title={`${brandName} ${kind === "call" ? "sent" : "got"}`} message={request} />
      {response ? <Message title={`${brandName} ${kind === "call" ? "got" : "answered"}`} message={response} /> : null}
    </div>
  );
}

function Message({
  title,
  message: { headers, body, charactersLeftOut },
}: {
  title: string;
  message: RedactedMessage;
}) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body, undefined, 2);
  return (
    <section aria-label={title} className="min-w-0">
      <h4 className="eyebrow mb-1.5 text-ink-soft">{title}</h4>
      <pre className="rounded-control border border-line bg-surface p-3 font-mono text-xs leading-relaxed break-words whitespace-pre-wrap">
        {lines.length > 0 ? <span className="text-ink-soft">{lines.join("\n")}</span> : null}
        {lines.length > 0 && text ? "\n\n" : null}
        {text}
        {charactersLeftOut === undefined ? null : `\n\n(a body of ${charactersLeftOut} characters, too long to keep)`}
      </pre>
    </section>
  );
}
