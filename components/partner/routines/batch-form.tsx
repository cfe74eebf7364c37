"use client";

import { type ChangeEvent, useEffect, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { controlAria, controlStyle } from "#components/ui/control-style.ts";
import { Field } from "#components/ui/field.tsx";
import { Select } from "#components/ui/select.tsx";
import { useWords } from "#use-words";
import { ActionForm } from "../action-form.tsx";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { AvailableAmounts, type PaymentChoices } from "./payment-inputs.tsx";

export type BatchDraft = { id: string; sourceId: string; list: string };

type BatchFormProps = Pick<PaymentChoices, "accounts"> & { draft: BatchDraft; review: FormAction };

const loadFields = async () => (await import("#lib/partner/routines/batch-fields.ts")).batchForm;

export function BatchForm({ draft, accounts, review }: BatchFormProps) {
  const t = useWords("pay");
  const list = useRef<HTMLTextAreaElement>(null);
  const { state, errorOf, isPending, formProps } = useFormAction(review, { loadFields });
  const [notice, setNotice] = useState("");
  const storageKey = `payments-${draft.id}`;
  const [sourceError, listError] = [errorOf("source_id"), errorOf("list")];

  useEffect(() => {
    if (list.current) restoreList(list.current, storageKey);
  }, [storageKey]);

  // Only the text area is submitted, because the list can be corrected there.
  async function readFile({ target }: ChangeEvent<HTMLInputElement>): Promise<void> {
    const [file] = target.files ?? [];
    if (!file || !list.current) return;
    list.current.value = await file.text();
    sessionStorage.setItem(storageKey, list.current.value);
    target.value = "";
    setNotice(t("many.fileRead", { name: file.name }));
    list.current.focus();
  }

  return (
    <ActionForm {...formProps} onFocus={loadFields} className="flex flex-col gap-6">
      <FormProblems {...state} />
      <input type="hidden" name="batch_id" value={draft.id} />
      <Field label={t("from")} htmlFor="source_id" hint={<AvailableAmounts accounts={accounts} />} error={sourceError}>
        <Select
          id="source_id"
          name="source_id"
          defaultValue={draft.sourceId || accounts[0]?.id}
          invalid={sourceError !== undefined}
        >
          {accounts.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t("many.file")} htmlFor="file" optional hint={t("many.fileHint")}>
        <input
          id="file"
          name="file"
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={readFile}
          className="block w-full text-sm file:mr-4 file:min-h-11 file:rounded-control file:border file:border-line-strong file:bg-surface file:px-5 file:font-semibold file:text-ink"
          aria-describedby="file-hint"
        />
      </Field>
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {notice}
      </p>
      <Field
        label={t("many.payments")}
        htmlFor="list"
        hint={t.rich("many.listHint", { code: () => <code className="font-mono">email,amount,for</code> })}
        error={listError}
      >
        <textarea
          ref={list}
          id="list"
          name="list"
          rows={10}
          defaultValue={draft.list}
          onInput={({ currentTarget }) => sessionStorage.setItem(storageKey, currentTarget.value)}
          spellCheck={false}
          autoComplete="off"
          wrap="off"
          placeholder={"email,amount,for\nnils@example.com,120.50,Sales of June"}
          className={`${controlStyle} font-mono text-sm`}
          {...controlAria("list", listError !== undefined)}
        />
      </Field>
      <Button type="submit" size="lg" className="self-start" pending={isPending}>
        {t("review")}
      </Button>
    </ActionForm>
  );
}

/** The typed list survives a reload, and signing in again. */
export function restoreList(list: Pick<HTMLTextAreaElement, "value" | "defaultValue">, storageKey: string): void {
  const typed = sessionStorage.getItem(storageKey);
  // It can be edited before the page's scripts run.
  const isEdited = list.value !== list.defaultValue;
  if (typed !== null && !isEdited) list.value = typed;
}
