"use client";

import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { useUiWords } from "./ui-words.tsx";

export type DialogProps = {
  open: boolean;
  /** Called on Escape, a click outside, or the close button, unless `isPending`. */
  onClose: () => void;
  isPending?: boolean;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** The primary button comes last. */
  actions?: ReactNode;
};

/** A modal dialog. Its heading gets the focus; the browser's element traps the focus and restores it. */
export function Dialog({ open, onClose, isPending = false, title, description, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const words = useUiWords();

  // Before effects: an error summary can't take the focus while a modal dialog is open.
  useLayoutEffect(() => {
    if (open && !dialog.current?.open) {
      dialog.current?.showModal();
      heading.current?.focus();
    }
    if (!open) dialog.current?.close();
  }, [open]);

  const close = () => {
    if (!isPending) onClose();
  };

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser handles Escape
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : undefined}
      onClose={onClose}
      onCancel={(event) => {
        if (isPending) event.preventDefault();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
      className="m-auto w-full max-w-lg rounded-card border border-line bg-surface p-0 text-ink shadow-float max-sm:mx-4 max-sm:w-auto"
    >
      <div className="p-6 sm:p-7">
        <div className="flex items-start justify-between gap-4">
          <h2 ref={heading} id={`${id}-title`} tabIndex={-1} className="text-xl">
            {title}
          </h2>
          <button
            type="button"
            aria-label={words.close}
            onClick={close}
            className="-m-2 shrink-0 rounded-control p-2 text-ink-soft pointer-coarse:-m-3 pointer-coarse:p-3 hover:bg-sunken hover:text-ink"
          >
            <svg viewBox="0 0 16 16" className="size-5" aria-hidden="true">
              <path d="m4 4 8 8m0-8-8 8" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
            </svg>
          </button>
        </div>
        {description ? (
          <div id={`${id}-description`} className="mt-2 text-ink-soft">
            {description}
          </div>
        ) : null}
        {children ? <div className="mt-5">{children}</div> : null}
        {actions ? <div className="mt-6 flex flex-wrap justify-end gap-3">{actions}</div> : null}
      </div>
    </dialog>
  );
}
