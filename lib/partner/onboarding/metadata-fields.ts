import * as z from "zod/mini";
import { brandName } from "../../../brand/name.ts";
import { limits } from "../../contract/limits.ts";
import {
  looksLikeCardNumber,
  looksLikeSsn,
  problemOfMetadataKey,
  problemOfMetadataValue,
} from "../../contract/metadata.ts";
import { optionalAnswer } from "../requests/answer.ts";
import { customerIdKey } from "./own-pairs.ts";

const valueMax = limits.metadataValueCharactersMax;

/** The number of the person's shop, which they may leave out. */
export const shopField = optionalAnswer(z.string().check(refuse((value) => problemOfMetadataValue(value))), {
  wrong: (value) => problemOfValue(value, "Your shop number"),
});

/** The pairs of the pair editor, by the contract's rules and in our words. */
export const metadataPairs = z
  .array(
    z.object({
      key: z.string().check(
        refuse((key) => problemOfMetadataKey(key) && problemOfKey(key)),
        refuse(problemOfOwnKey),
      ),
      value: z.string().check(refuse((value) => problemOfMetadataValue(value) && problemOfValue(value, "A value"))),
    }),
    "This page is out of date. Please reload it.",
  )
  .check((context) => {
    const keys = context.value.map(({ key }) => key);
    keys.forEach((key, index) => {
      if (key === "" || keys.indexOf(key) === index) return;
      const message = "This key is used already. Use another key.";
      context.issues.push({ code: "custom", input: context.value, message, path: [index, "key"] });
    });
  });

function problemOfOwnKey(key: string): string | undefined {
  return key === customerIdKey ? `${brandName} sets this key itself. Use another key.` : undefined;
}

function problemOfKey(key: string): string {
  if (key === "") return "Enter a key, or remove this pair.";
  if ([...key].length > limits.metadataKeyCharactersMax)
    return `A key can have at most ${limits.metadataKeyCharactersMax} characters.`;
  return sensitiveProblem(key) ?? "A key can have letters, digits, underscores, periods and hyphens only.";
}

function problemOfValue(value: string, what: string): string {
  if (value === "") return "Enter a value, or remove this pair.";
  if ([...value].length > valueMax) return `${what} can have at most ${valueMax} characters.`;
  return sensitiveProblem(value) ?? `${what} has a character that we cannot use. Please type it again.`;
}

function sensitiveProblem(text: string): string | undefined {
  if (looksLikeSsn(text)) return "This looks like a Social Security number. Please leave it out.";
  if (looksLikeCardNumber(text)) return "This looks like a card number. Please leave it out.";
  return undefined;
}

function refuse(problemOf: (text: string) => string | undefined): z.core.CheckFn<string> {
  return (context) => {
    const message = problemOf(context.value);
    if (message) context.issues.push({ code: "custom", input: context.value, message });
  };
}
