import type { ReactNode } from "react";

export type VisitFormProps = {
  visitId: string;
  action: (form: FormData) => void | Promise<void>;
  className?: string;
  children: ReactNode;
};

/** A form on a visit's page that sends the visit's id along; works without JavaScript. */
export function VisitForm({ visitId, action, className, children }: VisitFormProps) {
  return (
    <form action={action} className={className}>
      <input type="hidden" name="visit" value={visitId} />
      {children}
    </form>
  );
}
