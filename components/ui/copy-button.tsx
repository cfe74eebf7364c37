import { Button } from "./button.tsx";
import type { ButtonVariant } from "./button-style.ts";
import { useCopied } from "./use-copied.ts";

export type CopyButtonProps = {
  text: string;
  label: string;
  /** What is copied, if several buttons have the same label. */
  about?: string;
  variant?: ButtonVariant;
};

export function CopyButton({ text, label, about, variant = "secondary" }: CopyButtonProps) {
  const { copied, copy } = useCopied();
  const isCopied = copied === text;
  return (
    <>
      <Button
        variant={variant}
        size="sm"
        className="noscript:hidden"
        aria-label={about && !isCopied ? `${label}: ${about}` : undefined}
        onClick={() => copy(text)}
      >
        {isCopied ? "Copied" : label}
      </Button>
      <span role="status" className="sr-only">
        {isCopied ? "Copied" : ""}
      </span>
    </>
  );
}
