import * as z from "zod/mini";

/**
 * JSON Schema keywords for a schema whose rule is written as code. They are merged into what zod derives by itself, or
 * replace it when a `type` is among them.
 */
export const wireFacts = z.registry<Record<string, unknown>>();
