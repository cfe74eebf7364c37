import { Button } from "./button.tsx";
import { useCopied } from "./use-copied.ts";

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { copied, copy } = useCopied();
  return (
    <>
      <Button variant="secondary" size="sm" onClick={() => copy(text)}>
        {copied === text ? "Copied" : label}
      </Button>
      <span role="status" className="sr-only">
        {copied === text ? "Copied" : ""}
      </span>
    </>
  );
}
