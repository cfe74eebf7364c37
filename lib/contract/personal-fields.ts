import { userIntentFields } from "./user-intent.ts";

const mayBeLogged = ["first_name", "last_name", "city", "state"];

/**
 * The fields of a person that no log line may hold, by their names on the wire and in code. A field that is added to the user
 * intent is among them.
 */
export const personalFieldNames = Object.keys(userIntentFields)
  .filter((name) => !mayBeLogged.includes(name))
  .flatMap((name) => [name, name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())]);
