import { brandName } from "../../../../brand/name.ts";

export const business = {
  title: "Business",
  lead: `The account that ${brandName} pays its sellers from.`,
  pay: "Pay a seller",
  connectText: `Authorize once for ${brandName} as a business. After that, any operator can pay sellers.`,
  disconnectConsequence: "Operators can't pay sellers until the business is connected again.",
  payments: {
    title: "Recent payments",
    all: "All payments",
    noneTitle: "No payments yet",
    none: "Payments to your sellers appear here.",
  },
} as const;
