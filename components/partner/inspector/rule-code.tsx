import { useQuery } from "@tanstack/react-query";
import type { ExchangeCode } from "#lib/partner/inspector/read-code.ts";
import type { Rule } from "#lib/partner/inspector/rules.ts";
import { fetchAsPage } from "../live/page-session.ts";

/** The function behind an exchange, with the line that made it; nothing outside a checkout. */
export function RuleCode({ rule: { file, line } }: { rule: Rule }) {
  const { data } = useQuery({
    queryKey: ["inspector code", file, line],
    queryFn: () => readCode(file, line),
    // A running process's code doesn't change.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data) return null;
  const { start, call, lines, editor } = data;
  return (
    <section aria-label="Code" className="flex min-w-0 flex-col gap-1.5">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-control border border-line bg-surface py-2 font-mono text-xs leading-relaxed -outline-offset-2"
      >
        {lines.map((text, index) => {
          const number = start + index;
          const isCall = number === call;
          return (
            <span
              key={number}
              className={`block w-max min-w-full pr-3 ${isCall ? "bg-accent-soft font-semibold forced-colors:underline" : ""}`}
            >
              <span className="inline-block w-11 pr-3 text-right text-ink-soft select-none">{number}</span>
              {isCall ? <mark className="bg-transparent text-inherit">{text}</mark> : text}
              {"\n"}
            </span>
          );
        })}
      </pre>
      <p>
        <a className="font-semibold underline underline-offset-4" href={editor}>
          Open line {call} in VS Code
        </a>
      </p>
    </section>
  );
}

async function readCode(file: string, line: string): Promise<ExchangeCode | null> {
  const response = await fetchAsPage(`/api/sandbox/inspector?${new URLSearchParams({ file, line })}`);
  return response.ok ? response.json() : null;
}
