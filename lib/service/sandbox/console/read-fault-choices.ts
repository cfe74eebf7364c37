import * as z from "zod/mini";
import type { ConsoleClient } from "./console-session.ts";
import { read } from "./read.ts";

const choices = <Schema extends z.ZodMiniType>(schema: Schema) => z.object({ enum: z.array(schema) });

// What is needed of the document: which values the body of a fault takes.
const faultDocument = z.object({
  paths: z.object({
    "/sandbox/faults": z.object({
      put: z.object({
        requestBody: z.object({
          content: z.object({
            "application/json": z.object({
              schema: z.object({
                properties: z.object({ operation: choices(z.string()), status: choices(z.number()) }),
              }),
            }),
          }),
        }),
      }),
    }),
  }),
});

/** Which operations can be made to fail, and with which statuses, as the OpenAPI document says. */
export async function readFaultChoices(client: ConsoleClient): Promise<{ operations: string[]; statuses: number[] }> {
  const { paths } = await read(client, "/openapi.json", faultDocument);
  const { schema } = paths["/sandbox/faults"].put.requestBody.content["application/json"];
  const { operation, status } = schema.properties;
  return { operations: operation.enum, statuses: status.enum.toSorted((one, other) => one - other) };
}
