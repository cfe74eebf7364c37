import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findModuleProblem, type ProviderModule } from "../lib/contract/providers.ts";
import { sentenceOf } from "../lib/kit/describe-error.ts";

export type ProviderNeeds = {
  /** The setting that ends this app's sandbox, like `SERVICE_MODE=production`. */
  mode: string;
  isSandbox: boolean;
  needs: (keyof ProviderModule)[];
};

const page = "see docs/operations.md#providers";

/**
 * Loads the module that PROVIDERS names, a path or a package. Throws a one-sentence error if it can't be used, or lacks what
 * the process needs. A sandbox simulates its providers, so it rejects the setting instead of ignoring it.
 */
export async function loadProviders(
  setting: string | undefined,
  { mode, isSandbox, needs }: ProviderNeeds,
): Promise<ProviderModule> {
  if (isSandbox) {
    if (!setting) return {};
    throw new Error(`PROVIDERS is for ${mode}: a sandbox simulates its providers. Remove the setting; ${page}.`);
  }
  const module = setting ? await importModule(setting) : {};
  const missing = needs.filter((name) => module[name] === undefined);
  if (missing.length === 0) return module;
  const lack = `${mode} needs a provider for ${missing.join(" and ")}`;
  throw new Error(
    setting ? `${lack}: ${setting} exports none; ${page}.` : `${lack}: set PROVIDERS to your module; ${page}.`,
  );
}

async function importModule(setting: string): Promise<ProviderModule> {
  const isPath = /^(?:\.{0,2}\/|file:)/.test(setting);
  const specifier = isPath && !setting.startsWith("file:") ? pathToFileURL(resolve(setting)).href : setting;
  const { default: exported } = await import(specifier).catch((error: unknown) => {
    throw new Error(`PROVIDERS=${setting} can't be loaded: ${sentenceOf(error)}`, { cause: error });
  });
  const problem = findModuleProblem(exported);
  if (problem !== undefined) throw new Error(`PROVIDERS=${setting} ${problem}; ${page}.`);
  // As exported: a provider may be an object that uses `this`.
  return exported;
}
