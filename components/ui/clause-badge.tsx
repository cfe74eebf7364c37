export function ClauseBadge({ clause }: { clause: string }) {
  const isPublished = clause.startsWith("I.");
  return (
    <p className="flex flex-wrap items-center gap-2">
      <span
        className={`rounded-badge px-2 py-0.5 text-xs font-semibold whitespace-nowrap ${isPublished ? "bg-accent-soft text-accent" : "border border-line-strong"}`}
      >
        {isPublished ? "Published interface" : `Our decision ${clause.split(".")[0]}`}
      </span>
      <code className="font-mono text-xs break-all text-ink-soft">{clause}</code>
    </p>
  );
}
