import { limits } from "../../contract/limits.ts";

// Has no schema, so that pages can use it without loading the form's schema.

/** The key of the person's id, which Harbor adds to every intent. */
export const customerIdKey = "harbor_customer_id";
export const shopKey = "shop";
/** The published maximum, less Harbor's own pair. */
export const ownPairsMax = limits.metadataPairsMax - 1;

export type MetadataPair = { key: string; value: string };
