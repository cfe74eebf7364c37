import type { FormAction } from "../use-form-action.ts";

/** What the panel of Harbor's sandbox bar can do. */
export type SandboxActions = Record<
  "become" | "decide" | "jump" | "resetClocks" | "freshPerson" | "freshDemo",
  FormAction
>;
