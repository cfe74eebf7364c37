import type { ReactNode } from "react";

export type VisitFormProps = {
  visitId: string;
  action: (form: FormData) => Promise<void>;
  className?: string;
  children: ReactNode;
};

/** A form of one visit's page, which says which visit it is about; works without JavaScript. */
export function VisitForm({ visitId, action, className, children }: VisitFormProps) {
  return (
    <form action={action} className={className}>
      <input type="hidden" name="visit" value={visitId} />
      {children}
    </form>
  );
}
