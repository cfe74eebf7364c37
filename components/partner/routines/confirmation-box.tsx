import type { ReactNode } from "react";
import { FieldError } from "#components/ui/field.tsx";

export function ConfirmationBox({ error, children }: { error: string | undefined; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1.5">
      <label className="flex items-center gap-3">
        <input
          type="checkbox"
          id="confirmed"
          name="confirmed"
          value="yes"
          className="size-5 shrink-0"
          aria-describedby="confirmed-error"
          aria-invalid={error ? true : undefined}
        />
        {children}
      </label>
      {error ? <FieldError id="confirmed-error">{error}</FieldError> : null}
    </div>
  );
}
