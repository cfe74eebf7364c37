import { brandName } from "../../../../brand/name.ts";
import type { dashboard as english } from "../en/dashboard.ts";
import type { Translation } from "../translation.ts";

export const dashboard: Translation<typeof english> = {
  title: "Resumen",
  lead: "Hola, {name}. Este es su dinero en [service].",
  disconnectConsequence: `${brandName} ya no verá su cuenta. Su dinero sigue siendo suyo y puede volver a conectarla cuando quiera.`,
  unpayable: {
    title: `${brandName} no puede pagarle en este momento`,
    text: `Su estado es “{status}”. ${brandName} volverá a pagarle cuando cambie.`,
  },
  balanceNote:
    "Este dinero es suyo. Permanece en su cuenta de [service] hasta que lo mueva. Pasarlo a su banco o a una tarjeta no forma parte de esta demostración.",
  payments: {
    title: "Pagos",
    lead: `Lo que ${brandName} le ha enviado, del más reciente al más antiguo.`,
    all: "Todos los pagos",
    notLoaded: "No podemos cargar sus pagos de [service] en este momento. Es posible que tenga algunos.",
    noneTitle: "Todavía no hay pagos",
    none: `Aparecerán aquí en cuanto ${brandName} le pague.`,
  },
};
