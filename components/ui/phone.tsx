"use client";

import { useEffect, useRef, useState } from "react";
import { formatPhone } from "#lib/kit/us-phone.ts";
import { codeInText } from "./code-in-text.ts";
import { enterCode } from "./enter-code.ts";
import { RelativeTime } from "./relative-time.tsx";
import { useCopied } from "./use-copied.ts";

export type PhoneMessage = { id: string; text: string /** ISO 8601 */; sentAt: string };
export type PhoneProps = { messages: PhoneMessage[]; title: string; number: string };

/**
 * The sandbox's phone: a small device in the corner with the texts that were sent to one number, the newest last.
 * Collapsed it shows the newest code, and one press enters it (or copies it, where nothing asks for one). On a narrow screen
 * it is a low bar that the page leaves room for; opened it makes room for itself below the page and moves the field into view.
 */
export function Phone({ messages: inAnyOrder, title, number }: PhoneProps) {
  const messages = inAnyOrder.toSorted((a, b) => Date.parse(a.sentAt) - Date.parse(b.sentAt));
  const [isOpen, setIsOpen] = useState(false);
  const { copied, copy } = useCopied();
  function use(code: string) {
    if (!enterCode(code)) void copy(code);
  }
  // What it would cover on a narrow screen is moved above it.
  useEffect(() => {
    if (isOpen) document.querySelector('input[autocomplete="one-time-code"]')?.scrollIntoView({ block: "start" });
  }, [isOpen]);
  const newest = messages.at(-1);
  const newestCode = newest === undefined ? undefined : codeInText(newest.text);

  return (
    <>
      {isOpen ? <div className="h-[60vh] sm:hidden" aria-hidden="true" /> : null}
      <section
        aria-label={title}
        className="fixed inset-x-0 bottom-0 z-40 flex flex-col items-stretch sm:inset-x-auto sm:right-5 sm:bottom-5 sm:w-88"
      >
        {isOpen ? <Screen messages={messages} number={number} copied={copied} use={use} /> : null}
        <div
          className={`flex items-center gap-2 border-ink bg-ink px-2 py-1.5 text-canvas shadow-float ${isOpen ? "sm:rounded-b-3xl" : "sm:rounded-full"}`}
        >
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
            className="flex min-h-9 min-w-0 flex-1 items-center gap-2.5 rounded-full px-2.5 text-left text-sm font-semibold focus-visible:outline-canvas"
          >
            <PhoneIcon />
            <span className="truncate">{title}</span>
            <span className="ml-auto shrink-0 rounded-full bg-canvas/15 px-2 py-0.5 text-xs tabular-nums">
              {messages.length}
              <span className="sr-only"> {messages.length === 1 ? "text" : "texts"}</span>
            </span>
          </button>
          {newestCode === undefined || isOpen ? null : (
            <UseCode code={newestCode} isCopied={copied === newestCode} use={use} isOnInk />
          )}
        </div>
        <p role="status" className="sr-only">
          {newest === undefined ? "" : `New text: ${newest.text}`}
        </p>
      </section>
    </>
  );
}

type Using = { copied: string | undefined; use: (code: string) => void };

function Screen({ messages, number, copied, use }: Using & Pick<PhoneProps, "messages" | "number">) {
  const list = useRef<HTMLUListElement>(null);
  const count = messages.length;

  useEffect(() => {
    if (count > 0) list.current?.lastElementChild?.scrollIntoView({ block: "nearest" });
  }, [count]);

  return (
    <div className="border-2 border-ink bg-surface text-ink shadow-float sm:rounded-t-3xl">
      <p className="border-b border-line px-4 py-3 text-center text-sm text-ink-soft">
        Texts to <span className="font-semibold text-ink tabular-nums">{formatPhone(number)}</span>
      </p>
      {messages.length === 0 ? (
        <p className="px-6 py-10 text-center text-ink-soft">No texts yet. They arrive here by themselves.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
        <ul ref={list} tabIndex={0} className="flex max-h-[40vh] flex-col gap-3 overflow-y-auto p-4 sm:max-h-80">
          {messages.map((message) => (
            <Message key={message.id} message={message} copied={copied} use={use} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Message({ message, copied, use }: Using & { message: PhoneMessage }) {
  const code = codeInText(message.text);
  return (
    <li className="flex flex-col items-start gap-1.5">
      <p className="max-w-[92%] rounded-2xl rounded-bl-sm bg-sunken px-3.5 py-2 text-sm break-words">{message.text}</p>
      <div className="flex flex-wrap items-center gap-3 text-xs text-ink-soft">
        <RelativeTime at={message.sentAt} />
        {code === undefined ? null : <UseCode code={code} isCopied={copied === code} use={use} />}
      </div>
    </li>
  );
}

type UseCodeProps = { code: string; isCopied: boolean; use: (code: string) => void; isOnInk?: boolean };

function UseCode({ code, isCopied, use, isOnInk = false }: UseCodeProps) {
  const ground = isOnInk
    ? "bg-canvas text-ink hover:bg-surface focus-visible:outline-canvas"
    : "border border-line-strong text-ink hover:bg-sunken";
  return (
    <button
      type="button"
      onClick={() => use(code)}
      className={`min-h-8 shrink-0 rounded-full px-3 text-xs font-semibold whitespace-nowrap ${ground}`}
    >
      {isCopied ? "Copied" : "Enter code"} <span className="ml-1.5 font-mono tabular-nums">{code}</span>
    </button>
  );
}

function PhoneIcon() {
  return (
    <svg viewBox="0 0 20 20" className="size-5 shrink-0" aria-hidden="true" fill="none" stroke="currentColor">
      <rect x="5.5" y="1.8" width="9" height="16.4" rx="2.2" strokeWidth="1.6" />
      <path d="M9 15.4h2" strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  );
}
