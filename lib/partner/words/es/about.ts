import { brandName } from "../../../../brand/name.ts";
import type { about as english } from "../en/about.ts";
import type { Translation } from "../translation.ts";

export const about: Translation<typeof english> = {
  title: `${brandName}: un mercado que les paga a sus vendedores`,
  description: "Un mercado que les paga a sus vendedores: la integración de referencia de Gangway.",
};
