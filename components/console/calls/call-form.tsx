"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, useId, useState, useSyncExternalStore } from "react";
import { Button } from "#components/ui/button.tsx";
import type { ButtonVariant } from "#components/ui/button-style.ts";
import { controlStyle } from "#components/ui/control-style.ts";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Field } from "#components/ui/field.tsx";
import { Select } from "#components/ui/select.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { useConsole } from "../console-context.tsx";
import { answersOf, buildCallBody, type CallField, visibleFields } from "./call-body.ts";
import { type CallAnswer, type ClientCall, curlOf, makeCall, refusalText } from "./make-call.ts";

type CallFormProps = {
  call: ClientCall & { body?: Record<string, unknown> };
  fields?: readonly CallField[];
  button: string;
  /** Names what the button acts on when several have the same label. */
  about?: string;
  variant?: ButtonVariant;
  /** Shows the response body, for secrets returned only once. */
  showsAnswer?: boolean;
};

export function CallForm({ call, fields = [], button, about, variant = "secondary", showsAnswer }: CallFormProps) {
  const id = useId();
  const { baseUrl, clientId } = useConsole();
  const { refresh } = useRouter();
  const isReady = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [madeWith, setMadeWith] = useState<string>();
  const [isPending, setIsPending] = useState(false);
  const [answer, setAnswer] = useState<CallAnswer>();
  const initials = fields.map(({ initial }) => initial).join("\n");
  // The values of a successful call are kept until the page shows its effect.
  if (madeWith !== undefined && madeWith !== initials) {
    setMadeWith(undefined);
    setTyped(new Map());
  }
  const answers = answersOf(fields, typed);
  const { method, path } = call;
  const body = buildCallBody(call.body, fields, answers);
  const whole: ClientCall = body === undefined ? { method, path } : { method, path, body };

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isPending) return;
    setIsPending(true);
    setAnswer(undefined);
    const made = await makeCall(whole, clientId);
    setAnswer(made);
    if (made.status !== null && made.status < 300) setMadeWith(initials);
    setIsPending(false);
    refresh();
  }

  function change(name: string, value: string): void {
    setMadeWith(undefined);
    setTyped(new Map(typed).set(name, value));
  }

  return (
    <form onSubmit={submit} className="flex min-w-0 flex-col gap-3">
      {fields.length > 0 ? (
        <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
          {visibleFields(fields, answers).map((field) => (
            <AnswerField
              key={field.name}
              id={`${id}-${field.name}`}
              field={field}
              value={answers.get(field.name) ?? ""}
              change={(value) => change(field.name, value)}
            />
          ))}
        </div>
      ) : null}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          size="sm"
          variant={variant}
          disabled={!isReady}
          pending={isPending}
          aria-label={about ? `${button}: ${about}` : undefined}
        >
          {button}
        </Button>
        <CopyButton
          text={curlOf(whole, baseUrl)}
          label="Copy as curl"
          variant="ghost"
          about={about ? `${button}, ${about}` : button}
        />
      </div>
      <div role="status">{answer ? <AnswerText answer={answer} showsBody={showsAnswer ?? false} /> : null}</div>
    </form>
  );
}

type AnswerFieldProps = { id: string; field: CallField; value: string; change: (value: string) => void };

function AnswerField({ id, field, value, change }: AnswerFieldProps) {
  const { kind, label, hint, isOptional = false, choices = [] } = field;
  const control = {
    id,
    value,
    required: !isOptional && kind !== "lines",
    onChange: (typed: { currentTarget: { value: string } }) => change(typed.currentTarget.value),
  };
  const options = kind === "yes_or_no" ? yesOrNo : choices;
  return (
    <div className={`w-full min-w-0 ${widths[kind]}`}>
      <Field label={label} htmlFor={id} hint={hint} optional={isOptional}>
        {kind === "lines" ? (
          <textarea {...control} rows={3} spellCheck={false} className={`${controlStyle} font-mono text-sm`} />
        ) : options.length > 0 ? (
          <Select {...control}>
            {options.map(([choice, name]) => (
              <option key={choice} value={choice}>
                {name}
              </option>
            ))}
          </Select>
        ) : (
          <TextInput
            {...control}
            type={kind === "time" ? "datetime-local" : "text"}
            inputMode={kind === "number" ? "decimal" : undefined}
            spellCheck={false}
          />
        )}
      </Field>
    </div>
  );
}

const widths: Record<CallField["kind"], string> = {
  text: "sm:w-80",
  number: "sm:w-48",
  choice: "sm:w-64",
  yes_or_no: "sm:w-32",
  lines: "",
  time: "sm:w-64",
};

const yesOrNo = [
  ["yes", "Yes"],
  ["no", "No"],
] as const;

function AnswerText({ answer, showsBody }: { answer: CallAnswer; showsBody: boolean }) {
  if (answer.status === null)
    return <p className="text-sm font-semibold text-danger">No response. The call may or may not have gone through.</p>;
  if (answer.status === 401)
    return <p className="text-sm font-semibold text-danger">You’re signed out. Reload the page to sign in.</p>;
  if (answer.status >= 300)
    return (
      <p className="text-sm font-semibold text-danger">
        {answer.status}. {refusalText(answer.body)}
      </p>
    );
  return (
    <>
      <p className="text-sm font-semibold text-success">{answer.status}. Done.</p>
      {showsBody ? (
        <pre className="mt-2 rounded-control border border-line bg-canvas p-3 font-mono text-xs leading-relaxed break-all whitespace-pre-wrap">
          {JSON.stringify(answer.body, undefined, 2)}
        </pre>
      ) : null}
    </>
  );
}
