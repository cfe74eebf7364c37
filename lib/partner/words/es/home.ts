import { brandName } from "../../../../brand/name.ts";
import type { home as english } from "../en/home.ts";
import type { Translation } from "../translation.ts";

export const home: Translation<typeof english> = {
  eyebrow: "Pagos para vendedores",
  headline: `${brandName} les paga a sus vendedores.`,
  lead: "Regístrese, obtenga su aprobación y siga cada pago hasta que llegue. Toma unos tres minutos.",
  signUp: "Registrarse como vendedor",
  signInAsOperator: "Iniciar sesión como operador",
  goToDashboard: "Ir a su resumen",
  goToPayments: "Ir a los pagos",
  story: {
    caption: `Cómo recibe su dinero, en seis pasos, entre usted, ${brandName} y [service]`,
    you: "Usted",
    seller: "el vendedor",
    marketplace: "el mercado",
    service: "su cuenta",
    fromTo: ", de <from></from> a <to></to>",
    signUp: "Usted se registra y nos dice quién es",
    sendDetails: `${brandName} envía sus datos de forma segura`,
    approve: "Su cuenta queda aprobada",
    authorize: `Usted autoriza a ${brandName} a ver su cuenta`,
    connect: `${brandName} se conecta a su cuenta`,
    pay: `${brandName} le paga y usted ve llegar el dinero`,
  },
};
