import { limits } from "../../contract/limits.ts";

// Apart from the rules of the pairs (metadata-fields.ts): what a page says of them takes no schema.

/** The pair that Harbor adds to every intent: whose it is. */
export const customerIdKey = "harbor_customer_id";
/** The pair that the shop number becomes. */
export const shopKey = "shop";
/** One of the published 25 is Harbor's own. */
export const ownPairsMax = limits.metadataPairsMax - 1;

/** A pair that somebody typed. */
export type MetadataPair = { key: string; value: string };
