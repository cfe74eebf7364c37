/** Amounts that the service didn't give in whole cents. */
export const amounts = {
  about: "about {amount}",
  unknown: "Unknown",
  unknownAmount: "an unknown amount",
} as const;
