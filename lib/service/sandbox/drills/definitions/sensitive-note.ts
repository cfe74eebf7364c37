import type { Drill } from "../drill.ts";

/** Somebody types a social security number into a note. */
export const sensitiveNote: Drill = {
  id: "sensitive-note",
  title: "Somebody types a social security number into a note",
  broken: "Nothing: a person types what must not travel.",
  clauses: ["I.metadata.9"],
  interfaceSays: "Sensitive information must not be placed in metadata.",
  goodClient: "Sends ids of its own as metadata and never what people type.",
  steps: [
    {
      do: "Let somebody sign up at your app and type a social security number, as ddd-dd-dddd, into each free field.",
    },
  ],
  expect: ["no-sensitive-metadata"],
  proof: "An intent with metadata in which nothing sensitive was tried.",
};
