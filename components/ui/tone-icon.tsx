import type { Tone } from "./tone.ts";

const shapes: Record<Tone, string> = {
  neutral: "M6 10h8",
  info: "M10 9v5M10 6v.2",
  success: "m6 10.4 2.8 2.8L14.2 7",
  warning: "M10 5.5v5.2M10 14v.2",
  danger: "m6.8 6.8 6.4 6.4M13.2 6.8l-6.4 6.4",
};

/** A shape per tone, so color isn't the only signal. */
export function ToneIcon({ tone, className }: { tone: Tone; className: string }) {
  return (
    <svg viewBox="0 0 20 20" className={`shrink-0 ${className}`} aria-hidden="true" fill="none" stroke="currentColor">
      <circle cx="10" cy="10" r="8.6" strokeWidth="1.6" />
      <path d={shapes[tone]} strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
