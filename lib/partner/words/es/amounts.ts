import type { amounts as english } from "../en/amounts.ts";
import type { Translation } from "../translation.ts";

export const amounts: Translation<typeof english> = {
  about: "unos {amount}",
  unknown: "Desconocido",
  unknownAmount: "un monto desconocido",
};
