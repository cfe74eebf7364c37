import type { ReactNode } from "react";
import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import type { Connection } from "#lib/partner/connections/connected-users.ts";
import { useWords } from "#use-words";
import type { FormAction } from "../use-form-action.ts";
import { AuthorizeForm, DisconnectForm } from "./connection-forms.tsx";

export function ConnectionCard({
  connection,
  authorize,
  disconnect,
  consequence,
}: {
  connection: Connection;
  authorize: FormAction;
  disconnect: FormAction;
  consequence: string;
}) {
  const t = useWords("connection");
  const isConnected = connection.kind === "connected";
  return (
    <Card
      title={t("title")}
      description={t("access")}
      actions={
        <StatusBadge tone={isConnected ? "success" : "warning"}>
          {t(isConnected ? "connected" : "notConnected")}
        </StatusBadge>
      }
    >
      <div className="flex flex-wrap items-start gap-3">
        <AuthorizeForm action={authorize} label={t("authorizeAgain")} variant="secondary" />
        <DisconnectForm action={disconnect} consequence={consequence} />
      </div>
    </Card>
  );
}

/**
 * `isDisconnected`: someone here ended the connection; undefined if unknown. `isAnswered`: the service's answer was
 * unusable.
 */
export type ConnectionProblem =
  | { kind: "reauthorization_required"; isDisconnected?: boolean }
  | { kind: "unavailable"; isAnswered?: boolean };

type ConnectionTroubleProps = {
  problem: ConnectionProblem;
  authorize: FormAction;
  /** Offered only while there might be a connection to end. */
  disconnect?: FormAction;
  label: string;
  consequence?: string;
  /** Who ended the connection. */
  who?: "you" | "operator";
  returnTo: string;
};

/** Replaces data that couldn't be read. Always offers a new authorization, which fixes any broken connection. */
export function ConnectionTrouble(props: ConnectionTroubleProps) {
  const { problem, authorize, disconnect, label, consequence, returnTo } = props;
  const t = useWords("connection");
  const trouble = (
    <TroubleCard {...props}>
      <div className="flex flex-wrap items-start gap-3">
        {problem.kind === "unavailable" ? (
          <ButtonLink href={returnTo} variant="secondary">
            {t("tryAgain")}
          </ButtonLink>
        ) : null}
        <AuthorizeForm
          action={authorize}
          label={label}
          returnTo={returnTo}
          variant={problem.kind === "unavailable" ? "secondary" : "primary"}
        />
      </div>
    </TroubleCard>
  );
  if (!disconnect || problem.kind !== "unavailable") return trouble;
  // Separate from the problem, because it wouldn't solve it.
  return (
    <div className="flex flex-col gap-6">
      {trouble}
      <Card title={t("title")} description={t("access")}>
        <DisconnectForm action={disconnect} consequence={consequence ?? ""} />
      </Card>
    </div>
  );
}

type TroubleCardProps = Pick<ConnectionTroubleProps, "problem" | "who"> & { children: ReactNode };

function TroubleCard({ problem, who = "you", children }: TroubleCardProps) {
  const t = useWords("connection.problems");
  const kind = problemKind(problem);
  return (
    <Card
      title={kind === "disconnected" ? t(`disconnected.title.${who}`) : t(`${kind}.title`)}
      description={t(`${kind}.text`)}
    >
      {children}
    </Card>
  );
}

function problemKind(problem: ConnectionProblem) {
  if (problem.kind === "unavailable") return problem.isAnswered ? "unusable" : "noAnswer";
  if (problem.isDisconnected === undefined) return "notConnected";
  return problem.isDisconnected ? "disconnected" : "ended";
}

/** Shown after disconnecting from a service that can't revoke. The URL carries it, because the form is gone by then. */
export function AccessDeletedNotice() {
  const t = useWords("connection.deleted");
  return (
    <Alert tone="warning" title={t("title")}>
      {t("text")}
    </Alert>
  );
}
