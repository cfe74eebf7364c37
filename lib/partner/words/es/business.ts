import { brandName } from "../../../../brand/name.ts";
import type { business as english } from "../en/business.ts";
import type { Translation } from "../translation.ts";

export const business: Translation<typeof english> = {
  title: "Empresa",
  lead: `La cuenta desde la que ${brandName} les paga a sus vendedores.`,
  pay: "Pagar a un vendedor",
  connectText: `Autorice una sola vez en nombre de ${brandName}. Después, cualquier operador podrá pagar a los vendedores.`,
  disconnectConsequence: "Los operadores no podrán pagar a los vendedores hasta que la empresa vuelva a conectarse.",
  payments: {
    title: "Pagos recientes",
    all: "Todos los pagos",
    noneTitle: "Todavía no hay pagos",
    none: "Los pagos a sus vendedores aparecerán aquí.",
  },
};
