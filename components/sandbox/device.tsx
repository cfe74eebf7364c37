"use client";

import { useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { useCopied } from "#components/ui/use-copied.ts";
import { formatPhone } from "#lib/kit/us-phone.ts";
import { deviceSlotId } from "./bar-slots.ts";
import { toolButton } from "./tool-style.ts";

/** `sentAt` is ISO 8601; an email has a subject. */
export type DeviceMessage = { id: string; text: string; sentAt: string; subject?: string | null };
/** A phone shows texts to a number, an inbox shows emails to an address. */
export type DeviceProps = { kind: "text" | "email"; messages: DeviceMessage[]; title: string; address: string };

/**
 * A phone or inbox in the sandbox bar: the messages to one address, newest last. Clicking a code enters it, or copies
 * it if the page has no code field.
 */
export function Device({ kind, messages: inAnyOrder, title, address }: DeviceProps) {
  const [bar, setBar] = useState<Element | null>(null);
  useEffect(() => setBar(document.getElementById(deviceSlotId)), []);
  const [isOpen, setIsOpen] = useState(false);
  const screenId = useId();
  const messages = inAnyOrder.toSorted((a, b) => Date.parse(a.sentAt) - Date.parse(b.sentAt));
  const newest = messages.at(-1);
  const newestCode = newest === undefined ? undefined : codeInText(newest.text);
  if (!bar) return null;
  return createPortal(
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? screenId : undefined}
        onClick={() => setIsOpen(!isOpen)}
        className={toolButton}
      >
        {kind === "text" ? <PhoneIcon /> : <InboxIcon />}
        <span className="max-sm:sr-only">{title}</span>
        <span className="rounded-full bg-sunken px-2 text-xs tabular-nums max-sm:sr-only">
          {messages.length}
          <span className="sr-only"> {messages.length === 1 ? kind : `${kind}s`}</span>
        </span>
        {newestCode === undefined ? null : <span className="font-mono tabular-nums max-sm:hidden">{newestCode}</span>}
      </button>
      {isOpen ? <Screen id={screenId} kind={kind} title={title} address={address} messages={messages} /> : null}
      <p role="status" className="sr-only">
        {newest === undefined ? "" : `New ${kind}: ${newest.text}`}
      </p>
    </>,
    bar,
  );
}

function Screen({ id, kind, title, address, messages }: DeviceProps & { id: string }) {
  const { copied, copy } = useCopied();
  const list = useRef<HTMLUListElement>(null);
  const count = messages.length;
  useEffect(() => {
    if (count > 0) list.current?.lastElementChild?.scrollIntoView({ block: "nearest" });
  }, [count]);
  return (
    <section aria-label={title} id={id} className="order-last my-1.5 w-full border-t border-line pt-2 text-sm">
      <p className="text-ink-soft">
        {kind === "text" ? "Texts" : "Emails"} to{" "}
        <span className="font-semibold break-words text-ink tabular-nums">
          {kind === "text" ? formatPhone(address) : address}
        </span>
      </p>
      {count === 0 ? (
        <p className="py-3">No {kind}s yet. New ones appear here automatically.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
        <ul ref={list} tabIndex={0} className="mt-1 flex max-h-52 flex-col gap-3 overflow-y-auto py-1">
          {messages.map((message) => (
            <Message
              key={message.id}
              message={message}
              copied={copied}
              use={(code) => void (enterCode(code) || copy(code))}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

type MessageProps = { message: DeviceMessage; copied: string | undefined; use: (code: string) => void };

function Message({ message: { subject, text, sentAt }, copied, use }: MessageProps) {
  const code = codeInText(text);
  return (
    <li className="flex flex-col items-start gap-1.5">
      <p className="max-w-prose rounded-2xl rounded-bl-sm bg-surface px-3.5 py-2 break-words">
        {subject ? <strong className="block">{subject}</strong> : null}
        {text}
      </p>
      <div className="flex flex-wrap items-center gap-3 text-xs text-ink-soft">
        <RelativeTime at={sentAt} />
        {code === undefined ? null : (
          <button type="button" onClick={() => use(code)} className={toolButton}>
            {copied === code ? "Copied" : "Enter code"} <span className="font-mono tabular-nums">{code}</span>
          </button>
        )}
      </div>
    </li>
  );
}

function PhoneIcon() {
  return (
    <svg viewBox="0 0 20 20" className="size-4 shrink-0" aria-hidden="true" fill="none" stroke="currentColor">
      <rect x="5.5" y="1.8" width="9" height="16.4" rx="2.2" strokeWidth="1.6" />
      <path d="M9 15.4h2" strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  );
}

function InboxIcon() {
  return (
    <svg viewBox="0 0 20 20" className="size-4 shrink-0" aria-hidden="true" fill="none" stroke="currentColor">
      <rect x="1.8" y="4" width="16.4" height="12" rx="2" strokeWidth="1.6" />
      <path d="m2.5 5.5 7.5 5.5 7.5-5.5" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

/** The first code in a text: six digits, or two groups of five, not part of a longer number. */
export function codeInText(text: string): string | undefined {
  return /(?<!\d)(?:\d{6}|\d{5} \d{5})(?!\d)/.exec(text)?.[0];
}

/** Types a code into the page's code field; false if there is none. */
function enterCode(code: string): boolean {
  const field = document.querySelector<HTMLInputElement>('input[autocomplete="one-time-code"]');
  if (!field) return false;
  field.focus();
  field.value = code;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  return true;
}
