import * as z from "zod/mini";

/**
 * What a JSON Schema says of a schema whose rule is written as code. Keywords, merged into what zod derives by itself;
 * with a `type` among them they stand instead of it.
 */
export const wireFacts = z.registry<Record<string, unknown>>();
