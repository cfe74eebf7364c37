import { limits } from "../../contract/limits.ts";

// Without a schema, so that pages can use these before the form's schema is loaded.

/** The pair with the person's id, which Harbor adds to every intent. */
export const customerIdKey = "harbor_customer_id";
export const shopKey = "shop";
/** The published maximum, less Harbor's own pair. */
export const ownPairsMax = limits.metadataPairsMax - 1;

export type MetadataPair = { key: string; value: string };
